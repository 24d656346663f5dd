import { mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import { RecipeDrafts } from '../../../../src-main/engine/router/recipe-drafts'

describe('kept edits', () => {
  let folder: string
  let drafts: RecipeDrafts
  const path = '/home/user/recipes/a.yaml'

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'slipway-drafts-'))
    drafts = new RecipeDrafts(join(folder, 'drafts'), systemClock)
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('come back word for word to another engine, and are gone once forgotten', async () => {
    expect(await drafts.read(path)).toBeNull()
    await drafts.keep({ path, text: 'lr: 1e-6 # 中\r\n', modified: 12.5 })
    const later = new RecipeDrafts(join(folder, 'drafts'), systemClock)
    expect(await later.read(path)).toMatchObject({
      path,
      text: 'lr: 1e-6 # 中\r\n',
      modified: 12.5
    })
    expect(await later.read('/home/user/recipes/b.yaml')).toBeNull()
    await later.keep({ path, text: null, modified: 0 })
    expect(await drafts.read(path)).toBeNull()
  })

  it('are the last ones when calls overlap', async () => {
    const texts = Array.from({ length: 20 }, (_each, i) => `a: ${i}\n`)
    await Promise.all(texts.map((text) => drafts.keep({ path, text, modified: 1 })))
    expect((await drafts.read(path))?.text).toBe('a: 19\n')
  })

  it('are readable by their owner only', async () => {
    await drafts.keep({ path, text: 'a', modified: 1 })
    const [name = ''] = await readdir(join(folder, 'drafts'))
    expect((await stat(join(folder, 'drafts', name))).mode & 0o777).toBe(0o600)
  })

  it('that were cut short are none', async () => {
    await drafts.keep({ path, text: 'a', modified: 1 })
    const [name = ''] = await readdir(join(folder, 'drafts'))
    await writeFile(join(folder, 'drafts', name), '{"path": "/home')
    expect(await drafts.read(path)).toBeNull()
  })
})
