import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CatalogueModel, WeaverModel } from '@contract/weaver'
import { formatCount, formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state'
import { Panel, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { CheckpointsPanel } from './checkpoints-panel'
import { KeyPanel } from './key-panel'
import { catalogueQuery, modelsQuery, weaverStatusQuery } from './weaver-feed'

/** The training service as the person's key shows it. */
export function WeaverSection() {
  const { t } = useTranslation('weaver')
  const status = useQuery(weaverStatusQuery).data
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-3 overflow-auto p-4 text-xs">
      <div>
        <h1 className="text-lg font-semibold">
          {t('title')} <span className="t2 text-xs font-normal">{t('sub')}</span>
        </h1>
        <p className="t2 mt-1 max-w-[760px]">{t('notTried')}</p>
      </div>
      <KeyPanel />
      {status === undefined || status.key === 'missing' ? null : (
        <>
          <ModelsPanel />
          <CataloguePanel />
        </>
      )}
    </div>
  )
}

function ModelsPanel() {
  const { t } = useTranslation('weaver')
  const query = useQuery(modelsQuery)
  const [session, setSession] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const all = query.data ?? []
  const sessions = [...new Set(all.flatMap((model) => model.session ?? []))].sort()
  const shown = session === '' ? all : all.filter((model) => model.session === session)
  return (
    <>
      <Panel
        className="flex-none"
        title={t('models')}
        sub={t('modelsSub')}
        actions={
          <select
            className="field small"
            aria-label={t('session')}
            value={session}
            onChange={(event) => setSession(event.target.value)}
            data-testid="weaver-session"
          >
            <option value="">{t('allSessions')}</option>
            {sessions.map((id) => (
              <option key={id} value={id}>
                {id}
              </option>
            ))}
          </select>
        }
        data-testid="weaver-models"
      >
        {query.isPending ? (
          <Skeleton className="m-3 h-24" />
        ) : query.isError ? (
          <FailureNote
            className="mx-3 mb-3"
            thrown={query.error}
            retry={() => void query.refetch()}
          />
        ) : shown.length === 0 ? (
          <p className="t2 px-3 pb-3">{t('noModels')}</p>
        ) : (
          <ModelRows models={shown} chosen={chosen} choose={setChosen} />
        )}
      </Panel>
      {chosen === null ? null : <CheckpointsPanel key={chosen} model={chosen} />}
    </>
  )
}

function ModelRows(props: {
  models: readonly WeaverModel[]
  chosen: string | null
  choose: (id: string) => void
}) {
  const { t } = useTranslation('weaver')
  const language = useLanguage()
  const now = useNow()
  return (
    <div className="max-h-64 overflow-auto">
      <table className="tbl">
        <thead>
          <tr>
            <th style={{ paddingLeft: 12 }}>{t('model')}</th>
            <th>{t('mode')}</th>
            <th>{t('status')}</th>
            <th>{t('created')}</th>
            <th>{t('session')}</th>
          </tr>
        </thead>
        <tbody>
          {props.models.map((model) => (
            <tr key={model.id} aria-selected={model.id === props.chosen}>
              <td style={{ paddingLeft: 12 }}>
                <button
                  type="button"
                  className="text-left"
                  onClick={() => props.choose(model.id)}
                  data-testid={`weaver-model-${model.id}`}
                >
                  <span className="mono">{model.id}</span>{' '}
                  <span className="t2">{model.baseModel}</span>
                </button>
              </td>
              <td className="mono">{model.mode ?? '–'}</td>
              <td>{model.status ?? '–'}</td>
              <td className="num">
                {model.createdAt === null ? '–' : formatWhen(model.createdAt, now, language)}
              </td>
              <td className="mono">{model.session ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

const kinds = [
  ['training_tokens', 'train'],
  ['sampling_prefill_tokens', 'input'],
  ['sampling_cached_prefill_tokens', 'cachedInput'],
  ['sampling_output_tokens', 'output']
] as const

function CataloguePanel() {
  const { t } = useTranslation('weaver')
  const query = useQuery(catalogueQuery)
  return (
    <Panel
      className="flex-none"
      title={t('catalogue')}
      sub={t('catalogueSub')}
      data-testid="weaver-catalogue"
    >
      {query.isPending ? (
        <Skeleton className="m-3 h-24" />
      ) : query.isError ? (
        <FailureNote
          className="mx-3 mb-3"
          thrown={query.error}
          retry={() => void query.refetch()}
        />
      ) : (
        <table className="tbl">
          <thead>
            <tr>
              <th style={{ paddingLeft: 12 }}>{t('model')}</th>
              <th>{t('mode')}</th>
              <th className="r">{t('context')}</th>
              {kinds.map(([kind, name]) => (
                <th key={kind} className="r">
                  {t(name)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>{query.data.flatMap((model) => catalogueRows(model))}</tbody>
        </table>
      )}
    </Panel>
  )
}

function catalogueRows({ id, name, contextLength, modes }: CatalogueModel) {
  return modes.map(({ mode, prices }) => (
    <tr key={`${id}/${mode}`}>
      <td className="mono" style={{ paddingLeft: 12 }}>
        {name}
      </td>
      <td className="mono">{mode}</td>
      <td className="r num">{contextLength === null ? '–' : formatCount(contextLength)}</td>
      {kinds.map(([kind]) => (
        <td key={kind} className="r num">
          {priceText(prices.find((one) => one.kind === kind))}
        </td>
      ))}
    </tr>
  ))
}

function priceText(price: CatalogueModel['modes'][number]['prices'][number] | undefined): string {
  if (price === undefined) return '–'
  const dollars = `$${price.micros / 1_000_000}`
  return price.unit === 'million_tokens' ? dollars : `${dollars} / ${price.unit}`
}
