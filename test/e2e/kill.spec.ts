import { randomInt } from 'node:crypto'
import { setTimeout as wait } from 'node:timers/promises'
import { expect, test, type Page } from '@playwright/test'
import type { Release } from '../../src-main/contract/releases'
import type { RunDetail } from '../../src-main/contract/run'
import { endStacksBelow, killStack, type Victim } from '../support/kill-stack'
import { compareWithPractice } from '../support/practice-record'
import { makePlace, openSlipway, type Place, type Slipway } from './support/app'
import { enginePid, gone, killApp } from './support/kill-app'
import { ask, launchFaster } from './support/practice-run'
import { openRun, releasesReach, stage } from './support/story'

// The engine and the stack are killed more often where no window is needed: test/integration, test/long.
const LONG = process.env['SLIPWAY_LONG'] === '1'
const WINDOW_KILLS = LONG ? 100 : 10
const ENGINE_KILLS = LONG ? 20 : 3
const STACK_KILLS: readonly Victim[] = ['group', 'launcher', 'service']
const LIVE = /training|serving|quiet/

interface Scene {
  place: Place
  slipway: Slipway
  run: string
}

/** The window dies at a random moment, is opened again, and shows the run live and further on. */
async function killWindow(scene: Scene): Promise<void> {
  await wait(randomInt(0, 1500))
  await killApp(scene.slipway)
  scene.slipway = await openSlipway(scene.place)
}

async function goesOn(page: Page, more = 1): Promise<void> {
  const before = await stage(page, 'released')
  await releasesReach(page, before + more)
  await expect(page.getByTestId('run-header').getByTestId('run-state')).toHaveAttribute(
    'data-state',
    LIVE
  )
}

/** Deaths of an engine within a minute that the app answers with another one. */
const DEATHS_A_MINUTE = 5
const MINUTE = 61_000

/** An engine that dies more often is not started again, and rightly: kills have to leave the app its minute. */
async function withinBudget(deaths: readonly number[]): Promise<void> {
  const fifth = deaths.at(-DEATHS_A_MINUTE)
  if (fifth !== undefined) await wait(Math.max(0, fifth + MINUTE - Date.now()))
}

/** The engine dies at a random moment; the app starts another one, and the page goes on without a reload. */
async function killEngine({ slipway: { app, page }, ...scene }: Scene): Promise<void> {
  void scene
  await wait(randomInt(0, 1500))
  const main = app.process().pid ?? 0
  const engine = await enginePid(main)
  if (engine === null) throw new Error('no engine runs')
  process.kill(engine, 'SIGKILL')
  await gone(engine)
  await expect.poll(() => enginePid(main), { timeout: 20_000 }).not.toBeNull()
  await goesOn(page)
}

/** The stack dies at a random moment: a failed attempt with its cause; Restart goes on from the storage. */
async function killPractice({ slipway: { page }, place, run }: Scene, victim: Victim) {
  await wait(randomInt(0, 1500))
  const before = ask<RunDetail>(place, 'show', run).summary
  await killStack(`${before.folder}/logs/attempt-${before.attempt}/exit.json`, victim)
  await page.getByTestId('restart').waitFor({ timeout: 30_000 })
  const { summary } = ask<RunDetail>(place, 'show', run)
  expect(summary.state).toMatchObject({ kind: 'failed', cause: { en: /\S/ } })
  await page.getByTestId('restart').click()
  await expect
    .poll(() => ask<RunDetail>(place, 'show', run).summary, { timeout: 60_000, intervals: [1000] })
    .toMatchObject({ attempt: before.attempt + 1, state: { kind: expect.stringMatching(LIVE) } })
  await releasesReach(page, summary.stages.released + 1)
}

async function stopAndCompare({ place, run }: Scene): Promise<void> {
  ask(place, 'stop', run)
  const { releases } = ask<{ releases: Release[] }>(place, 'releases', run)
  const { faults, ...compared } = await compareWithPractice(place.home, run, releases)
  expect(faults).toEqual([])
  expect(compared.lines).toBeGreaterThan(100)
  expect(compared.samples).toBeGreaterThan(100)
  expect(compared.releases).toBeGreaterThan(WINDOW_KILLS)
}

test('kill -9 of window, engine and stack: nothing is missing and nothing is double', async () => {
  test.setTimeout(LONG ? 3_600_000 : 600_000)
  const place = makePlace()
  const scene: Scene = { place, run: '', slipway: await openSlipway(place) }
  try {
    scene.run = await launchFaster(scene.slipway.page, place)
    await test.step(`the window, ${WINDOW_KILLS} times`, async () => {
      for (let round = 1; round <= WINDOW_KILLS; round += 1)
        await test.step(`window ${round}`, () => killWindow(scene))
      await openRun(scene.slipway.page, 'curves')
      await goesOn(scene.slipway.page, 2)
    })
    await test.step(`the engine, ${ENGINE_KILLS} times`, async () => {
      const deaths: number[] = []
      for (let round = 0; round < ENGINE_KILLS; round += 1) {
        await withinBudget(deaths)
        await killEngine(scene)
        deaths.push(Date.now())
      }
    })
    await test.step(`the stack, ${STACK_KILLS.length} times`, async () => {
      for (const victim of STACK_KILLS) await killPractice(scene, victim)
    })
    await test.step('compared with the stack’s own journal', () => stopAndCompare(scene))
  } finally {
    await scene.slipway.app.close()
    await endStacksBelow(place.home)
    place.remove()
  }
})
