import { useMutation } from '@tanstack/react-query'
import { useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ErrandRequest } from '@contract/errands'
import { engine } from '../../api/client'
import { Button, Dialog } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ErrandLog } from './errand-log'
import { useErrand } from './use-errands'

/**
 * A form that begins a build or a clone, and then its log in the same place. `shown`: one that is under way already.
 * Closing lets it go on.
 */
export function ErrandDialog(props: {
  title: string
  sub: string
  startLabel: string
  shown: string | null
  /** Null: what is missing is said by `off`. */
  request: ErrandRequest | null
  off: string | undefined
  /** Told when a person wants what came of it. */
  use: (request: ErrandRequest) => void
  close: () => void
  testId: string
  children: ReactNode
}) {
  const { request, off } = props
  const { t } = useTranslation(['errands', 'common'])
  const [id, setId] = useState(props.shown)
  const view = useErrand(id)
  const start = useMutation({
    mutationFn: (asked: ErrandRequest) => engine.errands.start(asked),
    onSuccess: (begun) => setId(begun.id)
  })
  const cancel = useMutation({
    mutationFn: (under: string) => engine.errands.cancel({ id: under })
  })
  const begin = (): void => {
    if (request !== null && off === undefined && !start.isPending) start.mutate(request)
  }
  const done = view?.state.kind === 'done' ? view.request : null
  return (
    <Dialog
      open
      onClose={props.close}
      title={props.title}
      description={props.sub}
      width={720}
      onConfirm={id === null ? begin : undefined}
      data-testid={props.testId}
      footer={
        <>
          {view?.state.kind === 'running' ? (
            <Button
              variant="danger"
              off={cancel.isPending ? t('errands:callingOff') : undefined}
              onClick={() => cancel.mutate(view.id)}
              data-testid="errand-cancel"
            >
              {t('errands:callOff')}
            </Button>
          ) : null}
          <Button onClick={props.close} keys="Escape">
            {t('common:close')}
          </Button>
          {id === null ? (
            <Button
              variant="primary"
              keys="Mod+Enter"
              off={start.isPending ? t('errands:running') : off}
              onClick={begin}
              data-testid="errand-start"
            >
              {props.startLabel}
            </Button>
          ) : null}
          {done === null ? null : (
            <Button
              variant="primary"
              onClick={() => {
                props.use(done)
                props.close()
              }}
              data-testid="errand-use"
            >
              {t('errands:use')}
            </Button>
          )}
        </>
      }
    >
      {id === null ? props.children : null}
      {view === null ? null : <ErrandLog view={view} />}
      {start.isError ? <FailureNote className="mt-3" thrown={start.error} /> : null}
      {cancel.isError ? <FailureNote className="mt-3" thrown={cancel.error} /> : null}
    </Dialog>
  )
}
