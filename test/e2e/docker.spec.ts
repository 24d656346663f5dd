import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, type Page } from '@playwright/test'
import { findProgram, obstacle, startEngine, type TestEngine } from '../support/own-engine'
import { closeWindow } from './support/app'
import { killApp } from './support/kill-app'
import { openPlan } from './support/practice-run'
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

/** Deaths of the whole app while a container runs. It dies more often in kill.spec, the engine alone in test/integration. */
const KILLS = process.env['SLIPWAY_LONG'] === '1' ? 20 : 2

const why =
  obstacle() ?? (findProgram('docker-compose') === null ? 'docker-compose is not installed' : null)
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
  await openPlan(page)
  await page.getByTestId('launch-target').click()
  await page.getByRole('menuitem', { name: 'DOCKER_HOST' }).click()
  await expect(page.getByTestId('plan-shell')).toContainText('docker run')
  await expect(page.getByTestId('plan-shell')).toContainText('slipway-practice:')
}

/** A checkout of ours in place of Reef's, whose image is built and chosen in the window. */
async function buildAnImage(page: Page): Promise<void> {
  const checkout = mkdtempSync(join(tmpdir(), 'slipway-checkout-'))
  mkdirSync(join(checkout, 'docker'))
  writeFileSync(
    join(checkout, 'docker', 'Dockerfile.reef'),
    'ARG SLIME_IMAGE_TAG=latest\nFROM scratch AS reef\nCOPY serve.yaml /workspace/Reef/\n'
  )
  writeFileSync(join(checkout, 'serve.yaml'), 'schema-version: 2\n')
  await page.getByTestId('recipe-sao.yaml').click()
  await page.getByTestId('container-checkout').fill(checkout)
  await page.getByTestId('build-image').click()
  await page.getByTestId('build-reference').fill('reef:e2e')
  await expect(page.getByTestId('build-arg-SLIME_IMAGE_TAG')).toBeVisible()
  await shoot(page, '0-build')
  await page.getByTestId('errand-start').click()
  await expect(page.getByTestId('errand')).toHaveAttribute('data-state', 'done')
  await expect(page.getByTestId('errand-log')).toContainText('COPY serve.yaml')
  await shoot(page, '0-built')
  await page.getByTestId('errand-use').click()
  await expect(page.getByTestId('container-image')).toHaveValue('reef:e2e')
  await page.getByTestId('container-shm').fill('64g')
  await page.getByTestId('container-user').fill('1000:1000')
  const shell = page.getByTestId('plan-shell')
  await expect(shell).toContainText('--user 1000:1000')
  await expect(shell).toContainText('--shm-size 64g')
  await expect(shell).toContainText(`-v ${checkout}:/workspace/Reef`)
  await expect(shell).toContainText('reef:e2e reef serve')
  await shoot(page, '0-container')
  writeFileSync(
    join(checkout, 'docker-compose.yaml'),
    'services: { reef: { image: reef:e2e, volumes: ["${REEF_ROOT}:/workspace/Reef"] } }'
  )
  await page.getByTestId('container-compose').fill(checkout)
  await expect(shell).toContainText(`-f ${join(checkout, 'docker-compose.yaml')}`)
  await shoot(page, '0-compose')
  await page.getByTestId('container-compose').fill('')
  await expect(shell).toContainText('docker run')
  rmSync(checkout, { recursive: true })
  await page.getByTestId('recipe-practice-sao.yaml').click()
  await expect(shell).toContainText('slipway-practice:')
}

test('the practice stack in a container: chosen, launched, watched, left, killed, found again, stopped', async ({
  engine,
  open
}) => {
  test.setTimeout(600_000 + KILLS * 30_000)
  const first = await open()
  await chooseDocker(first.page)
  await buildAnImage(first.page)
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

  for (let kill = 0; kill < KILLS; kill += 1) {
    await killApp(await open())
    expect(await containers(engine)).toEqual(['running'])
  }
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
