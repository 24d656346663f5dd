import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { exportCheckpoint } from '../../../../src-main/engine/checkpoints'
import { localFiles } from '../../../../src-main/engine/targets'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-export-'))
  await mkdir(join(folder, 'hf', 'inner'), { recursive: true })
  await writeFile(join(folder, 'hf', 'model.safetensors'), Buffer.alloc(5_000_000, 7))
  await writeFile(join(folder, 'hf', 'inner', 'a.json'), '{}')
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const run = (to: string, signal = new AbortController().signal) =>
  exportCheckpoint(localFiles(), join(folder, 'hf'), join(folder, to), signal)

it('copies every byte, and adds nothing to a full model', async () => {
  expect(await run('out')).toMatchObject({ files: 2, bytes: 5_000_002, adapter: false })
  const [copy, source] = await Promise.all(
    ['out', 'hf'].map((name) => readFile(join(folder, name, 'model.safetensors')))
  )
  expect(source !== undefined && copy?.equals(source)).toBe(true)
  expect((await readdir(join(folder, 'out'))).sort()).toEqual(['inner', 'model.safetensors'])
})

it('tells how an adapter is used, and on which base', async () => {
  const config = { base_model_name_or_path: 'org/base "x"', r: 8 }
  await writeFile(join(folder, 'hf', 'adapter_config.json'), JSON.stringify(config))
  expect((await run('out')).adapter).toBe(true)
  const note = await readFile(join(folder, 'out', 'USAGE.md'), 'utf8')
  expect(note).toContain('from_pretrained("org/base \\"x\\"")')
  // The checkpoint itself is only read.
  expect(await readdir(join(folder, 'hf'))).not.toContain('USAGE.md')
})

it('never writes into a folder that is there, and leaves nothing of a copy that was ended', async () => {
  await mkdir(join(folder, 'there'))
  await expect(run('there')).rejects.toMatchObject({ failure: { code: 'export-target' } })
  expect(await readdir(join(folder, 'there'))).toEqual([])
  const aborter = new AbortController()
  aborter.abort()
  await expect(run('new', aborter.signal)).rejects.toThrow()
  expect((await readdir(folder)).sort()).toEqual(['hf', 'there'])
})
