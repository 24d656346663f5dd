import type { RollbackPlan } from '@contract/releases'
import { useQuery } from '@tanstack/react-query'
import { Check, Hourglass, RotateCcw, TriangleAlert, Undo2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { settingsQuery } from '../../api/queries'
import { formatDuration, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state/clock'
import { Button, Checkbox, Dialog, Field, Icon, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { actPlanQuery } from './chain-feed'
import { nameOf } from './release-model'
import { startRollback, useRollbackAct } from './rollback-act'
import type { ReleaseActKind } from './rollback-act'

export type RollbackDialogProps = {
  readonly act: ReleaseActKind
  readonly run: string
  readonly scenario: string | null
  readonly step: number
  /** Served now; what undo would go back to. */
  readonly before: number | null
  /** Reason written in beforehand, e.g. by undo. */
  readonly why?: string
  readonly onClose: () => void
}

/**
 * Says what going back means before it is done, in this order: what changes, what is lost for good, what is kept,
 * what it waits for, why, how to undo. Cancel has the focus; Ctrl+Enter confirms.
 */
export function RollbackDialog(props: RollbackDialogProps) {
  const { t } = useTranslation('releases')
  const text = useText()
  const [withOptimizer, setWithOptimizer] = useState(false)
  const plan = useQuery(actPlanQuery(props.run, props.scenario, { ...props, withOptimizer }))
  const experiment = useQuery(settingsQuery).data?.redeployWithOptimizer === true
  const act = useRollbackAct(props.run)
  const [why, setWhy] = useState(props.why ?? '')
  const [ordered, setOrdered] = useState(false)
  const cancel = useRef<HTMLButtonElement>(null)
  const way = plan.data?.way ?? 'refused'
  const working = ordered && act?.kind === 'running'
  const busy = !ordered && act?.kind === 'running'
  const possible = way !== 'refused' && !working && !busy && !plan.isFetching
  const confirm = (): void => {
    if (!possible || plan.data === undefined) return
    setOrdered(true)
    const { run, scenario, step, before } = props
    const { expect } = plan.data
    const order = { act: props.act, run, scenario, step, before, way, why: why.trim(), expect }
    void startRollback({ ...order, withOptimizer }).then(props.onClose)
  }
  return (
    <Dialog
      open
      width={640}
      onClose={props.onClose}
      focus={cancel}
      onConfirm={possible ? confirm : undefined}
      title={plan.data === undefined ? nameOf(props.step) : text(plan.data.title)}
      description={plan.data === undefined ? t('dialog.loading') : text(plan.data.reason)}
      data-testid="rollback-dialog"
      footer={
        <>
          {plan.data === undefined || way === 'refused' ? null : (
            <span className="t2 mr-auto flex min-w-0 items-center gap-1 text-xs" data-part="undo">
              <Icon of={Undo2} size="medium" />
              <span>
                {t('dialog.undo')}: {text(plan.data.undo)}
              </span>
            </span>
          )}
          <Button ref={cancel} keys="Escape" onClick={props.onClose} data-testid="rollback-cancel">
            {working
              ? t('dialog.background')
              : way === 'refused'
                ? t('dialog.close')
                : t('dialog.cancel')}
          </Button>
          {way === 'refused' || working ? null : (
            <Button
              variant="danger"
              icon={RotateCcw}
              keys="Mod+Enter"
              disabled={!possible}
              onClick={confirm}
              data-testid="rollback-confirm"
            >
              {confirmWord(props, way, t)}
            </Button>
          )}
        </>
      }
    >
      {plan.isPending ? <PlanSkeleton /> : null}
      {plan.isError ? <FailureNote thrown={plan.error} retry={() => void plan.refetch()} /> : null}
      {plan.data === undefined || working ? null : <Stale plan={plan.data} />}
      {plan.data === undefined ? null : working ? (
        <Working plan={plan.data} step={props.step} since={act.since} />
      ) : (
        <PlanParts plan={plan.data} why={why} onWhy={setWhy} />
      )}
      {experiment &&
      !working &&
      props.act === 'rollback' &&
      (way === 'redeploy' || withOptimizer) ? (
        <div className="mt-3 flex items-center gap-2" data-part="optimizer">
          <Checkbox
            checked={withOptimizer}
            onChange={setWithOptimizer}
            label={t('dialog.withOptimizer')}
            data-testid="rollback-optimizer"
          />
          {t('dialog.withOptimizer')}
        </div>
      ) : null}
    </Dialog>
  )
}

function confirmWord(
  { act, step }: Pick<RollbackDialogProps, 'act' | 'step'>,
  way: 'api' | 'redeploy' | 'reopen',
  t: ReturnType<typeof useTranslation<'releases'>>['t']
): string {
  const name = nameOf(step)
  if (act === 'undo') return t('dialog.confirmUndo')
  if (act === 'promote') return t('dialog.confirmPromote', { name })
  return way === 'api' ? t('dialog.confirmApi', { name }) : t('dialog.confirmRedeploy', { name })
}

function PlanSkeleton() {
  return (
    <div className="flex flex-col gap-2" aria-hidden>
      <Skeleton className="h-6" />
      <Skeleton className="h-6" />
      <Skeleton className="h-6" />
      <Skeleton className="h-16" />
    </div>
  )
}

/** What the plan rests on was read a while ago. */
function Stale({ plan }: { plan: RollbackPlan }) {
  const text = useText()
  if (plan.stale === undefined) return null
  return (
    <div className="callout c-warn mt-3 flex items-start gap-2" data-testid="plan-stale">
      <Icon of={TriangleAlert} size="medium" className="mt-px" />
      <span>{text(plan.stale)}</span>
    </div>
  )
}

function PlanParts(props: { plan: RollbackPlan; why: string; onWhy: (why: string) => void }) {
  const { t } = useTranslation('releases')
  const text = useText()
  const { plan } = props
  if (plan.way === 'refused') return null
  return (
    <>
      {plan.changes.length === 0 ? null : (
        <table className="rollback-changes" data-part="changes">
          <thead>
            <tr>
              <th>{t('dialog.changes')}</th>
              <th>{t('dialog.now')}</th>
              <th>{t('dialog.after')}</th>
            </tr>
          </thead>
          <tbody>
            {plan.changes.map((change) => (
              <tr key={change.what.en}>
                <td className="t2">{text(change.what)}</td>
                <td>{text(change.now)}</td>
                <td className="font-medium">{text(change.after)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      )}
      <div className="mt-3 grid grid-cols-2 gap-6">
        <div data-part="lost">
          <div className="c-warn flex h-6 items-center gap-2 font-semibold">
            <Icon of={TriangleAlert} size="medium" />
            {t('dialog.lost')}
          </div>
          {plan.lost.length === 0 ? t('dialog.nothingLost') : null}
          {plan.lost.map((lost) => (
            <p key={lost.en}>{text(lost)}</p>
          ))}
        </div>
        <div data-part="kept">
          <div className="c-ready flex h-6 items-center gap-2 font-semibold">
            <Icon of={Check} size="medium" />
            {t('dialog.kept')}
          </div>
          {plan.kept.map((kept) => (
            <p key={kept.en}>{text(kept)}</p>
          ))}
        </div>
      </div>
      <div
        className="callout mt-3 flex items-start gap-2"
        style={{ borderLeftColor: 'var(--running)' }}
        data-part="waits"
      >
        <Icon of={Hourglass} size="medium" className="c-running mt-px" />
        <span>{plan.waitsFor === null ? t('dialog.noWait') : text(plan.waitsFor)}</span>
      </div>
      <div className="mt-3 flex items-center gap-2" data-part="why">
        <span className="t2 w-20">{t('dialog.why')}</span>
        <Field
          className="flex-1"
          value={props.why}
          onChange={props.onWhy}
          label={t('dialog.why')}
          placeholder={t('dialog.whyHint')}
          data-testid="rollback-why"
        />
      </div>
      {plan.planDiff.length === 0 ? null : <PlanDiff lines={plan.planDiff} />}
    </>
  )
}

function PlanDiff(props: { lines: RollbackPlan['planDiff'] }) {
  const { t } = useTranslation('releases')
  return (
    <details className="mt-3">
      <summary className="t2">{t('dialog.planDiff', { count: props.lines.length })}</summary>
      <div className="code mt-2 max-h-40 overflow-auto">
        {props.lines.map((line) => (
          <div key={line.path}>
            <div>{line.path}:</div>
            <div className="t2">{`− ${line.now}`}</div>
            <div>{`+ ${line.after}`}</div>
          </div>
        ))}
      </div>
    </details>
  )
}

function Working(props: { plan: RollbackPlan; step: number; since: number }) {
  const { t } = useTranslation('releases')
  const now = useNow()
  const language = useLanguage()
  const name = nameOf(props.step)
  return (
    <div className="callout flex items-start gap-2" role="status" data-testid="rollback-working">
      <span className="pulse c-running mt-px">
        <Icon of={Hourglass} size="medium" />
      </span>
      <div>
        <div className="font-medium">{t('dialog.working', { name })}</div>
        <div className="t2">
          {props.plan.way === 'api'
            ? t('dialog.workingApi', { name })
            : props.plan.way === 'reopen'
              ? t('dialog.workingReopen')
              : t('dialog.workingRedeploy', { name })}
        </div>
        <div className="t2 num mt-1">
          {t('dialog.elapsed', { time: formatDuration(now - props.since, language) })}
        </div>
      </div>
    </div>
  )
}
