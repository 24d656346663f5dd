import { mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Release } from '../../src-main/contract/releases'
import type { RunDetail, RunList } from '../../src-main/contract/run'
import { pause, systemClock } from '../../src-main/engine/lib'
import type { RunService } from '../../src-main/engine/stacks'
import { answerOf, slipway, Staying, type Outcome } from '../support/built-cli'
import { endStacksBelow } from '../support/kill-stack'
import { ended, makeYard, openService, until, type Yard } from '../support/run-service'
import { LaunchRequest } from '../../src-main/contract/launch'

let yard: Yard
let service: RunService | null = null

beforeEach(async () => {
  yard = await makeYard()
})

afterEach(async () => {
  await service?.dispose()
  service = null
  await endStacksBelow(yard.root)
  await yard.remove()
})

const cli = (...words: string[]): Promise<Outcome> => slipway(yard.home, ...words)

/** A finished run of the stand-in, made without the command line. */
async function finishedRun(): Promise<{ run: string; folder: string }> {
  service = await openService(yard)
  const launched = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
  await until(service, launched.run, ({ summary }) => summary.step >= 2)
  await service.stop({ run: launched.run, force: true })
  await until(service, launched.run, ({ summary }) => ended(summary.state))
  await service.dispose()
  service = null
  return launched
}

describe('what cannot be read', () => {
  it.each([
    ['__proto__.x=1', /__proto__.*\[__proto__\.x\]/],
    ['reef..port=1', /empty name.*\[reef\.\.port\]/],
    ['training.options.lr=[', /cannot be read as YAML.*\[training\.options\.lr\]/],
    ['reef.port=99999', /not a port: 1–65535/],
    ['reef.port=abc', /not a port: 1–65535/],
    ['nonsense', /path=value/]
  ])('--set %s is refused with what, where and what to do, once', async (pair, said) => {
    const { code, out, err } = await cli('launch', yard.recipe, '--set', pair)
    expect(err).toMatch(said)
    expect(err.trim().split('\n')).toHaveLength(2)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(answerOf<RunList>(await cli('runs'))).toEqual({ runs: [], damaged: [] })
  })

  it('the same of preflight', async () => {
    const { code, err } = await cli('preflight', yard.recipe, '--set', 'nonsense')
    expect(err).toMatch(/path=value.*\[--set\]/)
    expect(code).toBe(2)
  })

  it('choices for a container, an address and a checkout that cannot be meant', async () => {
    for (const [words, said] of [
      [['launch', yard.recipe, '--shm-size', 'much'], /no size.*\[--shm-size\]/],
      [['launch', yard.recipe, '--user', '1000:'], /no user.*\[user\]/],
      [['get-reef', 'https://me:secret@example.org/reef'], /password.*\[address\]/]
    ] as const) {
      const { code, err } = await cli(...words)
      expect(err).toMatch(said)
      expect(err).not.toContain('secret@')
      expect(code).toBe(2)
    }
    const { code, err } = await cli('build-image', yard.root, '--target', 'local')
    expect(err).toMatch(/Nothing runs from images/)
    expect(code).toBe(1)
  })

  it('a name that nobody has is no unreadable input, whoever is asked', async () => {
    for (const words of [
      ['show', 'nobody'],
      ['releases', 'nobody'],
      ['stop', 'nobody'],
      ['compare', 'nobody:1', 'nobody:2'],
      ['comparisons', 'nobody'],
      ['feedback', 'nobody']
    ])
      expect({ words, code: (await cli(...words)).code }).toEqual({ words, code: 1 })
    expect((await cli('compare', 'gone.yaml', 'gone.yaml')).code).toBe(2)
  })

  it('an empty word where a run or a folder must be named', async () => {
    const { run } = await finishedRun()
    for (const words of [
      ['show', ''],
      ['stop', ' '],
      ['rollback', run, '']
    ]) {
      const { code, err } = await cli(...words)
      expect(err).toMatch(/the word is empty/)
      expect(code).toBe(2)
    }
    const { code, err } = await slipway('', 'runs')
    expect(err).toMatch(/the word is empty.*--home/)
    expect(code).toBe(2)
  })

  it.runIf(process.platform === 'linux')('a home where no folder can be made', async () => {
    const { code, err } = await slipway('/proc/no-such-place', 'runs')
    expect(err).toMatch(/cannot be used/)
    expect(code).toBe(2)
  })

  it('a home that is a file, or lies below one', async () => {
    const file = join(yard.root, 'a-file')
    await writeFile(file, '')
    for (const home of [file, join(file, 'below')]) {
      const { code, err } = await slipway(home, 'runs')
      expect(err).toMatch(/must be a folder/)
      expect(err).toMatch(/--home/)
      expect(code).toBe(2)
    }
  })

  it('a recipe that is a folder, empty, or no text', async () => {
    const empty = join(yard.root, 'empty.yaml')
    const binary = join(yard.root, 'binary.yaml')
    await writeFile(empty, '')
    await writeFile(binary, Buffer.from([0, 1, 2, 255, 254, 0]))
    for (const path of [yard.root, empty, binary]) {
      const { code, out, err } = await cli('launch', path)
      expect({ code, out }, err).toEqual({ code: 2, out: '' })
      expect(err).toMatch(/\S/)
    }
  })

  it('a damaged run says why and what to do, whatever is asked of it', async () => {
    const { run, folder } = await finishedRun()
    const record = join(folder, 'run.json')
    await truncate(record, 100)
    for (const words of [['show'], ['stop'], ['releases'], ['rollback', 'r1']]) {
      const [command = '', ...more] = words
      const { code, err } = await cli(command, run, ...more)
      expect(err).toMatch(/run\.json cannot be read/)
      expect(err).toMatch(/from a backup/)
      expect(code).toBe(2)
    }
    const list = answerOf<RunList>(await cli('runs'))
    expect(list.damaged).toMatchObject([{ id: run, folder }])
    expect((await readFile(record)).length).toBe(100)
  })

  it('damaged settings are said once, and nothing stops for them', async () => {
    await mkdir(yard.home, { recursive: true })
    await writeFile(join(yard.home, 'settings.json'), '{"version": 1, "theme":')
    const first = await cli('runs')
    expect(first.code).toBe(0)
    expect(first.err).toMatch(/settings file could not be read/)
    expect((await cli('runs')).err).toBe('')
  })
})

it('a torn last release row is read from the stack’s own log: the chain serves what the run says', async () => {
  const { run, folder } = await finishedRun()
  const file = join(folder, 'releases.jsonl')
  await truncate(file, (await readFile(file)).length - 30)
  const { summary } = answerOf<RunDetail>(await cli('show', run))
  const { releases } = answerOf<{ releases: Release[] }>(await cli('releases', run))
  expect(releases.find((one) => one.served)?.step).toBe(summary.step)
  expect(`r${summary.step}`).toBe(summary.served)
  const [attempt] = (
    JSON.parse(await readFile(join(folder, 'run.json'), 'utf8')) as {
      attempts: { recordDir: string }[]
    }
  ).attempts
  for (const name of await readdir(attempt?.recordDir ?? ''))
    await writeFile(join(attempt?.recordDir ?? '', name), '')
  const without = answerOf<{ releases: Release[] }>(await cli('releases', run)).releases
  expect(without.length).toBe(releases.length - 1)
  expect(without.filter((one) => one.served)).toEqual([])
})

it('what a person wrote is kept without the run’s secrets', async () => {
  const token = 'correct-horse-battery'
  const recipe = await readFile(yard.recipe, 'utf8')
  await writeFile(yard.recipe, recipe.replace('reef: {', `reef: { token: ${token},`))
  service = await openService(yard)
  const { run, folder } = await service.start(
    LaunchRequest.parse({ recipe: yard.recipe, name: `run with ${token}` }),
    { because: `I know ${token}` }
  )
  await until(service, run, ({ summary }) => summary.step >= 2)
  await service.rollback({ run, step: 1, why: `the token is ${token}` })
  await service.update({ run, notes: `note ${token}`, tags: [token] })
  for (const name of ['run.json', 'events.jsonl', 'notes.md']) {
    const text = await readFile(join(folder, name), 'utf8')
    expect(text, name).toContain('‹redacted›')
    expect(text, name).not.toContain(token)
  }
})

it('a launch killed at any moment leaves runs that can be read, and nothing else', async () => {
  for (const after of [60, 200, 350, 500, 650, 800, 950, 1100, 1300, 1600]) {
    const launch = new Staying(yard.home, 'launch', yard.recipe)
    await pause(systemClock, after)
    await launch.kill()
  }
  const { runs, damaged } = answerOf<RunList>(await cli('runs'))
  expect(damaged).toEqual([])
  for (const { id } of runs) {
    const show = await cli('show', id)
    expect(show.code, show.err).toBe(0)
    const stop = await cli('stop', id, '--force')
    expect(
      stop.code === 0 ||
        /never started/.test(stop.err) ||
        ended(answerOf<{ state: RunDetail['summary']['state'] }>(stop).state),
      stop.err
    ).toBe(true)
  }
  // The next launch clears away what the killed ones were putting together.
  await cli('launch', yard.recipe)
  const left = await readdir(join(yard.home, 'runs'))
  expect(left.filter((name) => name.startsWith('.'))).toEqual([])
})
