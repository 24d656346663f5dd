import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import { defaultHome, newRunId, type NewRun, RunStore } from '../../../../src-main/engine/runs'

let home: string
let store: RunStore

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-home-'))
  store = await RunStore.open(home, systemClock)
})

afterEach(() => rm(home, { recursive: true }))

const bytes = new Uint8Array([0xef, 0xbb, 0xbf, 0x61, 0x3a, 0x20, 0x31, 0x0d, 0x0a, 0xff])

const newRun = (more: Partial<NewRun> = {}): NewRun => ({
  name: 'Practice: SAO',
  tags: [],
  starred: false,
  archived: false,
  createdAt: 1_700_000_000_000,
  recipe: {
    name: 'Practice: SAO',
    path: '/recipes/practice-sao.yaml',
    dialect: 'reef-v2',
    family: 'sao',
    practice: true,
    model: null
  },
  target: { id: 'local', name: 'This computer', kind: 'process' },
  appVersion: '0.1.0',
  checkout: null,
  rollback: 'api',
  overrides: [],
  companions: [],
  recipeText: bytes,
  resolved: [],
  preflight: null,
  ...more
})

describe('a run folder', () => {
  it('holds the recipe byte for byte and everything the design names', async () => {
    const { id } = await store.create(newRun())
    const paths = store.paths(id)
    expect(new Uint8Array(await readFile(paths.recipe))).toEqual(bytes)
    expect((await readdir(paths.folder)).sort()).toEqual([
      'logs',
      'metrics',
      'notes.md',
      'recipe.yaml',
      'resolved.json',
      'run.json',
      'stack'
    ])
    expect((await stat(paths.folder)).mode & 0o777).toBe(0o700)
    expect((await stat(paths.record)).mode & 0o777).toBe(0o600)
  })

  it('is updated by changes that follow one another', async () => {
    const { id } = await store.create(newRun())
    await Promise.all(
      Array.from({ length: 20 }, (_, tag) =>
        store.update(id, (record) => ({ ...record, tags: [...record.tags, String(tag)] }))
      )
    )
    const again = await RunStore.open(home, systemClock)
    expect((await again.read(id)).tags).toHaveLength(20)
  })

  it('sees what another engine wrote', async () => {
    const { id } = await store.create(newRun())
    const other = await RunStore.open(home, systemClock)
    expect((await other.read(id)).name).toBe('Practice: SAO')
    await store.update(id, (record) => ({ ...record, name: 'renamed' }))
    expect((await other.read(id)).name).toBe('renamed')
  })
})

describe('damage', () => {
  it('is shown, with the reason, and the rest opens', async () => {
    const good = await store.create(newRun())
    const runs = join(home, 'runs')
    await mkdir(join(runs, 'empty'))
    await mkdir(join(runs, 'broken'))
    await writeFile(join(runs, 'broken', 'run.json'), '{"schema":1,')
    await mkdir(join(runs, 'wrong'))
    await writeFile(join(runs, 'wrong', 'run.json'), '{"schema":1,"id":7}')
    await mkdir(join(runs, 'newer'))
    await writeFile(join(runs, 'newer', 'run.json'), '{"schema":99}')
    const listing = await store.list()
    expect(listing.records.map(({ id }) => id)).toEqual([good.id])
    const why = Object.fromEntries(listing.damaged.map((one) => [one.id, one.why.en]))
    expect(why['empty']).toContain('no run.json')
    expect(why['broken']).toContain('cannot be read')
    expect(why['wrong']).toContain('id')
    expect(why['newer']).toContain('newer Slipway')
    expect(why['broken']).toContain(join(runs, 'broken', 'run.json'))
    await expect(store.read('broken')).rejects.toMatchObject({ failure: { code: 'run-damaged' } })
    expect(await readFile(join(runs, 'broken', 'run.json'), 'utf8')).toBe('{"schema":1,')
  })

  it('names the file, and what of the stack is still known, and how to find it', async () => {
    const runs = join(home, 'runs')
    const attempts = (handle: string): string =>
      `{"schema":1,"attempts":[{"number":1,"handle":{"kind":"process","pid":11}},{"handle":${handle}`
    const cases = {
      process: attempts('{\n "kind": "process",\n "pid": 4711, "startTi'),
      container: attempts('{"kind":"container","id":"0123456789abcdef","name":"x"'),
      nothing: '{"schema":1,'
    }
    for (const [id, text] of Object.entries(cases)) {
      await mkdir(join(runs, id))
      await writeFile(join(runs, id, 'run.json'), text)
    }
    const remedy = Object.fromEntries(
      (await store.list()).damaged.map((one) => [one.id, one.remedy])
    )
    expect(remedy['process']?.en).toContain('names process 4711')
    expect(remedy['process']?.zh).toContain('进程 4711')
    expect(remedy['container']?.en).toContain('names container 0123456789ab.')
    expect(remedy['nothing']?.en).not.toContain('names')
    for (const id of Object.keys(cases)) {
      expect(remedy[id]?.en).toContain(join(runs, id, 'run.json'))
      expect(remedy[id]?.en).toContain(`label=slipway.run=${id}`)
    }
  })

  it('does not follow an id out of the home', async () => {
    for (const id of ['../x', '..', '', 'a/b', 'none']) {
      await expect(Promise.resolve().then(() => store.read(id))).rejects.toMatchObject({
        failure: { code: 'run-unknown' }
      })
    }
  })
})

it('agrees on one installation id however many engines start at once', async () => {
  const fresh = await mkdtemp(join(tmpdir(), 'slipway-home-'))
  try {
    const stores = await Promise.all(
      Array.from({ length: 10 }, () => RunStore.open(fresh, systemClock))
    )
    expect(new Set(stores.map((one) => one.installation)).size).toBe(1)
    expect((await stat(join(fresh, 'installation'))).mode & 0o777).toBe(0o600)
  } finally {
    await rm(fresh, { recursive: true })
  }
})

it('names runs so that they sort by time', () => {
  expect(newRunId('Practice: SAO', Date.UTC(2026, 2, 14, 9, 26, 53))).toMatch(
    /^20260314-092653-practice-sao-[0-9a-f]{4}$/
  )
  expect(newRunId('练习', 0)).toMatch(/^19700101-000000-[0-9a-f]{4}$/)
})

it('takes its home from the environment', () => {
  expect(defaultHome({ SLIPWAY_HOME: '/x' })).toBe('/x')
  expect(defaultHome({ SLIPWAY_HOME: '' })).toMatch(/slipway$/)
})
