import { useMutation, useQuery } from '@tanstack/react-query'
import { Check } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { useText } from '../../i18n'
import { Button, Field, KeyValues, Panel, Skeleton, useToasts } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { renewWeaver, weaverStatusQuery } from './weaver-feed'

/** Server and key. The key goes to the system's keyring and never comes back to the page. */
export function KeyPanel() {
  const { t } = useTranslation('weaver')
  const text = useText()
  const query = useQuery(weaverStatusQuery)
  const [typed, setTyped] = useState('')
  const change = useMutation({
    mutationFn: (key: string | null) => engine.weaver.setKey({ key }),
    onSuccess: (_status, key) => {
      setTyped('')
      const said = key === null ? t('keyForgotten') : t('keyKept')
      useToasts.getState().show({ look: { tone: 'ready', icon: Check }, text: said })
      renewWeaver()
    }
  })
  const status = query.data
  if (query.isError) return <FailureNote thrown={query.error} retry={() => void query.refetch()} />
  if (status === undefined) return <Skeleton className="h-24" />
  const off = status.cannotStore === null ? undefined : text(status.cannotStore)
  return (
    <Panel className="flex-none" title={t('key')} data-testid="weaver-key">
      <div className="flex flex-col gap-3 px-3 pb-3">
        <KeyValues
          rows={[
            [
              t('server'),
              <span key="server" className="mono break-all">
                {status.server}
              </span>
            ],
            [t('key'), t(`keySource.${status.key}`)]
          ]}
        />
        <div className="flex items-end gap-2">
          <Field
            className="w-80"
            label={t('newKey')}
            showLabel
            mono
            secret
            value={typed}
            onChange={setTyped}
            data-testid="weaver-new-key"
          />
          <Button
            off={off ?? (typed.trim() === '' ? t('newKey') : undefined)}
            onClick={() => change.mutate(typed)}
            data-testid="weaver-keep-key"
          >
            {t('keep')}
          </Button>
          {status.key === 'stored' ? (
            <Button onClick={() => change.mutate(null)}>{t('forget')}</Button>
          ) : null}
        </div>
        {off === undefined ? null : <p className="t2">{off}</p>}
        {change.isError ? <FailureNote thrown={change.error} /> : null}
      </div>
    </Panel>
  )
}
