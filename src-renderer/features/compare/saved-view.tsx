import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine, savedComparisonsQuery } from '../../api'
import { formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state/clock'
import { Button, Dialog, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ComparisonViews } from './comparison-views'
import { savedOneQuery } from './side-feed'
import { arrange } from './side-store'

/** A comparison that was kept, made again from what is there now. */
export function SavedView(props: { run: string; id: string }) {
  const { t } = useTranslation('compare')
  const language = useLanguage()
  const now = useNow()
  const { run, id } = props
  const [forgetting, setForgetting] = useState(false)
  const saved = useQuery(savedOneQuery(id))
  const close = (): void => arrange(run, { opened: null })
  const back = (
    <Button icon={ArrowLeft} onClick={close} data-testid="comparison-close">
      {t('saved.close')}
    </Button>
  )
  if (saved.isError) return <FailureNote className="m-3" thrown={saved.error} action={back} />
  if (saved.data === undefined) return <Skeleton className="m-3 h-64" />
  const { name, savedAt, sides, baseline, window, then } = saved.data
  const asked = { sides, baseline, window }
  return (
    <div className="flex min-h-0 flex-1 flex-col" data-testid="saved-comparison">
      <div className="flex h-12 flex-none items-center gap-2 border-b border-line-1 px-3 text-xs">
        {back}
        <b className="el font-medium">{name}</b>
        <span className="t2 el">
          {t('saved.at', { when: formatWhen(savedAt, now, language) })} ·{' '}
          {then.sides.map(({ label }) => label).join(', ')}
        </span>
        <span className="ml-auto flex gap-2">
          <Button icon={Trash2} onClick={() => setForgetting(true)} data-testid="comparison-forget">
            {t('saved.forget')}
          </Button>
        </span>
      </div>
      <ComparisonViews run={run} asked={asked} pair={null} then={then} name={name} />
      {forgetting ? (
        <ForgetDialog id={id} name={name} onClose={() => setForgetting(false)} onDone={close} />
      ) : null}
    </div>
  )
}

function ForgetDialog(props: {
  id: string
  name: string
  onClose: () => void
  onDone: () => void
}) {
  const { t } = useTranslation('compare')
  const client = useQueryClient()
  const forget = useMutation({
    mutationFn: () => engine.compare.removeSaved({ id: props.id }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: savedComparisonsQuery.queryKey })
      props.onDone()
    }
  })
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={t('saved.forgetTitle', { name: props.name })}
      description={t('saved.forgetSub')}
      onConfirm={() => forget.mutate()}
      footer={
        <>
          <Button onClick={props.onClose}>{t('saved.cancel')}</Button>
          <Button variant="danger" onClick={() => forget.mutate()}>
            {t('saved.forget')}
          </Button>
        </>
      }
    >
      {forget.isError ? <FailureNote thrown={forget.error} /> : null}
    </Dialog>
  )
}
