import type { RunDetail } from '@contract/run'
import { useMutation, useQuery } from '@tanstack/react-query'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { useText } from '../../i18n'
import { Button, Dialog } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { restartDoubtQuery } from './acts'

/** Says why it is not certain what a restart would go on from, before it is done. */
export function RestartDialog(props: { detail: RunDetail; close: () => void }) {
  const { detail, close } = props
  const { id, name } = detail.summary
  const { t } = useTranslation(['run', 'common'])
  const text = useText()
  const cancel = useRef<HTMLButtonElement>(null)
  const doubt = useQuery(restartDoubtQuery(id)).data?.doubt ?? null
  const restart = useMutation({
    mutationFn: () => engine.runs.restart({ run: id }),
    onSuccess: close
  })
  const act = (): void => {
    if (!restart.isPending) restart.mutate()
  }
  return (
    <Dialog
      open
      onClose={close}
      focus={cancel}
      title={t('run:restartTitle', { name })}
      onConfirm={act}
      data-testid="restart-dialog"
      footer={
        <>
          <Button ref={cancel} onClick={close} keys="Escape">
            {t('common:cancel')}
          </Button>
          <Button
            variant="danger"
            keys="Mod+Enter"
            off={restart.isPending ? t('run:starting') : undefined}
            onClick={act}
            data-testid="confirm-restart"
          >
            {t('run:restartAnyway')}
          </Button>
        </>
      }
    >
      {doubt === null ? null : <p className="c-warn">{text(doubt)}</p>}
      <p className="mt-2">{t('run:restartDoubt')}</p>
      {restart.isError ? <FailureNote className="mt-3" thrown={restart.error} /> : null}
    </Dialog>
  )
}
