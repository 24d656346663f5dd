import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Release } from '../../src-main/contract/releases'
import type { RunDetail, RunSummary } from '../../src-main/contract/run'
import { openMetricStore } from '../../src-main/engine/metrics'
import type { RunService } from '../../src-main/engine/stacks'
import { answerOf, slipway, Staying, type Outcome } from '../support/built-cli'
import { bundleHost, type Host, killHost, startHost } from '../support/kill-engine'
import { endStacksBelow } from '../support/kill-stack'
import { committed, compareWithPractice } from '../support/practice-record'
import { makeYard, openService, practiceYard, until, type Yard } from '../support/run-service'

interface Launched {
  run: { id: string; folder: string }
  state: string
}

let tools: Yard
let bundle: string
let yard: Yard
let reader: RunService
let window: Host | null = null
let staying: Staying | null = null

beforeAll(async () => {
  tools = await makeYard()
  bundle = await bundleHost(tools.root)
})

afterAll(() => tools.remove())

beforeEach(async () => {
  yard = await practiceYard()
  reader = await openService(yard)
})

afterEach(async () => {
  if (window !== null) await killHost(window)
  await staying?.kill()
  window = staying = null
  await reader.dispose()
  await endStacksBelow(yard.root)
  await yard.remove()
})

const cli = (...words: string[]): Promise<Outcome> => slipway(yard.home, ...words)

async function releasesOf(run: string): Promise<Release[]> {
  const outcome = await cli('releases', run)
  expect(outcome.code).toBe(0)
  return answerOf<{ releases: Release[] }>(outcome).releases
}

/** Ids of the rollbacks that were acknowledged; the others must say why not. */
function acknowledged(outcomes: readonly Outcome[]): string[] {
  return outcomes.flatMap((outcome) => {
    if (outcome.code === 0) return answerOf<{ releaseId: string }>(outcome).releaseId
    expect(outcome).toMatchObject({ code: 1, out: '', err: expect.stringMatching(/\S/) as string })
    return []
  })
}

/** One of two is done; the other is, too, when it was planned after, else it says that it was overtaken. */
function expectOvertaken(outcomes: readonly Outcome[]): void {
  const refused = outcomes.filter(({ code }) => code !== 0)
  expect(refused.length).toBeLessThan(outcomes.length)
  for (const { err } of refused) expect(err).toContain('after this one was planned')
}

/** What the log of a long training leaves in the metrics of a run: lines that are events, read as they came. */
async function hoursOfEvents(folder: string): Promise<void> {
  const metrics = await openMetricStore(join(folder, 'metrics'))
  const told = {
    at: 1,
    kind: 'sample',
    severity: 'info',
    data: {},
    line: 'x'.repeat(2000)
  } as const
  for (let offset = 0; offset < 3000; offset += 1) {
    const place = { source: '1/hours', attempt: 1, from: offset, to: offset + 1 }
    await metrics.append({ ...place, rows: [], events: [{ ...told, offset }] })
  }
  await metrics.close()
}

async function expectNothingDouble(run: string, rollbacks: readonly string[]): Promise<void> {
  const releases = await releasesOf(run)
  const steps = releases.map((release) => release.step)
  expect(steps, 'newest first, each once').toEqual(steps.map((_, i) => steps.length - 1 - i))
  const back = releases.filter((release) => release.operation === 'rollback')
  expect(back.map((release) => release.releaseId).sort()).toEqual([...rollbacks].sort())
  const { events } = answerOf<RunDetail>(await cli('show', run))
  const count = (kind: string): number => events.filter((event) => event.kind === kind).length
  expect(count('rollback')).toBe(rollbacks.length)
  expect(count('stop-asked')).toBe(1)
  const compared = await compareWithPractice(yard.home, run, releases)
  expect(compared.faults).toEqual([])
  expect(compared.samples).toBeGreaterThan(20)
}

describe('a window and command lines on one run', () => {
  it('the window does every act once, whoever asks', async () => {
    window = startHost(bundle, yard, false)
    await window.ready
    const outcome = await cli('launch', yard.recipe)
    expect(outcome.code).toBe(0)
    const launched = answerOf<Launched>(outcome)
    expect(launched).toEqual({
      run: { id: expect.any(String) as string, folder: expect.any(String) as string },
      state: 'starting'
    })
    const { id } = launched.run
    expect(launched.run.folder).toBe(join(yard.home, 'runs', id))
    await until(
      reader,
      id,
      ({ summary, writer }) => writer === 'other-process' && summary.step >= 3,
      90_000
    )
    const both = await Promise.all([
      cli('rollback', id, 'r1', '--why', 'first'),
      cli('rollback', id, '2', '--why', 'second'),
      reader.update({ run: id, notes: 'from a third' })
    ])
    const rollbacks = acknowledged([both[0], both[1]])
    expectOvertaken([both[0], both[1]])
    expect((await reader.get(id)).notes).toBe('from a third')
    const { step } = (await reader.get(id)).summary
    await until(reader, id, ({ summary }) => summary.step > step + 2, 60_000)
    const stops = await Promise.all([cli('stop', id), cli('stop', id)])
    expect(stops.map((one) => one.code)).toEqual([0, 0])
    for (const one of stops) {
      expect(answerOf(one)).toMatchObject({ run: id, state: { kind: 'stopped' } })
    }
    await expectNothingDouble(id, rollbacks)
  })

  it('started again by a command after a long training, it is watched as it learns on', async () => {
    window = startHost(bundle, yard, true)
    const run = (await window.ready) ?? ''
    const folder = join(yard.home, 'runs', run)
    await until(reader, run, ({ summary }) => summary.step >= 1, 60_000)
    expect((await cli('stop', run)).code).toBe(0)
    await hoursOfEvents(folder)
    const before = await committed(folder, 0)
    expect((await cli('restart', run)).code).toBe(0)
    expect((await reader.get(run)).writer).toBe('other-process')
    // Its own pace is the measure: a busy machine slows both.
    const steps = await committed(folder, before + 10)
    const seen = await reader.get(run)
    expect(seen.summary).toMatchObject({ attempt: 2, state: { kind: 'training' } })
    const ready = seen.events.filter(
      ({ kind, attempt }) => kind === 'service-ready' && attempt === 2
    )
    expect(ready).toHaveLength(2)
    const shown = await cli('show', run)
    expect(shown).toMatchObject({ code: 0, err: '' })
    const { summary } = answerOf<RunDetail>(shown)
    expect(summary).toMatchObject({ attempt: 2, state: { kind: 'training' } })
    expect(Number(summary.served?.slice(1))).toBeGreaterThan(steps - 10)
    expect((await cli('stop', run)).code).toBe(0)
  })
})

describe('command lines alone', () => {
  it('two at once: forwarded to the one that follows, and after its end the next takes over', async () => {
    staying = new Staying(yard.home, 'launch', yard.recipe, '--follow')
    const { run } = await staying.line<Launched>()
    await staying.line<RunSummary>((summary) => summary.step >= 3)
    const forwarded = await Promise.all([
      cli('rollback', run.id, 'r1'),
      cli('rollback', run.id, 'r2')
    ])
    const rollbacks = acknowledged(forwarded)
    expectOvertaken(forwarded)
    await staying.line<RunSummary>((summary) => summary.step >= 6)
    await staying.kill()
    const alone = await Promise.all([cli('rollback', run.id, 'r3'), cli('rollback', run.id, 'r1')])
    const more = acknowledged(alone)
    expect(more.length).toBeGreaterThan(0)
    const stops = await Promise.all([cli('stop', run.id), cli('stop', run.id)])
    for (const stop of stops) expect(stop.code, stop.err).toBe(0)
    await expectNothingDouble(run.id, [...rollbacks, ...more])
  })

  it('two launches at once are two runs that both learn', async () => {
    window = startHost(bundle, yard, false)
    await window.ready
    const launched = await Promise.all([cli('launch', yard.recipe), cli('launch', yard.recipe)])
    const ids = launched.map((outcome) => answerOf<Launched>(outcome).run.id)
    expect(new Set(ids).size).toBe(2)
    const details = await Promise.all(
      ids.map((id) => until(reader, id, ({ summary }) => summary.step >= 2, 90_000))
    )
    expect(new Set(details.map((detail) => detail.address)).size).toBe(2)
    const stops = await Promise.all(ids.map((id) => cli('stop', id)))
    expect(stops.map((stop) => stop.code)).toEqual([0, 0])
  })
})

describe('exit codes', () => {
  it('2 for input that cannot be read, 1 for what is not there', async () => {
    const broken = join(yard.root, 'broken.yaml')
    await writeFile(broken, 'reef: [unclosed\n')
    const codes = async (...words: string[]): Promise<number | null> => (await cli(...words)).code
    expect(await codes('launch', join(yard.root, 'absent.yaml'))).toBe(2)
    expect(await codes('launch', broken)).toBe(2)
    expect(await codes('show', 'no-such-run')).toBe(1)
    expect(await codes('launch')).toBe(2)
    expect(await codes('runs')).toBe(0)
  })
})
