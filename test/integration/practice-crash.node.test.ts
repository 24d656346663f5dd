import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { expectGuarantees } from '../support/practice-guarantees'
import { PracticeStack } from '../support/practice-stack'

let stack: PracticeStack | null = null
afterEach(async () => {
  await stack?.dispose()
  stack = null
})

interface Status {
  training_job: unknown
  scenarios: Record<string, { batch_ready: boolean }>
}

const BATCH = 4
const SMALL = {
  flags: [
    ...['--recipe.config.batch-size', String(BATCH), '--training.options.traffic', 'off'],
    // A backlog after a kill is trained on however old: the test counts every report.
    ...['--recipe.config.max-staleness', '1000']
  ]
}

/** Plays an agent until the stack dies or enough is done; answers the acknowledged report ids. */
async function playUntilDeath(running: PracticeStack, rollouts: number): Promise<string[]> {
  const acknowledged: string[] = []
  for (let index = 0; index < rollouts; index += 1) {
    try {
      const answer = await running.ask(`What is (${index} + 3) mod 10? Answer with one digit.`)
      const receipt = answer.headers.get('x-reef-agent-record-id')
      const id = `mine-${randomUUID()}`
      const reply = await running.call(
        '/reef/report',
        { agent_record_id: id, score: index % 2, references: [receipt] },
        { 'x-reef-scenario': 'practice' }
      )
      if (reply.status === 200) acknowledged.push(id)
    } catch {
      // The stack died under the request: nothing was acknowledged.
      return acknowledged
    }
  }
  return acknowledged
}

async function restartAndSettle(running: PracticeStack, acknowledged: string[]): Promise<void> {
  running.start()
  await running.ready()
  const before = running.commits().length
  acknowledged.push(...(await playUntilDeath(running, 2 * BATCH)))
  await running.step(before + 1)
  await running.until(async () => {
    const status = await running.json<Status>('/reef/status')
    const idle = status.training_job === null && status.scenarios['practice']?.batch_ready === false
    return idle ? true : null
  })
  expect(await running.stop()).toBe(0)
  const consumed = running.commits().flatMap((commit) => {
    const progress = commit['record_progress'] as { consumed_ids: string[] }
    return progress.consumed_ids
  })
  const open = acknowledged.filter((id) => !consumed.includes(id))
  expect(open.length).toBeLessThan(BATCH)
  expectGuarantees(running, acknowledged)
}

const POINTS = [
  'before-job:2',
  'running:2',
  'mid-checkpoint:2',
  'before-tracker',
  'checkpoint:2',
  'ready-to-commit',
  'mid-commit-line:2',
  'after-commit:2',
  'mid-record:7'
]

describe('a crash at a named point', () => {
  it.each(POINTS)('%s: the stack comes down whole and recovers', async (point) => {
    stack = await PracticeStack.create({}, SMALL)
    stack.start({ PRACTICE_CRASH_AT: point })
    await stack.ready()
    const acknowledged = await playUntilDeath(stack, 5 * BATCH)
    expect(await stack.exit).toBe(1)
    await stack.gone()
    expect(stack.errors()).toMatch(/\[reef\] (slime-driver|reef): exited; bringing down the stack/)
    await restartAndSettle(stack, acknowledged)
  })
})

describe('kill -9', () => {
  it('of the launcher leaves no process and loses no acknowledged report', async () => {
    stack = await PracticeStack.create({}, SMALL)
    const acknowledged: string[] = []
    for (let round = 0; round < 3; round += 1) {
      stack.start()
      await stack.ready()
      acknowledged.push(...(await playUntilDeath(stack, 3 + 5 * round)))
      await stack.kill()
    }
    await restartAndSettle(stack, acknowledged)
  })

  it('of the launcher during start-up leaves no process', async () => {
    stack = await PracticeStack.create({ speed: 'max' })
    stack.start()
    await stack.until(() => {
      const pid = join(stack?.runDir ?? '', 'slime-driver', 'slime-driver.pid')
      return Promise.resolve(existsSync(pid) ? true : null)
    })
    await stack.kill()
  })

  it('of a service that was ready, while the next one comes up, ends the start', async () => {
    stack = await PracticeStack.create({ speed: 'max' })
    stack.start()
    const pidFile = join(stack.runDir, 'reef', 'reef.pid')
    await stack.until(() => Promise.resolve(existsSync(pidFile) ? true : null))
    const driver = readFileSync(join(stack.runDir, 'slime-driver', 'slime-driver.pid'), 'utf8')
    process.kill(Number(driver), 'SIGKILL')
    expect(await stack.exit).toBe(1)
    // Whether the rest was up already is a matter of milliseconds; that it ends is not.
    expect(stack.errors()).toMatch(/'slime-driver' exited during startup|slime-driver: exited;/)
    await stack.gone()
  })
})

describe('recovery: refuse', () => {
  it('stops with the words of the real start on a RUNNING marker', async () => {
    stack = await PracticeStack.create({ recovery: 'refuse' }, SMALL)
    stack.start({ PRACTICE_CRASH_AT: 'running' })
    await stack.ready()
    await playUntilDeath(stack, 2 * BATCH)
    expect(await stack.exit).toBe(1)
    stack.start()
    expect(await stack.exit).toBe(1)
    expect(stack.log('slime-driver')).toMatch(
      /ambiguous training job \w+: .* is RUNNING for rollout 0;/
    )
    expect(stack.errors()).toContain("service 'slime-driver' exited before ready")
  })
})

describe('the journal', () => {
  it('counts every line and byte of the logs, across kills', async () => {
    stack = await PracticeStack.create({ speed: 'max' })
    stack.start()
    await stack.step(3)
    await stack.kill()
    stack.start()
    await stack.step(6)
    expect(await stack.stop()).toBe(0)
    const entries = stack.lines(join(stack.runDir, 'practice-journal.jsonl'))
    for (const service of ['slime-driver', 'reef', 'traffic']) {
      const last = entries
        .filter((entry) => entry['service'] === service && 'bytes' in entry)
        .at(-1)
      const text = readFileSync(join(stack.runDir, service, `${service}.log`))
      expect([service, last?.['bytes']]).toEqual([service, text.length])
      expect(last?.['lines']).toBe(text.filter((byte) => byte === 10).length)
    }
    const committed = entries.filter((entry) => entry['kind'] === 'commit')
    const named = new Set(committed.map((entry) => entry['release_id']))
    const log = stack
      .commits()
      .map((commit) => (commit['artifact_ref'] as { release_id: string }).release_id)
    // A kill between commit and journal may leave one release for the commit log alone to tell of.
    expect(log.filter((id) => !named.has(id)).length).toBeLessThanOrEqual(1)
  })
})
