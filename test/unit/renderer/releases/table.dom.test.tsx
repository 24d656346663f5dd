import '../window/furnish'
import { cleanup, fireEvent, render } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { ReleaseTable } from '../../../../src-renderer/features/releases/release-table'
import { startTranslations } from '../../../../src-renderer/i18n'
import { TooltipProvider } from '../../../../src-renderer/ui'
import type { Release } from '@contract/releases'
import { sampleChain } from '../../../support/fixture/releases'
import { sampleRuns } from '../../../support/fixture/runs'

/** Rows that may stand in the page at once, and pixels of one. */
const MOUNTED = 60
const ROW = 28

afterEach(cleanup)

function chain(count: number): readonly Release[] {
  const [run] = sampleRuns(0)
  if (run === undefined) throw new Error('no run')
  return sampleChain({ ...run, stages: { ...run.stages, released: count } }, null, 0).releases
}

const table = (releases: readonly Release[]) => (
  <TooltipProvider>
    <ReleaseTable
      releases={releases}
      selected={null}
      other={null}
      rewardKey="rollout/rewards"
      baseOf={() => null}
      stepOf={() => null}
      onSelect={() => undefined}
      onOther={() => undefined}
      onOpen={() => undefined}
    />
  </TooltipProvider>
)

it('mounts at most 60 of 20,000 rows, wherever it is scrolled to', async () => {
  await startTranslations('en')
  const count = 20_000
  const releases = chain(count)
  const view = render(table(releases))
  const rows = view.getByTestId('release-rows')
  const names = (): string[] =>
    [...rows.querySelectorAll('[data-testid^="release-r"]')].map(
      (row) => row.getAttribute('data-testid') ?? ''
    )
  expect(names()).toContain(`release-r${count - 1}`)
  for (let part = 0; part <= 4; part += 1) {
    Object.defineProperty(rows, 'scrollTop', {
      configurable: true,
      value: Math.round((part / 4) * (count * ROW - 800))
    })
    fireEvent.scroll(rows)
    const shown = names()
    expect(shown.length).toBeGreaterThan(20)
    expect(shown.length).toBeLessThanOrEqual(MOUNTED)
  }
  expect(names()).toContain('release-r0')
}, 60_000)

it('leaves what somebody reads where it is when releases come in above it', async () => {
  await startTranslations('en')
  const releases = chain(200)
  const view = render(table(releases.slice(3)))
  const rows = view.getByTestId('release-rows')
  view.rerender(table(releases.slice(2)))
  expect(rows.scrollTop, 'at the top the newest is shown').toBe(0)
  rows.scrollTop = 1000
  view.rerender(table(releases))
  expect(rows.scrollTop).toBe(1000 + 2 * ROW)
})

it('keeps a row in its element when a release comes in, so that a click under way meets the row it began on', async () => {
  await startTranslations('en')
  const releases = chain(200)
  const view = render(table(releases.slice(1)))
  const before = view.getByTestId('release-r195')
  view.rerender(table(releases))
  expect(view.getByTestId('release-r195')).toBe(before)
})
