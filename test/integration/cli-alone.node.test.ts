import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Release } from '../../src-main/contract/releases'
import type { RunDetail, RunList } from '../../src-main/contract/run'
import { answerOf, slipway, type Outcome } from '../support/built-cli'
import { endStacksBelow, stackProcesses } from '../support/kill-stack'
import { committed, compareWithPractice } from '../support/practice-record'
import { practiceYard, type Yard } from '../support/run-service'

let yard: Yard

beforeEach(async () => {
  yard = await practiceYard()
})

afterEach(async () => {
  await endStacksBelow(yard.root)
  await yard.remove()
})

const cli = (...words: string[]): Promise<Outcome> => slipway(yard.home, ...words)

async function launch(): Promise<{ id: string; folder: string }> {
  const outcome = await cli('launch', yard.recipe)
  expect(outcome.code, outcome.err).toBe(0)
  const answer = answerOf<{ run: { id: string; folder: string }; state: string }>(outcome)
  expect(Object.keys(answer)).toEqual(['run', 'state'])
  expect(answer.state).toBe('starting')
  return answer.run
}

async function show(run: string): Promise<RunDetail> {
  const outcome = await cli('show', run)
  expect(outcome.code, outcome.err).toBe(0)
  return answerOf<RunDetail>(outcome)
}

async function showUntil(run: string, done: (detail: RunDetail) => boolean): Promise<RunDetail> {
  const last = Date.now() + 90_000
  for (;;) {
    const detail = await show(run)
    if (done(detail)) return detail
    if (Date.now() > last) throw new Error(JSON.stringify(detail.summary, null, 1))
  }
}

async function releasesOf(run: string): Promise<Release[]> {
  const outcome = await cli('releases', run)
  expect(outcome.code, outcome.err).toBe(0)
  const answer = answerOf<{ releases: Release[] }>(outcome)
  expect(Object.keys(answer)).toEqual(['releases'])
  return answer.releases
}

async function expectTheWholeStory(run: string): Promise<RunDetail> {
  const releases = await releasesOf(run)
  expect(releases.map((release) => release.step)).toEqual(
    releases.map((_, index) => releases.length - 1 - index)
  )
  const compared = await compareWithPractice(yard.home, run, releases)
  expect(compared.faults).toEqual([])
  expect(compared.releases).toBeGreaterThan(1)
  const detail = await show(run)
  expect(detail.summary.served).toBe(`r${releases.find((one) => one.served)?.step ?? -1}`)
  return detail
}

describe('a run that only passing commands look at', () => {
  it('each of them tells the truth, and after the stop everything is there', async () => {
    const { id } = await launch()
    const early = await showUntil(id, ({ summary }) => summary.step >= 3)
    expect(early.summary.state.kind).toBe('training')
    expect(early.summary.stages.served).toBeGreaterThan(0)
    expect(early.summary.stages.reported).toBeGreaterThan(0)
    expect(early.summary.reward).not.toBeNull()
    const [two, list] = await Promise.all([show(id), cli('runs')])
    expect(two.summary.step).toBeGreaterThanOrEqual(early.summary.step)
    expect(answerOf<RunList>(list).runs[0]?.step).toBeGreaterThanOrEqual(early.summary.step)
    const before = await releasesOf(id)
    expect(before.length).toBeGreaterThan(3)
    const back = await cli('rollback', id, 'r1', '--why', 'to see it')
    expect(back.code, back.err).toBe(0)
    const { releaseId } = answerOf<{ releaseId: string }>(back)
    const after = await releasesOf(id)
    expect(after.find((one) => one.operation === 'rollback')?.releaseId).toBe(releaseId)
    const stop = await cli('stop', id)
    expect(stop.code, stop.err).toBe(0)
    expect(answerOf(stop)).toMatchObject({ run: id, state: { kind: 'stopped' } })
    const { events } = await expectTheWholeStory(id)
    // A command that only looks makes no word of it.
    expect(events.filter(({ kind }) => kind === 'adopted').length).toBeLessThanOrEqual(2)
    expect(events.filter(({ kind }) => kind === 'stop-asked')).toHaveLength(1)
  })

  it('a stop is the first look: what came before is kept', async () => {
    const { id, folder } = await launch()
    await committed(folder, 3)
    const stop = await cli('stop', id)
    expect(stop.code, stop.err).toBe(0)
    const { summary } = await expectTheWholeStory(id)
    expect(summary.stages.reported).toBeGreaterThan(0)
    expect(summary.step).toBeGreaterThanOrEqual(3)
    const again = await cli('restart', id)
    expect(again.code, again.err).toBe(0)
    expect(answerOf(again)).toMatchObject({ run: { id, folder } })
    await showUntil(id, (detail) => detail.summary.step > summary.step)
    expect((await show(id)).summary.attempt).toBe(2)
    expect((await cli('stop', id)).code).toBe(0)
  })

  it('a stack that died unseen is found ended, with its releases', async () => {
    const { id, folder } = await launch()
    await committed(folder, 2)
    const processes = await stackProcesses(join(folder, 'logs', 'attempt-1', 'exit.json'))
    expect(processes?.launcher).toBeTypeOf('number')
    process.kill(processes?.launcher ?? 0, 'SIGKILL')
    const { summary } = await showUntil(id, (detail) => detail.summary.state.kind === 'failed')
    expect(summary.step).toBeGreaterThanOrEqual(2)
    expect(summary.state).toMatchObject({ exit: { kind: 'signal', signal: 'SIGKILL' } })
    const rule = await cli('weaver', 'rule', id, '5')
    expect(rule.code).toBe(1)
    expect(rule.err).toContain('does not train with Weaver')
    await expectTheWholeStory(id)
  })
})
