import { describe, expect, it } from 'vitest'
import type { PreflightReport } from '../../../../src-main/contract/preflight'
import { systemClock, type Clock } from '../../../../src-main/engine/lib'
import { pass, type CheckSpec } from '../../../../src-main/engine/preflight/check-spec'
import { launchVerdict, runChecks, worst } from '../../../../src-main/engine/preflight/run-checks'

const text = (words: string) => ({ en: words, zh: words })

function spec(id: string, run: CheckSpec<null>['run']): CheckSpec<null> {
  return { id, group: 'disk', title: text(id), deadline: 1000, run }
}

/** Time that passes only when told: the deadlines fire when `fire` is called. */
function handClock(): Clock & { fire(): void } {
  const waiting = new Set<() => void>()
  return {
    now: () => 0,
    ticks: () => 0,
    after(_ms, run) {
      waiting.add(run)
      return () => waiting.delete(run)
    },
    fire() {
      for (const run of [...waiting]) run()
    }
  }
}

async function all(reports: AsyncIterable<PreflightReport>): Promise<PreflightReport[]> {
  const collected: PreflightReport[] = []
  for await (const report of reports) collected.push(report)
  return collected
}

describe('runChecks', () => {
  it('reports each check as it is done and the worst verdict at the end', async () => {
    const specs = [
      spec('fine', () => Promise.resolve(pass(text('ok')))),
      spec('bad', () => Promise.resolve({ verdict: 'fail', evidence: text('no') }))
    ]
    const reports = await all(runChecks(specs, null, systemClock, new AbortController().signal))
    expect(reports.map((report) => report.running.length)).toEqual([2, 1, 0])
    expect(reports.at(-1)?.verdict).toBe('fail')
    expect(reports.at(-1)?.checks[0]?.id).toBe('bad')
  })

  it('turns a check that throws into unknown, with what it said', async () => {
    const specs = [spec('broken', () => Promise.reject(new Error('disk on fire')))]
    const last = (await all(runChecks(specs, null, systemClock, new AbortController().signal))).at(
      -1
    )
    expect(last?.checks[0]).toMatchObject({ verdict: 'unknown' })
    expect(last?.checks[0]?.evidence.en).toContain('disk on fire')
  })

  it('turns a check that hangs into unknown at its deadline and aborts it', async () => {
    const clock = handClock()
    let aborted = false
    const hanging = spec('hangs', (_context, signal) => {
      signal.addEventListener('abort', () => (aborted = true))
      return new Promise(() => undefined)
    })
    const reports = all(runChecks([hanging], null, clock, new AbortController().signal))
    clock.fire()
    const last = (await reports).at(-1)
    expect(last?.checks[0]?.verdict).toBe('unknown')
    expect(aborted).toBe(true)
  })
})

describe('launchVerdict', () => {
  const check = {
    id: 'shm',
    group: 'shm' as const,
    title: text('shm'),
    verdict: 'fail' as const,
    evidence: text('8 GiB'),
    took: 1
  }
  it('lets a judgement be overridden by a typed reason only', () => {
    expect(launchVerdict([{ ...check, judgement: true }], undefined).kind).toBe('blocked')
    expect(launchVerdict([{ ...check, judgement: true }], '  ').kind).toBe('blocked')
    expect(launchVerdict([{ ...check, judgement: true }], 'known').kind).toBe('go')
    expect(launchVerdict([{ ...check, judgement: false }], 'known').kind).toBe('blocked')
  })
  it('orders verdicts', () => {
    expect(worst(['pass', 'unknown', 'skip'])).toBe('unknown')
    expect(worst([])).toBe('skip')
  })
})
