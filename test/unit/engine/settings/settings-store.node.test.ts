import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { defaultSettings, SettingsStore } from '../../../../src-main/engine/settings'

let home: string

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-settings-'))
})

afterEach(() => rm(home, { recursive: true }))

it('starts with the defaults and keeps what was set', async () => {
  const store = await SettingsStore.open(home)
  expect(store.get()).toEqual(defaultSettings)
  await Promise.all([
    store.set({ language: 'zh' }),
    store.set({ theme: 'dark' }),
    store.set({ wrapLog: true }),
    store.set({ keepWatching: undefined })
  ])
  const again = await SettingsStore.open(home)
  expect(again.get()).toEqual({ ...defaultSettings, language: 'zh', theme: 'dark', wrapLog: true })
  expect(again.problem).toBeNull()
})

it('keeps a damaged file aside, says so, and goes on', async () => {
  for (const [damage, why] of [
    ['{', 'JSON'],
    ['{"version":1,"theme":"pink"}', 'theme'],
    ['[]', '']
  ] as const) {
    await rm(home, { recursive: true })
    const file = join(home, 'settings.json')
    await SettingsStore.open(home)
    await writeFile(file, damage)
    const store = await SettingsStore.open(home)
    expect(store.get()).toEqual(defaultSettings)
    expect(store.problem?.en).toContain(why)
    const aside = (await readdir(home)).find((name) => name.startsWith('settings.json.damaged-'))
    expect(await readFile(join(home, aside ?? ''), 'utf8')).toBe(damage)
  }
})

it('fills in what an older file lacks', async () => {
  await writeFile(join(home, 'settings.json'), '{"version":1,"language":"en"}')
  const store = await SettingsStore.open(home)
  expect(store.problem).toBeNull()
  expect(store.get()).toEqual({ ...defaultSettings, language: 'en' })
})

it('tells watchers of every change until they leave', async () => {
  const store = await SettingsStore.open(home)
  const aborter = new AbortController()
  const seen: string[] = []
  for await (const settings of store.watch(aborter.signal)) {
    seen.push(settings.theme)
    if (settings.theme === 'system') void store.set({ theme: 'light' })
    else aborter.abort()
  }
  expect(seen).toEqual(['system', 'light'])
})
