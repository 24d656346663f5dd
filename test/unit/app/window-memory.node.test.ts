import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { recallWindow, rememberedFrom, rememberWindow } from '../../../src-main/app/window-memory'

const window = fc.record(
  {
    width: fc.integer({ min: 640, max: 10_000 }),
    height: fc.integer({ min: 480, max: 10_000 }),
    x: fc.integer({ min: -10_000, max: 10_000 }),
    y: fc.integer({ min: -10_000, max: 10_000 }),
    maximized: fc.boolean(),
    dark: fc.boolean()
  },
  { requiredKeys: ['width', 'height', 'maximized', 'dark'] }
)

async function fileIn(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-window-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  return join(folder, 'window.json')
}

describe('where the window was', () => {
  it('is what was written, and nothing else of the file', () => {
    fc.assert(
      fc.property(window, (some) => {
        const read: unknown = JSON.parse(JSON.stringify({ ...some, more: 1 }))
        expect(rememberedFrom(read)).toEqual(some)
      })
    )
  })

  it('is forgotten when the file is damaged in any place', () => {
    const wrong = fc.oneof(fc.string(), fc.double({ noInteger: true }), fc.constant(null))
    const name = fc.constantFrom('width', 'height', 'x', 'y', 'maximized', 'dark')
    fc.assert(
      fc.property(window, name, wrong, (some, key, value) => {
        expect(rememberedFrom({ ...some, [key]: value })).toBeNull()
      })
    )
    expect(rememberedFrom({ width: 639, height: 480, maximized: false, dark: true })).toBeNull()
    for (const other of [null, 1, 'x', [], {}]) expect(rememberedFrom(other)).toBeNull()
  })

  it('comes back from the disk, or is the first-time size', async () => {
    const file = await fileIn()
    const first = recallWindow(file)
    expect(first).toMatchObject({ maximized: false, dark: true })
    const some = { width: 800, height: 600, x: -5, y: 7, maximized: true, dark: false }
    rememberWindow(file, some)
    expect(recallWindow(file)).toEqual(some)
    await writeFile(file, '{"width": 8')
    expect(recallWindow(file)).toEqual(first)
  })
})
