import { FolderDown, Hammer } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Errand } from '@contract/errands'
import { Button } from '../../ui'
import { BuildDialog, CloneDialog, useErrands } from '../errands'

/** Slipway ended while it was under way. */
function isCut({ state }: Errand): boolean {
  return state.kind === 'failed' && state.failure.code === 'errand-cut'
}

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
  const [seen, setSeen] = useState<readonly string[]>([])
  // What was cut off is told once; the form comes after it.
  const shown = useErrands().filter(
    (one) => one.state.kind === 'running' || (isCut(one) && !seen.includes(one.id))
  )
  const of = (kind: Open['kind']) => shown.find(({ request }) => request.kind === kind)
  const show = (kind: Open['kind']) => (): void => {
    const id = of(kind)?.id ?? null
    setOpen({ kind, shown: id })
    if (id !== null) setSeen([...seen, id])
  }
  const label = (kind: Open['kind'], name: string): string => {
    const one = of(kind)
    if (one === undefined) return name
    return one.state.kind === 'running' ? t('underWay', { what: name }) : t('cut', { what: name })
  }
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
