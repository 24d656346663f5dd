import { skipToken, useQuery } from '@tanstack/react-query'
import {
  Activity,
  Bell,
  HardDrive,
  Hourglass,
  ListX,
  Sigma,
  Terminal,
  TrendingDown,
  TriangleAlert,
  X,
  type LucideIcon
} from 'lucide-react'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { Alert } from '@contract/alerts'
import { engine } from '../../api/client'
import { follow, hold } from '../../api/follow'
import { queryClient } from '../../api/query-client'
import { formatCount, formatWhen, useLanguage, useText } from '../../i18n'
import { focusCurves, go, showQueue, useNow } from '../../state'
import { Icon, Menu, type MenuEntry } from '../../ui'

const key = ['alerts'] as const
/** Most alerts the list shows. */
const SHOWN = 12

const icons: Record<Alert['kind'], LucideIcon> = {
  crash: X,
  'unsure-end': TriangleAlert,
  companion: Terminal,
  queue: ListX,
  quiet: Hourglass,
  disk: HardDrive,
  'not-finite': Sigma,
  'reward-collapse': TrendingDown,
  unhealthy: Activity
}

interface Alerts {
  alerts: readonly Alert[]
  unseen: number
}

function useAlerts(): Alerts {
  useEffect(
    () =>
      hold('alerts', () =>
        follow({
          open: (signal) => engine.alerts.watch(undefined, { signal }),
          onValue: (now) => queryClient.setQueryData(key, now)
        })
      ),
    []
  )
  return useQuery<Alerts>({ queryKey: key, queryFn: skipToken }).data ?? { alerts: [], unseen: 0 }
}

/** Opens the run an alert is about, its curves at the step where it has one, or the queue. */
function show({ run, step }: Alert): void {
  if (run === null) {
    showQueue()
    return
  }
  if (step !== null) focusCurves(run, step)
  go({ page: 'run', id: run, tab: step === null ? 'stack' : 'curves' })
}

/** What a person should have heard of, newest first, and how many of it nobody has looked at. */
export function AlertBell() {
  const { t } = useTranslation('alerts')
  const text = useText()
  const language = useLanguage()
  const now = useNow()
  const { alerts, unseen } = useAlerts()
  const entries = alerts.slice(0, SHOWN).map((alert): MenuEntry => ({
    kind: 'item',
    id: `alert-${alert.kind}`,
    label: `${alert.runName}: ${text(alert.text)}`,
    icon: icons[alert.kind],
    note: formatWhen(alert.at, now, language),
    run: () => show(alert)
  }))
  return (
    <Menu
      width={560}
      align="end"
      onOpen={() => {
        if (unseen > 0) void engine.alerts.see()
      }}
      trigger={
        <button
          type="button"
          className={unseen > 0 ? 'c-warn' : ''}
          aria-label={
            unseen > 0 ? t('bellUnseen', { count: unseen, n: formatCount(unseen) }) : t('bell')
          }
          data-testid="alerts"
          data-unseen={unseen}
        >
          <Icon of={Bell} />
          {unseen > 0 ? formatCount(unseen) : null}
        </button>
      }
      entries={[
        { kind: 'head', id: 'head', label: alerts.length === 0 ? t('none') : t('hint') },
        ...entries
      ]}
    />
  )
}
