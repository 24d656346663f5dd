import type { LearntFrom, LearntRecord, ReleaseCost } from '@contract/release-detail'
import type { Release } from '@contract/releases'
import { useQuery } from '@tanstack/react-query'
import { lazy, memo, Suspense } from 'react'
import { useTranslation } from 'react-i18next'
import { formatCount, formatValue } from '../../charts'
import { formatDuration, useLanguage, useText } from '../../i18n'
import { go } from '../../state/route'
import { Button, KeyValues, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { detailQuery } from './chain-feed'
import { useChoice } from './release-selection'

const HarnessView = lazy(async () => ({ default: (await import('./harness-view')).HarnessView }))

/** Records named one by one; the Records tab has all of them. */
const RECORDS_SHOWN = 5

/** What the selected release cost, what it learnt from, and, of a harness, what it is. */
export const ReleaseDetailParts = memo(function ReleaseDetailParts(props: {
  run: string
  release: Release
}) {
  const { run, release } = props
  const { t } = useTranslation('releases')
  const { scenario } = useChoice(run)
  const query = useQuery(detailQuery(run, scenario, release.step))
  const detail = query.data
  return (
    <>
      <section data-testid="release-learnt">
        <h2>
          {t('learntFrom')}{' '}
          {release.consumed === null ? null : (
            <span className="t2 font-normal">
              {t('receipts', { count: release.consumed, shown: formatCount(release.consumed) })}
            </span>
          )}
        </h2>
        {query.isError ? <FailureNote thrown={query.error} /> : null}
        {detail === undefined ? (
          query.isPending ? (
            <Skeleton className="h-6" />
          ) : null
        ) : (
          <Learnt run={run} learnt={detail.learnt} known={release.consumed !== null} />
        )}
      </section>
      {detail === undefined ? null : <Cost cost={detail.cost} />}
      {detail === undefined || detail.harness === null ? null : (
        <Suspense fallback={<Skeleton className="h-16" />}>
          <HarnessView run={run} scenario={scenario} step={release.step} harness={detail.harness} />
        </Suspense>
      )}
    </>
  )
})

function Learnt(props: { run: string; learnt: LearntFrom; known: boolean }) {
  const { t } = useTranslation('releases')
  const text = useText()
  const { records, receipts, scores, why } = props.learnt
  if (records === null || records.length === 0)
    return (
      <>
        {receipts.length === 0 ? (
          <div className="t2">{t(props.known ? 'receiptsNone' : 'receiptsUnknown')}</div>
        ) : (
          <div className="mono el" title={receipts.join('\n')}>
            {receipts.join(', ')}
          </div>
        )}
        {why === null || receipts.length === 0 ? null : <div className="t2">{text(why)}</div>}
      </>
    )
  return (
    <>
      {scores === null ? null : (
        <div className="num">
          {t('scores', {
            mean: formatValue(scores.mean),
            least: formatValue(scores.least),
            most: formatValue(scores.most),
            n: formatCount(scores.n)
          })}
        </div>
      )}
      {reportsFirst(records).map((record) => (
        <div key={record.id} className="flex h-6 items-center gap-2">
          <span className="mono el w-24 flex-none" title={record.id}>
            {record.id}
          </span>
          <RecordWords record={record} />
          <span className="num ml-auto">
            {record.score === null ? '' : formatValue(record.score)}
          </span>
        </div>
      ))}
      <Button
        size="small"
        variant="ghost"
        onClick={() => go({ page: 'run', id: props.run, tab: 'records' })}
      >
        {t('allRecords')}
      </Button>
    </>
  )
}

/** What a record says, never translated; where it says nothing, what kind of record it is. */
function RecordWords({ record }: { record: LearntRecord }) {
  const { t } = useTranslation('releases')
  const said = saidOf(record)
  return said === null ? (
    <span className="t2 el min-w-0">
      {t(record.type === 'report' ? 'recordReport' : 'recordAnswer')}
    </span>
  ) : (
    <span className="t2 el min-w-0" title={said} translate="no">
      {said}
    </span>
  )
}

/** The words of a report, else what was asked and answered; null where neither is known. */
function saidOf({ words, said }: LearntRecord): string | null {
  if (words !== null || said === null) return words
  return `${said.question} → ${said.answer}`
}

/** The records shown: those that say something before the answers they are about. */
function reportsFirst(records: readonly LearntRecord[]): readonly LearntRecord[] {
  const rank = ({ type }: LearntRecord): number => (type === 'report' ? 0 : 1)
  return [...records].sort((a, b) => rank(a) - rank(b)).slice(0, RECORDS_SHOWN)
}

function Cost({ cost }: { cost: ReleaseCost }) {
  const { t } = useTranslation('releases')
  const language = useLanguage()
  const { took, gpus, gpuHours, samples, dropped } = cost
  if (took === null && samples === null) return null
  return (
    <section data-testid="release-cost">
      <h2>{t('cost')}</h2>
      <KeyValues
        rows={[
          [t('took'), took === null ? null : formatDuration(took, language)],
          [
            t('gpuHours'),
            gpuHours === null || gpus === null
              ? null
              : gpus === 0
                ? t('noGpu')
                : t('gpuHoursOf', { hours: formatValue(gpuHours), gpus })
          ],
          [
            t('samples'),
            samples === null
              ? null
              : dropped === null || dropped === 0
                ? formatCount(samples)
                : t('samplesDropped', { shown: formatCount(samples), dropped })
          ]
        ]}
      />
    </section>
  )
}
