import { createRouterClient } from '@orpc/server'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, it } from 'vitest'
import { openEngine } from '../../src-main/engine'

it('an imported record opens like a run: curves, log, notes, no chain, and nothing to start', async () => {
  const root = await mkdtemp(join(tmpdir(), 'slipway-import-'))
  const engine = await openEngine({
    home: join(root, 'home'),
    resources: resolve('resources'),
    recipes: resolve('recipes'),
    version: '0',
    host: null,
    watch: 'asked'
  })
  try {
    const client = createRouterClient(engine.router)
    const log = join(root, 'driver.log')
    const lines = [3, 4, 5].map(
      (step) =>
        `[2026-03-04 10:15:2${step}] model.py:1 - step ${step}: {'train/loss': ${step / 10}}`
    )
    await writeFile(log, `hello\n${lines.join('\n')}\n`)
    const { run, imported, problems } = await client.runs.import({ paths: [log], name: 'theirs' })
    expect([problems, imported.samples]).toEqual([[], 3])
    const { runs } = await client.runs.list()
    expect(runs).toMatchObject([{ id: run, name: 'theirs', step: 5, target: { kind: 'import' } }])
    expect(await client.metrics.keys({ run })).toMatchObject([{ key: 'train/loss', count: 3 }])
    expect((await client.metrics.panels({ run })).map(({ id }) => id)).toEqual(['loss'])
    const [source] = await client.logs.sources({ run })
    expect(source).toMatchObject({ id: '1/driver.log', lines: 4 })
    const read = await client.logs.read({ run, source: '1/driver.log', from: 0, count: 9 })
    expect(read.lines.map(({ text, step }) => [text.slice(-5), step])).toEqual([
      ['hello', undefined],
      [': 0.3}'.slice(-5), 3],
      [': 0.4}'.slice(-5), 4],
      [': 0.5}'.slice(-5), 5]
    ])
    expect((await client.releases.chain({ run })).releases).toEqual([])
    await client.runs.update({ run, notes: 'from their cluster', tags: ['theirs'], starred: true })
    const detail = await client.runs.get({ run })
    expect(detail).toMatchObject({
      notes: 'from their cluster',
      summary: { tags: ['theirs'], starred: true, state: { kind: 'imported' } }
    })
    await expect(client.runs.restart({ run })).rejects.toThrow()
    expect((await client.runs.look({})).unseen).toEqual([])
  } finally {
    await engine.dispose()
    await rm(root, { recursive: true, force: true })
  }
})
