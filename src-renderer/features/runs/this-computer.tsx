import { useQuery } from '@tanstack/react-query'
import { Check, Circle, RotateCcw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { TargetStatus } from '@contract/targets'
import { targetsQuery } from '../../api/queries'
import { formatBytes } from '../../i18n'
import { Button, InlineState, Panel, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'

interface Fact {
  name: string
  value: string
  good: boolean
  verdict: string
}

/** Bytes a practice run may fill with its checkpoints and logs, with room to spare. */
const ENOUGH = 1e9

/** What this computer offers a stack, from the targets the engine found. */
export function ThisComputer() {
  const { t } = useTranslation(['runs', 'settings'])
  const targets = useQuery(targetsQuery)
  return (
    <Panel
      title={t('runs:thisComputer')}
      actions={
        <Button variant="ghost" icon={RotateCcw} onClick={() => void targets.refetch()}>
          {t('settings:checkAgain')}
        </Button>
      }
    >
      {targets.isError ? <FailureNote className="m-3" thrown={targets.error} /> : null}
      {targets.data === undefined ? (
        <Skeleton className="m-3 h-32" />
      ) : (
        <Facts targets={targets.data} />
      )}
      <div className="t2 px-3 py-3 text-xs">{t('runs:realTraining')}</div>
    </Panel>
  )
}

function Facts(props: { targets: readonly TargetStatus[] }) {
  const facts = useFacts(props.targets)
  return (
    <div className="px-3 text-xs">
      {facts.map((fact) => (
        <div
          key={fact.name}
          className="grid min-h-9 grid-cols-[112px_minmax(0,1fr)_auto] items-center gap-3 border-b border-line-1"
        >
          <span className="t2">{fact.name}</span>
          <span className="font-medium">{fact.value}</span>
          <InlineState
            look={fact.good ? { tone: 'ready', icon: Check } : { tone: 'idle', icon: Circle }}
          >
            {fact.verdict}
          </InlineState>
        </div>
      ))}
    </div>
  )
}

function useFacts(targets: readonly TargetStatus[]): Fact[] {
  const { t } = useTranslation('runs')
  const process = targets.find((target) => target.spec.kind === 'process')
  const docker = targets.find((target) => target.found && target.spec.kind === 'docker')
  // Only what Slipway found by itself is on this machine; a target someone added may be anywhere.
  const gpus = targets.filter((target) => target.found).flatMap((target) => target.gpus)
  const hasDocker = docker?.reachable === 'yes'
  const free = process?.freeBytes ?? null
  return [
    {
      name: t('processTarget'),
      value: t('canPractice'),
      good: process?.reachable === 'yes',
      verdict: process?.reachable === 'yes' ? t('ready') : t('notFound')
    },
    {
      name: t('docker'),
      value: hasDocker ? (docker.version ?? t('there')) : t('notFound'),
      good: hasDocker,
      verdict: hasDocker ? t('found') : t('notNeeded')
    },
    {
      name: t('gpu'),
      value: gpus.length === 0 ? t('none') : gpus.map((gpu) => gpu.name).join(', '),
      good: gpus.length > 0,
      verdict: gpus.length > 0 ? t('there') : t('notNeeded')
    },
    ...(free === null
      ? []
      : [
          {
            name: t('disk'),
            value: t('freeSpace', { size: formatBytes(free) }),
            good: free >= ENOUGH,
            verdict: free >= ENOUGH ? t('enough') : t('little')
          }
        ])
  ]
}
