import { chmod, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { Companion } from '../../../../src-main/contract/launch'
import { companionChecks } from '../../../../src-main/engine/preflight/companions'
import type { LaunchContext } from '../../../../src-main/engine/preflight/launch-context'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-companions-'))
})
afterEach(() => rm(folder, { recursive: true }))

const companion = (change: Partial<Companion> = {}): Companion => ({
  name: 'agent',
  command: ['sh', 'client.sh'],
  where: 'process',
  environment: [],
  startWhenServing: true,
  stopWithRun: true,
  restart: 'on-failure',
  ...change
})

/** What the checks of these companions say, for a stack that runs as a process in the folder. */
function judge(companions: Companion[], image: string | null = null) {
  const context = {
    plan: { image, cwd: folder, companions },
    target: { beside: image === null ? undefined : {}, images: { find: () => null } },
    environment: new Map([
      ['KEY', 'set'],
      ['FAKE', 'placeholder']
    ])
  } as unknown as LaunchContext
  const { signal } = new AbortController()
  return Promise.all(companionChecks(companions).map((check) => check.run(context, signal)))
}

it('looks for the program where the companion will be started', async () => {
  const own = join(folder, 'client')
  await writeFile(own, '#!/bin/sh\n')
  const of = async (...command: string[]) => (await judge([companion({ command })]))[0]
  expect(await of('sh', '-c', 'true')).toMatchObject({ verdict: 'pass' })
  expect(await of('node', 'client.mjs')).toMatchObject({ verdict: 'pass' })
  expect(await of('no-such-program-51')).toMatchObject({
    verdict: 'fail',
    judgement: true,
    evidence: { zh: '本机没有程序“no-such-program-51”。' }
  })
  // It is there and cannot be run.
  expect(await of(own)).toMatchObject({ verdict: 'fail' })
  await chmod(own, 0o755)
  expect(await of(own)).toMatchObject({ verdict: 'pass' })
  expect(await of('./client')).toMatchObject({ verdict: 'pass' })
})

it('warns of variables that it will not get', async () => {
  const [said, fine] = await judge([
    companion({ environment: ['KEY', 'FAKE', 'ABSENT'] }),
    companion({ name: 'other', environment: ['KEY'] })
  ])
  expect(said).toMatchObject({ verdict: 'warn' })
  expect(said?.evidence.en).toBe('Not set, empty or a placeholder: FAKE, ABSENT.')
  expect(fine).toMatchObject({ verdict: 'pass' })
})

it('refuses what the launch refuses, in its words', async () => {
  const beside = companion({ where: 'own-container', image: 'agent:1' })
  const [place] = await judge([beside])
  expect(place).toMatchObject({ verdict: 'fail', remedy: { en: expect.any(String) as unknown } })
  expect(place?.judgement).toBeUndefined()
  const [image] = await judge([beside], 'stack:1')
  expect(image?.evidence.en).toContain('no image “agent:1”')
  expect((await judge([{ ...beside, image: 'stack:1' }], 'stack:1'))[0]).toMatchObject({
    verdict: 'pass'
  })
  const twice = await judge([companion(), companion()])
  expect(twice.map(({ verdict }) => verdict)).toEqual(['fail', 'fail'])
})
