import type { Failure } from '../../contract/failure'
import type { Release, Standing } from '../../contract/releases'
import { serves } from './row-result'

interface RunPlace {
  attempts: readonly { number: number }[]
  next: { reason: NonNullable<Standing['next']> } | null
}

/** True for a rollback or promotion the stack itself committed; a redeploy's first row only looks like one. */
export function isWayBack({ operation, commitStep }: Release): boolean {
  return (operation === 'rollback' || operation === 'promote') && commitStep > 0
}

/**
 * How a run stands: what a plan was made from, and what an act compares itself with before it changes anything.
 * @param chain Newest first.
 */
export function standingOf(chain: readonly Release[], { attempts, next }: RunPlace): Standing {
  return {
    attempt: attempts.at(-1)?.number ?? 0,
    next: next?.reason ?? null,
    act: chain.find(isWayBack)?.step ?? null,
    served: chain.find(({ served }) => served)?.step ?? null
  }
}

export type StandingVerdict =
  | { kind: 'same' }
  /** Only training went on, which no plan stops; what it replaced was going to be replaced anyhow. */
  | { kind: 'trained-on' }
  /** Somebody else's rollback or promotion was committed since. */
  | { kind: 'went-back'; step: number }
  /** The run is in another attempt, or about to be. */
  | { kind: 'moved' }

/** Whether an act may still be done as it was planned. */
export function judgeStanding(expected: Standing, now: Standing): StandingVerdict {
  if (expected.attempt !== now.attempt || expected.next !== now.next) return { kind: 'moved' }
  if (now.act !== null && expected.act !== now.act) return { kind: 'went-back', step: now.act }
  return expected.served === now.served ? { kind: 'same' } : { kind: 'trained-on' }
}

/** Why an act is refused; null when it may go on. */
export function overtakenBy(verdict: StandingVerdict): Failure | null {
  switch (verdict.kind) {
    case 'same':
    case 'trained-on':
      return null
    case 'went-back':
      return overtaken(
        `Another act was committed as r${verdict.step} after this one was planned. Nothing was changed.`,
        `在制定本次操作之后，另一个操作已提交为 r${verdict.step}。未做任何更改。`
      )
    case 'moved':
      return overtaken(
        'Another act on this run began after this one was planned. Nothing was changed.',
        '在制定本次操作之后，该运行已开始另一个操作。未做任何更改。'
      )
  }
}

function overtaken(en: string, zh: string): Failure {
  return {
    code: 'act-overtaken',
    what: { en, zh },
    remedy: {
      en: 'Look at what is served now, and ask again if it is still wanted.',
      zh: '请查看在线版本；如仍需要，请再次操作。'
    }
  }
}

/**
 * Rollbacks and promotions in a chain, oldest first, each with the step that was served when it was committed: the newest
 * serving row before it in the same storage.
 * @param chain Newest first.
 */
export function waysBackIn(
  chain: readonly Release[],
  attempts: readonly { number: number; storage: number }[]
): { attempt: number; step: number; from: number | null }[] {
  const storages = new Map(attempts.map(({ number, storage }) => [number, storage]))
  const servedIn = new Map<number, number>()
  const acts: { attempt: number; step: number; from: number | null }[] = []
  for (const release of [...chain].reverse()) {
    const { attempt, step } = release
    const storage = storages.get(attempt) ?? attempt
    if (isWayBack(release)) acts.push({ attempt, step, from: servedIn.get(storage) ?? null })
    if (serves(release.result)) servedIn.set(storage, step)
  }
  return acts
}
