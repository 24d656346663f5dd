import { defineConfig } from '@playwright/test'

export default defineConfig({
  testDir: 'test/e2e',
  outputDir: 'test-results',
  workers: 1,
  timeout: 180_000,
  // A loaded machine is slow, not wrong: waits end as soon as what they wait for is there.
  expect: { timeout: 30_000 },
  reporter: [['list']]
})
