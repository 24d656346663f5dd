import type { NexrlPipeline, NexrlPlan } from '../../contract/nexrl'
import type { Text } from '../../contract/text'
import type { DriverReading } from './driver-log'
import type { DriverJudgement } from './judge'

/** The live picture of a driver. `kept`: paths of weights whose expiry was removed. Pure. */
export function pipelineOf(
  plan: NexrlPlan,
  reading: DriverReading,
  { verdict, said }: DriverJudgement,
  kept: ReadonlySet<string>
): NexrlPipeline {
  const steps = reading.lastStep === null ? 0 : reading.lastStep + 1
  return {
    plan,
    verdict,
    said: verdict === 'running' ? runningText(plan, reading, steps) : said,
    loader: {
      done: reading.batch?.done ?? null,
      of: reading.batch?.of ?? batchOf(plan),
      exhausted: reading.exhausted
    },
    workers: { active: reading.workersActive, of: plan.workers },
    rewards: {
      mean: reading.rewardMean,
      groups: reading.groups,
      equalGroups: reading.equalGroups
    },
    pool: { finished: reading.trajectoriesFinished },
    trainer: { steps, of: plan.totalSteps, skipped: reading.skipped, lastAt: reading.stepAt },
    sync: {
      mode: plan.syncMode,
      version: reading.version,
      lag: Math.max(0, steps - (reading.version ?? 0)),
      lastAt: reading.syncedAt,
      failures: reading.syncFailures
    },
    exported: reading.exported.map((one) =>
      kept.has(one.path) ? { ...one, expiresAt: null } : one
    ),
    exportedCount: reading.exportedCount,
    model: reading.model,
    heartbeatAt: reading.heartbeatAt,
    errors: reading.errors
  }
}

/** What happens now, in the pipeline's words. */
function runningText(plan: NexrlPlan, { batch, version }: DriverReading, steps: number): Text {
  const of = plan.totalSteps === null ? '' : ` of ${plan.totalSteps}`
  const ofZh = plan.totalSteps === null ? '' : `/${plan.totalSteps}`
  const done = batch === null ? '' : `; the batch has ${batch.done} of ${batch.of} trajectories`
  const doneZh = batch === null ? '' : `；本批次已有 ${batch.done}/${batch.of} 条轨迹`
  const weights =
    version === null
      ? '; the rollouts use the first weights'
      : `; the rollouts use weights v${version}`
  const weightsZh = version === null ? '；rollout 使用最初的权重' : `；rollout 使用权重 v${version}`
  return {
    en: `${steps}${of} steps trained${done}${weights}.`,
    zh: `已训练 ${steps}${ofZh} 步${doneZh}${weightsZh}。`
  }
}

function batchOf({ prompts, repeats }: NexrlPlan): number | null {
  return prompts === null || repeats === null ? null : prompts * repeats
}
