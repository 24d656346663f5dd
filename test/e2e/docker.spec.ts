import { mkdirSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { obstacle, startEngine, type TestEngine } from '../support/own-engine'
import { closeWindow } from './support/app'
import { openRun, openTab, releasesReach, stage } from './support/story'
import { test as base } from './support/test'

const test = base.extend<{ engine: TestEngine }>({
  // Before everything else and after it: what a failed test leaves running is ended through this engine.
  engine: [
    // eslint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const engine = await startEngine()
      const before = process.env['DOCKER_HOST']
      process.env['DOCKER_HOST'] = `unix://${engine.socket}`
      await use(engine)
      if (before === undefined) delete process.env['DOCKER_HOST']
      else process.env['DOCKER_HOST'] = before
      await engine.dispose()
    },
    { auto: true, timeout: 60_000 }
  ]
})

const why = obstacle()
test.skip(why !== null && process.env['CI'] !== 'true', why ?? '')

const shots = process.env['SLIPWAY_SHOTS'] ?? mkdtempSync(join(tmpdir(), 'slipway-docker-'))

async function shoot(page: Page, name: string): Promise<void> {
  mkdirSync(shots, { recursive: true })
  const path = join(shots, `docker-${name}.png`)
  await page.screenshot({ path })
  test.info().annotations.push({ type: 'screenshot', description: path })
}

async function containers({ docker }: TestEngine): Promise<string[]> {
  const filters = { label: ['slipway.run'] }
  return (await docker.listContainers({ all: true, filters })).map(({ State }) => State)
}

async function chooseDocker(page: Page): Promise<void> {
  // The button does nothing until the recipes are read.
  await expect(async () => {
    await page.getByTestId('plan-first').click({ timeout: 1000 })
    await expect(page.getByTestId('launch-target')).toBeVisible({ timeout: 1000 })
  }).toPass()
  await page.getByTestId('launch-target').click()
  await page.getByRole('menuitem', { name: 'DOCKER_HOST' }).click()
  await expect(page.getByTestId('plan-shell')).toContainText('docker run')
  await expect(page.getByTestId('plan-shell')).toContainText('slipway-practice:')
}

test('the practice stack in a container: chosen, launched, watched, left, found again, stopped', async ({
  engine,
  open
}) => {
  test.setTimeout(300_000)
  const first = await open()
  await chooseDocker(first.page)
  await shoot(first.page, '1-plan')
  await first.page.getByTestId('launch').click()
  await expect(first.page.getByTestId('run-header')).toBeVisible()
  await expect(first.page.getByTestId('run-state')).toHaveAttribute('data-state', 'preparing')
  await shoot(first.page, '2-preparing')
  await openTab(first.page, 'stack')
  await expect(first.page.getByTestId('service-reef')).toHaveAttribute('data-state', 'ready', {
    timeout: 120_000
  })
  await shoot(first.page, '3-stack')
  await openTab(first.page, 'curves')
  await releasesReach(first.page, 2)
  await shoot(first.page, '4-curves')
  const before = await stage(first.page, 'released')
  await closeWindow(first)
  expect(await containers(engine)).toEqual(['running'])

  const { page } = await open()
  await openRun(page, 'curves')
  await releasesReach(page, before + 1)
  await openTab(page, 'stack')
  await page.getByTestId('stop').click()
  await page.getByTestId('confirm-stop').click()
  await expect(page.getByTestId('run-state')).toHaveAttribute('data-state', 'stopped', {
    timeout: 90_000
  })
  await shoot(page, '5-stopped')
  expect(await containers(engine)).toEqual([])
})
