import { Hourglass, Play } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import type { Plan } from '@contract/launch'
import { useCommands } from '../../commands'
import { useText } from '../../i18n'
import { Button, CodeBlock, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { useTargetName } from '../shared/use-target-name'
import { VariablesList } from '../nexrl-launch'
import { FindingCounts } from './findings-panel'
import { PlanFacts, PlanLists } from './plan-facts'
import type { LaunchObstacle } from './launch-draft'
import type { LaunchState } from './use-launch-state'

/** What a launch would do, and the button that does it. */
export function PlanPanel(props: { state: LaunchState }) {
  const { plan, check, judged } = props.state
  const { t } = useTranslation('launch')
  const targetName = useTargetName()
  return (
    <aside className="side right flex flex-col overflow-hidden" data-testid="plan">
      <div className="flex h-11 flex-none items-center gap-2 px-4">
        <span className="text-base font-semibold">{t('plan')}</span>
        <span className="t2 el">{t('planSub')}</span>
        <span className="ml-auto">
          {check.data === undefined ? null : <FindingCounts summary={check.data.summary} />}
        </span>
      </div>
      <div className="min-h-0 flex-1 overflow-auto px-4 pb-3">
        {plan.isError ? (
          <FailureNote thrown={plan.error} retry={() => void plan.refetch()} />
        ) : plan.data === undefined ? (
          <div aria-busy="true" data-testid="plan-pending">
            <p className="t2 mb-2" role="status">
              {t('planning', { target: targetName(judged.place) })}
            </p>
            <Skeleton className="h-64" />
          </div>
        ) : (
          <PlanView plan={plan.data} />
        )}
      </div>
      <LaunchFoot state={props.state} />
    </aside>
  )
}

function PlanView(props: { plan: Plan }) {
  const { plan } = props
  const { t } = useTranslation(['launch', 'common'])
  const text = useText()
  return (
    <>
      {plan.practice ? (
        <div className="callout info mb-3" data-testid="practice-notice">
          <div className="font-medium">{t('launch:practiceTitle')}</div>
          <div className="t2 mt-1">{t('launch:practiceText')}</div>
        </div>
      ) : null}
      {plan.notes.map((note) => (
        <div key={note.en} className="callout warn mb-2">
          {text(note)}
        </div>
      ))}
      <PlanFacts plan={plan} />
      {plan.summary.length === 0 ? null : (
        <>
          <h2>{t('launch:summary')}</h2>
          <ul className="list-disc pl-4">
            {plan.summary.map((line) => (
              <li key={line.en} className="py-0.5">
                {text(line)}
              </li>
            ))}
          </ul>
        </>
      )}
      {plan.nexrl === undefined ? null : <VariablesList plan={plan.nexrl} />}
      <PlanLists plan={plan} />
      <h2>{t('launch:sameByHand')}</h2>
      <CodeBlock
        text={plan.shell}
        copyLabel={t('common:copy')}
        copiedLabel={t('common:copied')}
        data-testid="plan-shell"
      />
      <h2>{t('launch:afterwards')}</h2>
      <div className="t2">{t('launch:afterwardsText')}</div>
    </>
  )
}

function useReason(obstacle: LaunchObstacle | null): string | undefined {
  const { t } = useTranslation('launch')
  const gateReason = (gate: Extract<LaunchObstacle, { kind: 'preflight' }>['gate']): string => {
    switch (gate.kind) {
      case 'running':
        return t('offPreflight')
      case 'blocked':
        return t('offBlocked', { count: gate.count, n: gate.count })
      case 'ask-why':
        return t('offWhy')
    }
  }
  switch (obstacle?.kind) {
    case undefined:
      return undefined
    case 'no-recipe':
      return t('offNoRecipe')
    case 'launching':
      return t('offLaunching')
    case 'loose-override':
      return t('offOverride')
    case 'unfinished-companion':
      return t(`offCompanion.${obstacle.lacks}`)
    case 'wrong-size':
      return t('offSize')
    case 'target-down':
      return t('offTarget')
    case 'checking':
      return t('offChecking')
    case 'errors':
      return t('offErrors', { count: obstacle.count, n: obstacle.count })
    case 'no-plan':
      return t('offPlan')
    case 'plan-failed':
      return t('offPlanFailed')
    case 'preflight':
      return gateReason(obstacle.gate)
  }
}

function LaunchFoot(props: { state: LaunchState }) {
  const { launch, obstacle, start, enqueue, mayWait, waitFor } = props.state
  const { t } = useTranslation(['launch', 'queue'])
  const reason = useReason(obstacle)
  const commands = useMemo(
    () => [
      {
        id: 'launch',
        title: t('launch'),
        group: 'run' as const,
        keys: ['Mod+Enter'],
        off: reason,
        run: start
      }
    ],
    [t, reason, start]
  )
  useCommands(commands)
  return (
    <div className="flex-none border-t border-line-1 px-4 pt-3 pb-4">
      {launch.isError ? <FailureNote className="mb-3" thrown={launch.error} /> : null}
      <Button
        className="w-full"
        variant="primary"
        size="large"
        icon={Play}
        keys="Mod+Enter"
        off={reason}
        onClick={start}
        data-testid="launch"
      >
        {launch.isPending ? t('launching') : t('launch')}
      </Button>
      <Button
        className="mt-2 w-full"
        icon={Hourglass}
        title={t('queue:addHint')}
        off={enqueue.isPending ? t('queue:adding') : mayWait ? undefined : reason}
        aria-busy={enqueue.isPending}
        onClick={waitFor}
        data-testid="launch-when-free"
      >
        {enqueue.isPending ? t('queue:adding') : t('queue:add')}
      </Button>
      {enqueue.isError ? <FailureNote className="mt-3" thrown={enqueue.error} /> : null}
      <div className="t2 mt-2 min-h-4" data-testid="launch-reason">
        {reason ?? ''}
      </div>
    </div>
  )
}
