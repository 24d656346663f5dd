import { useQuery } from '@tanstack/react-query'
import { Circle, Cpu, HardDrive, LoaderCircle, Play, TriangleAlert } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RunList } from '@contract/run'
import { hostQuery, runsQuery, targetsQuery } from '../../api/queries'
import { formatBytes, formatCount } from '../../i18n'
import { connection, go, runsView, type RunsView } from '../../state'
import { Icon } from '../../ui'
import { AlertBell } from '../alerts'
import { QueueEntry } from '../queue'
import { isActive, needsAttention } from '../runs/attempt-state'
import { useSettingsChange } from '../settings/use-settings-change'

/** Global facts on the left, this window's on the right. */
export function StatusBar() {
  return (
    <footer className="status" data-testid="status-bar">
      <div>
        <RunningEntry />
        <AttentionEntry />
        <QueueEntry />
        <MachineEntries />
      </div>
      <div>
        <RightEntries />
      </div>
    </footer>
  )
}

// The list comes anew with every answer a run gives; only another number renders the bar.
const activeOf = ({ runs }: RunList): number => runs.filter((run) => isActive(run.state)).length
const waitingOf = ({ runs }: RunList): number =>
  runs.filter((run) => !run.archived && needsAttention(run.state)).length
const countOf = ({ runs }: RunList): number => runs.length

function showRuns(view: RunsView): void {
  runsView.getState().setView(view)
  go({ page: 'runs' })
}

function RunningEntry() {
  const { t } = useTranslation('frame')
  const status = connection((store) => store.status)
  const running = useQuery({ ...runsQuery, select: activeOf }).data ?? 0
  if (status === 'waiting') {
    return (
      <span>
        <Icon of={LoaderCircle} />
        {t('engineWaiting')}
      </span>
    )
  }
  return (
    <button
      type="button"
      className={running > 0 ? 'c-running' : ''}
      onClick={() => showRuns({ kind: running > 0 ? 'active' : 'all' })}
    >
      <Icon of={running > 0 ? Play : Circle} fill={running > 0} />
      {running > 0 ? t('running', { count: running, n: formatCount(running) }) : t('nothingRuns')}
    </button>
  )
}

function AttentionEntry() {
  const { t } = useTranslation('frame')
  const count = useQuery({ ...runsQuery, select: waitingOf }).data ?? 0
  if (count === 0) return null
  return (
    <button type="button" className="c-warn" onClick={() => showRuns({ kind: 'attention' })}>
      <Icon of={TriangleAlert} />
      {t('attention', { count, n: formatCount(count) })}
    </button>
  )
}

function MachineEntries() {
  const { t } = useTranslation('frame')
  const targets = useQuery(targetsQuery).data
  if (targets === undefined) return null
  const gpus = targets.flatMap((target) => target.gpus)
  const local = targets.find((target) => target.spec.kind === 'process')
  const toTargets = (): void => go({ page: 'settings', section: 'targets' })
  return (
    <>
      <button type="button" onClick={toTargets}>
        <Icon of={Cpu} />
        {gpus.length === 0
          ? t('gpuNone')
          : t('gpuCount', { count: gpus.length, n: formatCount(gpus.length) })}
      </button>
      {local?.freeBytes === null || local?.freeBytes === undefined ? null : (
        <button type="button" onClick={toTargets}>
          <Icon of={HardDrive} />
          {t('free', { size: formatBytes(local.freeBytes) })}
        </button>
      )}
    </>
  )
}

function RightEntries() {
  const { t, i18n } = useTranslation('frame')
  const host = useQuery(hostQuery).data
  const runs = useQuery({ ...runsQuery, select: countOf }).data
  const change = useSettingsChange()
  return (
    <>
      {runs === undefined ? null : (
        <span>{t('runCount', { count: runs, n: formatCount(runs) })}</span>
      )}
      <AlertBell />
      <button
        type="button"
        aria-label={t('language')}
        onClick={() => change({ language: i18n.language === 'zh' ? 'en' : 'zh' })}
        data-testid="status-language"
      >
        {t('languageName')}
      </button>
      {host === undefined ? null : <span>Slipway {host.version}</span>}
    </>
  )
}
