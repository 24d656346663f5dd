import { setMaxListeners } from 'node:events'
import type { Check, PreflightReport, Verdict } from '../../contract/preflight'
import { FailureError, messageOf, type Clock } from '../lib'
import { unknown, type CheckSpec, type Outcome } from './check-spec'

const weight: Readonly<Record<Verdict, number>> = { skip: 0, pass: 1, unknown: 2, warn: 3, fail: 4 }

/** The heaviest verdict: fail over warn over unknown over pass over skip. */
export function worst(verdicts: readonly Verdict[]): Verdict {
  return verdicts.reduce<Verdict>((a, b) => (weight[b] > weight[a] ? b : a), 'skip')
}

/** Whether a launch may go on. A fail the stack itself refuses blocks always, a judgement only without a typed reason. */
export function launchVerdict(
  checks: readonly Check[],
  because: string | undefined
): { kind: 'go' } | { kind: 'blocked'; by: readonly Check[] } {
  const typed = because !== undefined && because.trim() !== ''
  const by = checks.filter((check) => check.verdict === 'fail' && !(check.judgement && typed))
  return by.length === 0 ? { kind: 'go' } : { kind: 'blocked', by }
}

function thrownOutcome(thrown: unknown): Outcome {
  if (thrown instanceof FailureError) {
    const { what, remedy, detail } = thrown.failure
    const said = detail === undefined ? '' : ` (${detail})`
    return unknown({ en: what.en + said, zh: what.zh + said }, remedy)
  }
  const said = messageOf(thrown)
  return unknown({ en: `The check itself failed: ${said}`, zh: `检查自身出错：${said}` })
}

async function runOne<Context>(
  spec: CheckSpec<Context>,
  context: Context,
  clock: Clock,
  signal: AbortSignal
): Promise<Check> {
  const began = clock.ticks()
  const own = new AbortController()
  const abort = (): void => {
    own.abort()
  }
  signal.addEventListener('abort', abort, { once: true })
  let cancel = (): void => undefined
  const late = new Promise<Outcome>((resolve) => {
    cancel = clock.after(spec.deadline, () => {
      own.abort()
      const seconds = spec.deadline / 1000
      resolve(
        unknown({ en: `No answer within ${seconds} s.`, zh: `${seconds} 秒内没有得到回答。` })
      )
    })
  })
  try {
    const { judgement = false, ...outcome } = await Promise.race([
      spec.run(context, own.signal).catch(thrownOutcome),
      late
    ])
    const took = clock.ticks() - began
    return { id: spec.id, group: spec.group, title: spec.title, judgement, took, ...outcome }
  } finally {
    cancel()
    signal.removeEventListener('abort', abort)
  }
}

/**
 * Runs all checks side by side and yields the report whenever one more is done, the complete one last.
 * A slow check becomes `unknown` at its own deadline and never holds up the others.
 */
export async function* runChecks<Context>(
  specs: readonly CheckSpec<Context>[],
  context: Context,
  clock: Clock,
  signal: AbortSignal
): AsyncGenerator<PreflightReport, void, void> {
  const began = clock.ticks()
  // Each check listens until it is done; Node takes more than ten listeners for a leak.
  setMaxListeners(0, signal)
  const done: Check[] = []
  const pending = new Map(
    specs.map((spec) => [spec.id, runOne(spec, context, clock, signal)] as const)
  )
  // Within a verdict they stand as they were asked, not as they happened to answer.
  const place = new Map(specs.map((spec, index) => [spec.id, index]))
  const order = (a: Check, b: Check): number =>
    weight[b.verdict] - weight[a.verdict] || (place.get(a.id) ?? 0) - (place.get(b.id) ?? 0)
  const report = (): PreflightReport => ({
    checks: [...done].sort(order),
    running: [...pending.keys()],
    verdict: worst(done.map((check) => check.verdict)),
    took: clock.ticks() - began
  })
  yield report()
  while (pending.size > 0 && !signal.aborted) {
    const check = await Promise.race(pending.values())
    pending.delete(check.id)
    done.push(check)
    yield report()
  }
}
