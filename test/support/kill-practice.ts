import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import type { RunService } from '../../src-main/engine/stacks'
import { LaunchRequest } from '../../src-main/contract/launch'
import { killStack, type Victim } from './kill-stack'
import { compareWithPractice } from './practice-record'
import { ended, until, type Yard } from './run-service'

const VICTIMS: readonly Victim[] = ['group', 'launcher', 'service']

async function exitFileOf(service: RunService, run: string): Promise<string> {
  const handle = (await service.store.read(run)).attempts.at(-1)?.handle
  if (handle?.kind !== 'process') throw new Error('no process runs')
  return handle.exitFile
}

/**
 * Kills the practice stack `times` times at random moments, restarts it each time from its own storage, and compares
 * what the run kept with what the stack wrote down.
 */
export async function killStackAndCompare(
  service: RunService,
  yard: Yard,
  times: number
): Promise<void> {
  const { run } = await service.start(LaunchRequest.parse({ recipe: yard.recipe }))
  let step = 0
  for (let round = 0; round < times; round += 1) {
    // Every other kill may fall into the start; the ones between wait until something new is learnt.
    const early = round % 2 === 1
    if (!early) await until(service, run, ({ summary }) => summary.step > step)
    await wait(randomInt(0, early ? 4000 : 1500))
    const victim = VICTIMS[round % VICTIMS.length] ?? 'group'
    await killStack(await exitFileOf(service, run), victim)
    const { summary } = await until(service, run, (detail) => ended(detail.summary.state))
    expect(summary.state, `after kill ${round} of ${victim}`).toMatchObject({ kind: 'failed' })
    step = summary.step
    await service.restart({ run })
    await until(service, run, (detail) => detail.summary.attempt === round + 2)
  }
  await until(service, run, ({ summary }) => summary.step > step)
  await service.stop({ run, force: false })
  await until(service, run, (detail) => ended(detail.summary.state))
  const chain = await service.chain({ run })
  await service.dispose()
  const compared = await compareWithPractice(yard.home, run, chain.releases)
  expect(compared.faults).toEqual([])
  expect(compared.lines).toBeGreaterThan(times * 10)
  expect(compared.samples).toBeGreaterThan(times * 10)
  expect(compared.releases).toBeGreaterThan(times / 2)
}
