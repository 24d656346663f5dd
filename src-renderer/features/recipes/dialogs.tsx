import type { RecipeDoc } from './workbench'
import { CompareDialog } from './compare-dialog'
import { DuplicateDialog } from './duplicate-dialog'
import { MigrateDialog, ScaleDialog } from './review-dialogs'

export type DialogKind = 'duplicate' | 'migrate' | 'scale' | 'compare'

/** The dialog that is open over the workbench, if any. */
export function WorkbenchDialogs(props: {
  kind: DialogKind | null
  doc: RecipeDoc
  batch: number | null
  replaceText: (text: string) => void
  close: () => void
}) {
  const { doc, close, replaceText } = props
  const apply = (text: string): void => {
    replaceText(text)
    close()
  }
  switch (props.kind) {
    case null:
      return null
    case 'duplicate':
      return <DuplicateDialog doc={doc} close={close} />
    case 'migrate':
      return <MigrateDialog doc={doc} apply={apply} close={close} />
    case 'scale':
      return <ScaleDialog doc={doc} batch={props.batch} apply={apply} close={close} />
    case 'compare':
      return <CompareDialog doc={doc} close={close} />
  }
}
