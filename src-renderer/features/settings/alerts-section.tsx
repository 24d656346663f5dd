import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { WebhookStatus } from '@contract/alerts'
import { engine } from '../../api/client'
import { formatWhen, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state'
import { Button, Field, KeyValues, Panel, Skeleton, useToasts } from '../../ui'
import { FailureNote } from '../shared/failure-note'

const key = ['webhook'] as const

/** Where alerts go besides the bell. The address is a secret: it goes to the keyring and never comes back here. */
export function AlertsSection() {
  const { t } = useTranslation('alerts')
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4 text-xs">
      <h1 className="text-lg font-semibold">
        {t('title')} <span className="t2 text-xs font-normal">{t('sub')}</span>
      </h1>
      <Panel className="max-w-[760px] flex-none" title={t('desktop')}>
        <p className="t2 px-3 pb-3">{t('desktopMore')}</p>
      </Panel>
      <WebhookPanel />
    </div>
  )
}

function useWebhookActs() {
  const { t } = useTranslation('alerts')
  const client = useQueryClient()
  const took = (status: WebhookStatus): void => {
    client.setQueryData(key, status)
  }
  const change = useMutation({
    mutationFn: (address: string | null) => engine.alerts.setWebhook({ address }),
    onSuccess: (status, address) => {
      took(status)
      const said = address === null ? t('forgotten') : t('kept')
      useToasts.getState().show({ look: { tone: 'ready', icon: Check }, text: said })
    }
  })
  const sample = useMutation({
    mutationFn: () => engine.alerts.tryWebhook(),
    onSuccess: took
  })
  return { change, sample }
}

function WebhookPanel() {
  const { t } = useTranslation(['alerts', 'common'])
  const text = useText()
  const language = useLanguage()
  const now = useNow()
  const query = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => engine.alerts.webhook(undefined, { signal })
  })
  const { change, sample } = useWebhookActs()
  const [typed, setTyped] = useState('')
  const status = query.data
  if (query.isError) return <FailureNote thrown={query.error} retry={() => void query.refetch()} />
  if (status === undefined) return <Skeleton className="h-24" />
  const off = status.cannotStore === null ? undefined : text(status.cannotStore)
  const lastTry = (): string => {
    if (status.last === null) return t('alerts:lastNever')
    const when = formatWhen(status.last.at, now, language)
    return status.last.why === null
      ? t('alerts:lastOk', { when })
      : t('alerts:lastFailed', { when, why: text(status.last.why) })
  }
  return (
    <Panel className="max-w-[760px] flex-none" title={t('alerts:webhook')} data-testid="webhook">
      <div className="flex flex-col gap-3 px-3 pb-3">
        <p className="t2">{t('alerts:webhookMore')}</p>
        <KeyValues
          rows={[
            [t('alerts:address'), t(`alerts:addressSource.${status.address}`)],
            [t('alerts:last'), lastTry()]
          ]}
        />
        <div className="flex items-end gap-2">
          <Field
            className="flex-1"
            label={t('alerts:newAddress')}
            showLabel
            mono
            secret
            placeholder={t('alerts:addressHint')}
            value={typed}
            onChange={setTyped}
            data-testid="webhook-address"
          />
          <Button
            off={off ?? (typed.trim() === '' ? t('alerts:newAddress') : undefined)}
            onClick={() => change.mutate(typed, { onSuccess: () => setTyped('') })}
            data-testid="webhook-keep"
          >
            {t('alerts:keep')}
          </Button>
          {status.address === 'stored' ? (
            <Button onClick={() => change.mutate(null)}>{t('alerts:forget')}</Button>
          ) : null}
          {status.address === 'missing' ? null : (
            <Button
              off={sample.isPending ? t('common:loading') : undefined}
              onClick={() => sample.mutate()}
              data-testid="webhook-sample"
            >
              {t('alerts:sample')}
            </Button>
          )}
        </div>
        {off === undefined ? null : <p className="t2">{off}</p>}
        {change.isError ? <FailureNote thrown={change.error} /> : null}
        {sample.isError ? <FailureNote thrown={sample.error} /> : null}
      </div>
    </Panel>
  )
}
