import { test as base } from '@playwright/test'
import { makePlace, openSlipway, type Place, type Slipway } from './app'
import { cleanUp } from './command-line'

/**
 * A test with a place of its own. Windows are closed, stacks ended and folders removed also when the test fails or runs
 * out of time, which code in its own `finally` would not live to see.
 */
export const test = base.extend<{ place: Place; open: () => Promise<Slipway> }>({
  // Playwright reads which fixtures are wanted from the pattern: none.
  // eslint-disable-next-line no-empty-pattern
  place: async ({}, use) => {
    const place = makePlace()
    await use(place)
    await cleanUp(place)
  },
  open: async ({ place }, use) => {
    const opened: Slipway[] = []
    await use(async () => {
      const slipway = await openSlipway(place)
      opened.push(slipway)
      return slipway
    })
    for (const { app } of opened) await app.close()
  }
})
