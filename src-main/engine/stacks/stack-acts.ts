import { userInfo } from 'node:os'
import type { Failure } from '../../contract/failure'
import type { NexrlPlan } from '../../contract/nexrl'
import type { Release } from '../../contract/releases'
import type { Text } from '../../contract/text'
import { fail } from '../lib'
import { isWayBack, judgeStanding, overtakenBy, standingOf, waysBackIn } from '../releases'
import type { Act, AttemptRecord, RunRecord } from '../runs'
import { rollbackText } from './act-sentences'
import type { EventText } from './attempt-journal'
import type { AttemptWatch } from './attempt-watch'
import { UnreachableError } from '../targets'
import { isFinal } from './attempt-state'
import { readMarker } from './marker'
import { checkpointsAndRestart } from './restart-check'
import { duration } from './quiet'
import { awaitingText, troubleText } from './sentences'
import { chainUnread } from './stale-reading'
import type { SupervisorOptions } from './supervisor-options'

/** An act that moves what is served. */
export type Moving = Extract<Act, { kind: 'rollback' | 'redeploy' | 'reopen' }>

/** A kept release to be served through the service's API. */
export type Republish = Extract<Act, { kind: 'rollback' }>

/**
 * Refuses an act when another came between its plan and now; where that one did the very same, it says so.
 * @param chain of the act's scenario, newest first
 */
export function refuseOvertaken(
  act: Moving,
  chain: readonly Release[],
  record: Pick<RunRecord, 'id' | 'attempts' | 'next'>
): void {
  const failure = overtakenBy(judgeStanding(act.expect, standingOf(chain, record)))
  if (failure === null) return
  const what = doneAlready(act, chain, record)
  fail({ ...failure, ...(what === null ? {} : { what }), where: record.id })
}

/** What another act did that this one was to do; null where it did something else. */
function doneAlready(
  act: Moving,
  chain: readonly Release[],
  { attempts, next }: Pick<RunRecord, 'attempts' | 'next'>
): Text | null {
  switch (act.kind) {
    case 'rollback': {
      const { step } = act
      const row = chain.find(isWayBack)
      if (row === undefined || row.rollbackTargetStep !== step) return null
      return {
        en: `This was done already: r${step} is served again, as r${row.step}, by an act that came first. Nothing was changed.`,
        zh: `已经完成：先到的操作已让 r${step} 重新上线，编号为 r${row.step}。未做任何更改。`
      }
    }
    case 'reopen': {
      const { storage } = act
      const last = attempts.at(-1)
      const under = next?.reason === 'undo' && next.storage === storage
      const over = last?.storage === storage && last.number > act.expect.attempt
      if (!under && !over) return null
      return {
        en: `This redeploy is undone already by an act that came first: the folders of attempt ${storage} are started again. Nothing was changed.`,
        zh: `先到的操作已撤销此次重新部署：第 ${storage} 次尝试的目录会再次启动。未做任何更改。`
      }
    }
    case 'redeploy': {
      const { step } = act
      const under = next?.reason === 'redeploy' && next.redeployedFrom === step
      const last = attempts.at(-1)
      const over = last?.redeployedFrom === step && last.number > act.expect.attempt
      if (!under && !over) return null
      return {
        en: `A redeploy from r${step} is under way already, by an act that came first. Nothing was changed.`,
        zh: `先到的操作已开始从 r${step} 重新部署。未做任何更改。`
      }
    }
  }
}

/**
 * Asks a watched stack to end; with force, kills it. What cannot be written down, as on a full disk, must not keep a
 * stack alive: it is asked first, and the journal owes the rest.
 */
export async function askToStop(
  { clock, target, graceSeconds, onTrouble }: SupervisorOptions,
  watch: AttemptWatch,
  force: boolean
): Promise<void> {
  const { journal, handle } = watch
  // Asked once is asked: a launcher takes a second signal for “skip the grace period”, which only force may say.
  const before = journal.attempt.stopAsked
  if (before !== null && (before.force || !force)) return
  const at = clock.now()
  const deadline = at + (force ? 0 : graceSeconds * 1000)
  journal.change({ stopAsked: { at, deadline, force } })
  const told: EventText = {
    kind: 'stop-asked',
    text: force
      ? { en: 'Forced to end.', zh: '已强制结束。' }
      : {
          en: `Asked to end, with ${graceSeconds} s of grace.`,
          zh: `已请求结束，宽限 ${graceSeconds} 秒。`
        },
    data: { who: userInfo().username, force }
  }
  const awaiting = awaitingText(false, watch.costOfStopping)
  journal.owe(told, { kind: 'stop-asked', at, deadline, awaiting })
  try {
    await journal.write()
  } catch (cause) {
    onTrouble(cause)
    journal.see({ trouble: troubleText(cause) })
  }
  try {
    if (force) await target.kill(handle)
    else await target.askToStop(handle)
  } catch (cause) {
    if (!(cause instanceof UnreachableError)) throw cause
    journal.change({ stopAsked: { at, deadline, force, owed: true } })
    watch.wake()
    fail(stopStands(cause.failure), cause)
  }
  watch.wake()
}

/** What is said of a stop that the target did not hear: it is not to be asked for again. Pure. */
export function stopStands({ what, ...failure }: Failure): Failure {
  return {
    ...failure,
    what: {
      en: `${what.en} The stop stands: it is carried out as soon as the target answers again while a Slipway watches this run.`,
      zh: `${what.zh}停止请求仍然有效：一旦目标恢复应答且有 Slipway 在查看该运行，就会执行。`
    }
  }
}

/**
 * Serves a kept release again, if nobody went elsewhere since it was planned; the new head's release id and the event
 * that says so, made from the row that was committed.
 */
export async function republish(
  options: SupervisorOptions,
  watch: AttemptWatch | null,
  request: Republish
): Promise<{ releaseId: string; event: EventText }> {
  if (watch === null || isFinal(watch.journal.state)) return notServing(options.run)
  const { service } = watch
  const { scenario, operation, releaseId, step } = request
  const before = await watch.chainNow(scenario)
  if (before === null) {
    const where = `${service.address}/reef/scenarios/${scenario}/releases`
    return fail(chainUnread(where, await service.status()))
  }
  const record = await options.store.read(options.run)
  refuseOvertaken(request, before, record)
  const answer = await service.republish(scenario, operation, releaseId)
  if (answer.kind !== 'ok') {
    return fail({
      code: 'rollback-refused',
      what: {
        en: `The service did not serve r${step} again.`,
        zh: `服务未能让 r${step} 重新上线。`
      },
      where: `${service.address}/reef/scenarios/${scenario}/${operation}`,
      detail: answer.kind === 'away' ? answer.why : `HTTP ${answer.status}: ${answer.text}`
    })
  }
  const after = await watch.chainNow(scenario)
  const row = after?.find((one) => isWayBack(one) && one.releaseId === answer.value)
  const act = waysBackIn(after ?? [], record.attempts).find((one) => one.step === row?.step)
  // A service that went away right after the act leaves what was read right before it.
  const from = act === undefined ? (before.find(({ served }) => served)?.step ?? null) : act.from
  const served = from === null ? null : `r${from}`
  const event: EventText = {
    kind: operation,
    text: rollbackText(operation, served, step),
    step,
    data: {
      who: userInfo().username,
      why: request.why,
      scenario,
      from: served,
      to: `r${step}`,
      ...(row === undefined ? {} : { as: `r${row.step}` }),
      releaseId: answer.value
    }
  }
  return { releaseId: answer.value, event }
}

function notServing(run: string): never {
  return fail({
    code: 'not-serving',
    what: {
      en: 'The stack does not run, so nothing can be served from it.',
      zh: '运行栈未在运行，无法从中提供服务。'
    },
    where: run,
    remedy: { en: 'Restart the run first.', zh: '请先重新启动该运行。' }
  })
}

type RestartPlace = Pick<SupervisorOptions, 'target' | 'store' | 'run'>

/**
 * Why it is not certain what a restart would go on from, to be said before it is done; null when nothing speaks against it.
 * @throws FailureError `restart-refused`
 */
export async function restartDoubt(place: RestartPlace): Promise<Text | null> {
  const last = (await place.store.read(place.run)).attempts.at(-1)
  if (last === undefined || !isFinal(last.state)) return null
  const told = await allowRestart(place, last)
  return told?.kind === 'restart-doubtful' ? told.text : null
}

/** Refuses a new attempt on storage that must not be started again; what is doubtful comes back to be told. */
export async function allowRestart(
  { target, store, run }: RestartPlace,
  attempt: AttemptRecord
): Promise<EventText | null> {
  if (attempt.plan.nexrl !== undefined) return nexrlAnew(attempt.plan.nexrl)
  // The practice stack mends its own storage; the rule below is the real one's.
  if (attempt.plan.practice || attempt.checkpointDir === null) return null
  const verdict = await readMarker(target.files, attempt.checkpointDir)
  switch (verdict.kind) {
    case 'fine': {
      const { checkpointDir, recordDir } = attempt
      const { seen } = await store.read(run)
      const storage = { checkpointDir, recordDir, scenarios: seen.scenarios }
      const { marker, restart } = await checkpointsAndRestart(target.files, storage)
      // Without a marker nothing was trained: a first start. With one, the stack boots, but from what is not proved.
      if (marker === null || restart.kind === 'offered') return null
      return { kind: 'restart-doubtful', text: restart.why }
    }
    case 'doubtful':
      return { kind: 'restart-doubtful', text: verdict.why }
    case 'refused':
      return fail({
        code: 'restart-refused',
        what: verdict.why,
        where: attempt.checkpointDir,
        remedy: verdict.remedy
      })
  }
}

/**
 * What a new attempt of NexRL begins with: with a remote service always a new model at step 0, whatever the recipe's
 * `resume` says (`nexrl/trainer`, which leaves before it loads a checkpoint).
 */
function nexrlAnew({ service }: NexrlPlan): EventText {
  const own = service === 'own'
  return {
    kind: 'nexrl-begins-anew',
    text: own
      ? {
          en: 'The new attempt begins at step 0, unless the recipe’s resume mode finds a checkpoint of its own.',
          zh: '新的尝试从第 0 步开始，除非配方的 resume 模式找到自己的 checkpoint。'
        }
      : {
          en: 'The new attempt begins at step 0 with a new model: NexRL does not go on from weights in the service, even with resume set.',
          zh: '新的尝试以新模型从第 0 步开始：即使设置了 resume，NexRL 也不会从服务中的权重继续。'
        },
    ...(own ? {} : { data: { severity: 'warning' } })
  }
}

/** Said by an engine that goes on watching a stack which nobody watched. */
export function foundAgain({ seen }: RunRecord, now: number): EventText {
  const away = duration(Math.max(0, now - seen.at))
  return {
    kind: 'adopted',
    text: {
      en: `Found the running stack again; nobody watched for ${away.en}. Reading on from where it stopped.`,
      zh: `重新找到正在运行的运行栈；此前 ${away.zh}内无人查看。将从上次停下的地方继续读取。`
    },
    data: { since: seen.at, step: seen.step, served: seen.served }
  }
}
