import { FolderDown, Hammer } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../ui'
import { BuildDialog, CloneDialog, useErrands } from '../errands'

type Open = { kind: 'build' | 'clone'; shown: string | null }

/** Getting Reef and building its image, from where their results are needed. What is under way is shown again. */
export function ContainerErrands(props: {
  target: string
  /** Folder the build begins with. */
  checkout: string
  built: (image: string) => void
  cloned: (folder: string) => void
}) {
  const { t } = useTranslation('errands')
  const [open, setOpen] = useState<Open | null>(null)
  const running = useErrands().filter(({ state }) => state.kind === 'running')
  const show = (kind: Open['kind']) => (): void =>
    setOpen({ kind, shown: running.find(({ request }) => request.kind === kind)?.id ?? null })
  const label = (kind: Open['kind'], name: string): string =>
    running.some(({ request }) => request.kind === kind) ? t('underWay', { what: name }) : name
  const close = (): void => setOpen(null)
  return (
    <>
      <Button size="small" icon={FolderDown} onClick={show('clone')} data-testid="get-reef">
        {label('clone', t('clone'))}
      </Button>
      <Button size="small" icon={Hammer} onClick={show('build')} data-testid="build-image">
        {label('build', t('build'))}
      </Button>
      {open?.kind === 'clone' ? (
        <CloneDialog shown={open.shown} use={props.cloned} close={close} />
      ) : null}
      {open?.kind === 'build' ? (
        <BuildDialog
          target={props.target}
          checkout={props.checkout}
          shown={open.shown}
          use={props.built}
          close={close}
        />
      ) : null}
    </>
  )
}
