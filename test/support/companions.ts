import { readFile, writeFile } from 'node:fs/promises'
import { expect } from 'vitest'
import type { Companion, LaunchRequest } from '../../src-main/contract/launch'
import type { RunDetail } from '../../src-main/contract/run'
import type { DockerRuns } from './docker-runs'
import { ended, until, type Yard } from './run-service'

/** A key that companions get and nothing may keep. */
export const AGENT_KEY = 'key-of-this-test-51c0de'

export const agentSecret = (name: string): Promise<string | null> =>
  Promise.resolve(name === 'AGENT_KEY' ? AGENT_KEY : null)

/** What the events of a kind say of a companion, oldest first. */
export const told = ({ events }: RunDetail, kind: string, name: string): unknown[] =>
  events.filter((one) => one.kind === kind && one.data?.['name'] === name).map(({ data }) => data)

/** Nobody but companions asks the stack for anything. */
export async function withoutTraffic(recipe: Yard['recipe']): Promise<void> {
  const text = await readFile(recipe, 'utf8')
  await writeFile(recipe, text.replace(/^( *)traffic: .*$/m, '$1traffic: "off"'))
}

/**
 * One that asks the stack, and crashes after 40 reports of its first start, by the file `mark-NAME` in `folder`, which
 * must be one that its container can write. Its source is an argument: the image does not have it.
 */
export async function client(
  part: Pick<Companion, 'name' | 'where' | 'image'>,
  folder = '/run/slipway'
): Promise<Companion> {
  const source = await readFile('test/support/companion-client.mjs', 'utf8')
  return {
    command: [
      ...['node', '--input-type=module', '-e', source],
      ...['companion', `${folder}/mark-${part.name}`, 'patient']
    ],
    environment: ['AGENT_KEY'],
    startWhenServing: true,
    stopWithRun: true,
    restart: 'on-failure',
    ...part
  }
}

interface Driven {
  run: string
  /** After the end. */
  over: RunDetail
}

const PATIENCE = 120_000

/**
 * Launches with companions that are clients; they crash, are started again, drive the stack to releases, are found
 * again as the same ones by a second service, and end with the run: no container is left. `meanwhile`: what
 * happens once the second service watches.
 */
export async function driveAndStop(
  runs: DockerRuns,
  request: LaunchRequest,
  companions: Companion[],
  meanwhile: () => Promise<void> = () => Promise.resolve()
): Promise<Driven> {
  const first = await runs.open({ secret: agentSecret })
  const { run } = await first.start({ ...request, companions })
  const begun = (detail: RunDetail, count: number): boolean =>
    companions.every(({ name }) => told(detail, 'companion-started', name).length === count)
  await until(first, run, (detail) => begun(detail, 2), PATIENCE)

  const there = (await runs.containers()).sort()
  expect(there).toHaveLength(1 + companions.filter(({ where }) => where === 'own-container').length)

  await runs.leave()
  const second = await runs.open({ secret: agentSecret })
  await second.reconcile()
  const { step } = (await second.get(run)).summary
  await meanwhile()
  // One batch may have been full already when the first one left.
  const learning = await until(second, run, ({ summary }) => summary.step >= step + 2, PATIENCE)
  expect((await runs.containers()).sort()).toEqual(there)
  expect(begun(learning, 2)).toBe(true)

  await second.stop({ run, force: false })
  const over = await until(second, run, ({ summary }) => ended(summary.state), PATIENCE)
  expect(over.summary.state.kind).toBe('stopped')
  for (const { name } of companions) {
    expect(told(over, 'companion-ended', name)).toMatchObject([
      { start: 1, exit: { kind: 'code', code: 3 } },
      { start: 2 }
    ])
    expect(told(over, 'companion-left', name)).toEqual([])
  }
  expect(await runs.containers()).toEqual([])
  const { record, events } = second.paths(run)
  for (const file of [record, events]) expect(await readFile(file, 'utf8')).not.toContain(AGENT_KEY)
  return { run, over }
}
