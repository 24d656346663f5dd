import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openEngine, type Engine } from '../../../../src-main/engine'
import { recipeText } from '../../../support/run-service'

let home: string
let engine: Engine

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-saved-'))
  for (const [name, port] of [
    ['a', 18_001],
    ['b', 18_002]
  ] as const)
    await writeFile(join(home, `${name}.yaml`), recipeText(port))
  engine = await openEngine({
    home,
    resources: resolve('resources'),
    recipes: resolve('recipes'),
    version: '0.0.0',
    host: null,
    watch: 'asked'
  })
})
afterAll(async () => {
  await engine.dispose()
  await rm(home, { recursive: true, force: true })
})

describe('a comparison with a name', () => {
  it('refuses a recipe that is no YAML rather than take it for an empty one', async () => {
    const { compare } = createRouterClient(engine.router)
    await writeFile(join(home, 'broken.yaml'), 'schema-version: 2\nreef: [a\n')
    const sides = ['a', 'broken'].map((name) => ({
      kind: 'recipe' as const,
      path: join(home, `${name}.yaml`)
    }))
    await expect(compare.sides({ sides, window: 4 })).rejects.toMatchObject({
      data: { code: 'recipe-unreadable', where: `${join(home, 'broken.yaml')}:3:1` }
    })
  })

  it('is kept with what it came to, replaced by its name, listed, exported and forgotten', async () => {
    const { compare } = createRouterClient(engine.router)
    const sides = ['a', 'b'].map((name) => ({
      kind: 'recipe' as const,
      path: join(home, `${name}.yaml`)
    }))
    const asked = { sides, baseline: 1, window: 4 }
    const first = await compare.save({ ...asked, name: 'ports' })
    expect(first.then.settings.find(({ path }) => path === 'reef.port')?.values).toEqual([
      '18001',
      '18002'
    ])
    const second = await compare.save({ ...asked, baseline: 0, name: ' ports ' })
    expect(second.id).toBe(first.id)
    await writeFile(join(home, 'comparisons', 'torn.json'), '{"id":')
    const { comparisons, unreadable } = await compare.saved()
    expect(comparisons).toMatchObject([
      { name: 'ports', baseline: 0, labels: ['a.yaml', 'b.yaml'] }
    ])
    expect(unreadable).toEqual([join(home, 'comparisons', 'torn.json')])
    // A baseline without a recipe does not hide that the others' differ.
    const mixed = [{ kind: 'files' as const, path: home }, ...sides]
    const { settings } = await compare.sides({ sides: mixed, baseline: 0 })
    expect(settings.find(({ path }) => path === 'reef.port')?.values).toEqual([
      null,
      '18001',
      '18002'
    ])
    const { html } = await compare.exportPage({ ...asked, name: 'ports', language: 'en' })
    expect(html).toContain('18001')
    // A side that is gone does not take what was kept with it.
    await rm(join(home, 'a.yaml'))
    await expect(compare.sides(asked)).rejects.toThrow()
    expect((await compare.savedOne({ id: first.id })).then).toEqual(second.then)
    await compare.removeSaved({ id: first.id })
    expect((await compare.saved()).comparisons).toEqual([])
    await expect(compare.savedOne({ id: first.id })).rejects.toMatchObject({
      data: { code: 'kept-unknown' }
    })
    await expect(compare.savedOne({ id: '../settings' })).rejects.toMatchObject({
      data: { code: 'kept-unknown' }
    })
  })
})

describe('what is experimental', () => {
  it('is done only where a person has switched it on', async () => {
    const { releases, settings } = createRouterClient(engine.router)
    const asked = { run: 'no-such-run', step: 1, withOptimizer: true }
    const off = { data: { code: 'experimental-off' } }
    await expect(releases.rollbackPlan(asked)).rejects.toMatchObject(off)
    await expect(releases.rollback(asked)).rejects.toMatchObject(off)
    expect((await settings.get()).redeployWithOptimizer).toBeUndefined()
    await settings.set({ redeployWithOptimizer: true })
    await expect(releases.rollbackPlan(asked)).rejects.not.toMatchObject(off)
    await expect(
      releases.rollbackPlan({ ...asked, withOptimizer: false })
    ).rejects.not.toMatchObject(off)
  })
})
