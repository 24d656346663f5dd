import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import {
  allocatedBytes,
  byteSize,
  paceOf,
  storedCheckpoints
} from '../../../../src-main/engine/preflight/checkpoint-storage'
import { capacityOutcome, keptOutcome } from '../../../../src-main/engine/preflight/disk-space'
import { lfsPointers } from '../../../../src-main/engine/preflight/lfs-pointers'
import { localFiles } from '../../../../src-main/engine/targets'
import { judged, launchContext, slimeRecipe } from '../../../support/preflight-yard'

let folder = ''
const files = localFiles(systemClock)
const { signal } = new AbortController()
const KIB64 = 64 * 1024

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-storage-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function put(path: string, content: string | number): Promise<void> {
  const file = join(folder, path)
  await mkdir(dirname(file), { recursive: true })
  await writeFile(file, typeof content === 'string' ? content : Buffer.alloc(content, 1))
}

describe('sizes', () => {
  it.each([
    ['600GB', 600e9],
    ['1.5 TiB', 1.5 * 2 ** 40],
    ['10gib', 10 * 2 ** 30],
    ['5000', 5000],
    ['12 bananas', null],
    ['', null]
  ])('%s', (text, bytes) => {
    expect(byteSize(text)).toBe(bytes)
  })

  it('never throw, and are never negative', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(byteSize(text) ?? 0).toBeGreaterThanOrEqual(0)
      })
    )
  })
})

describe('what lies under a checkpoint root', () => {
  it('counts the files that links lead to, as a hub’s snapshot is made', async () => {
    await put('blobs/abc', KIB64)
    await mkdir(join(folder, 'snapshot'))
    await symlink('../blobs/abc', join(folder, 'snapshot', 'model.safetensors'))
    expect(await allocatedBytes(files, join(folder, 'snapshot'), signal)).toBe(KIB64)
  })

  it('reads tracker, records and estimate; keeps what the stack protects', async () => {
    await put('hf/3/model.safetensors', KIB64)
    await put('hf/7/model.safetensors', KIB64)
    await put('megatron/iter_0000007/x', 2 * KIB64)
    await put('megatron/iter_0000003/x', 4 * KIB64)
    await put('megatron/latest_checkpointed_iteration.txt', '7')
    const record = (id: number, bytes: number): Promise<void> =>
      put(
        `.reef-retention/records/${String(id).padStart(20, '0')}.json`,
        JSON.stringify({ version: 1, status: 'COMPLETE', job_id: 'j', rollout_id: id, bytes })
      )
    await record(3, 900)
    await record(7, 5000)
    await put('.reef-retention/estimate.json', '{"bytes": 7000}')
    const seen = await storedCheckpoints(files, folder, join(folder, 'megatron'), signal)
    expect(seen).toMatchObject({ recorded: 7000, megatron: 2 * KIB64, count: 2 })
    expect(seen.live).toBe(8 * KIB64)
    expect(seen.kept).toBe(3 * KIB64)
    await put('.reef-retention/estimate.json', 'torn')
    expect((await storedCheckpoints(files, folder, null, signal)).recorded).toBe(5000)
  })

  it('takes nothing for nothing on a first boot', async () => {
    const seen = await storedCheckpoints(files, join(folder, 'none'), null, signal)
    expect(seen).toEqual({
      megatron: 0,
      recorded: 0,
      kept: 0,
      live: 0,
      count: 0,
      pace: null
    })
  })

  it('knows a pace from two checkpoints on', () => {
    const hour = 3_600_000
    expect(paceOf([{ bytes: 5, at: 0 }])).toBeNull()
    expect(
      paceOf([
        { bytes: 10, at: 2 * hour },
        { bytes: 99, at: 0 }
      ])
    ).toBe(5)
  })
})

describe('room', () => {
  const input = {
    model: 3e9,
    megatron: 0,
    lora: false,
    critic: false,
    recorded: 0,
    kept: 0,
    live: 0,
    totalBytes: 100e9,
    freeBytes: 90e9,
    maxStorageBytes: null,
    maxStorageFraction: 0.8,
    minFreeBytes: null,
    minFreeFraction: 0.1
  }

  it('warns when the pace leaves nothing to go back to by tomorrow', () => {
    expect(capacityOutcome(input, null).verdict).toBe('pass')
    const tight = { ...input, freeBytes: 40e9 }
    expect(capacityOutcome(tight, 10e9)).toMatchObject({ verdict: 'warn' })
    expect(capacityOutcome(tight, 10e9).evidence.en).toContain('used up in 3.0 h')
    expect(capacityOutcome(tight, 1e9).verdict).toBe('pass')
    expect(capacityOutcome({ ...input, freeBytes: 20e9 }, null).verdict).toBe('fail')
  })

  it('for artifacts and records is a warning at most', () => {
    const need = { copies: 9e9, records: 20e9 }
    expect(keptOutcome(need, { path: '/d', free: 30e9 }).verdict).toBe('pass')
    expect(keptOutcome(need, { path: '/d', free: 28e9 }).verdict).toBe('warn')
  })

  it('heeds the recipe’s own limits', async () => {
    await put('model/model.safetensors', KIB64)
    const judge = async (...options: string[]) => {
      const context = await launchContext({ folder, text: slimeRecipe(folder, 8900, options) })
      return (await judged(context, (id) => id === 'disk/checkpoints')).checks.get(
        'disk/checkpoints'
      )
    }
    const free = ['reef-checkpoint-min-free-space: 1KB']
    expect((await judge(...free))?.verdict).toBe('pass')
    const capped = await judge(...free, 'reef-checkpoint-max-storage: 300KB')
    expect(capped).toMatchObject({ verdict: 'fail', judgement: false })
    // 1.2 times the model instead of eight times.
    const lora = ['megatron-lora-rank: 16', 'reef-checkpoint-max-storage: 300KB']
    expect((await judge(...free, ...lora))?.verdict).toBe('pass')
    expect((await judge('reef-checkpoint-min-free-space: 900TB'))?.verdict).toBe('fail')
  })
})

describe('Git LFS pointers', () => {
  const pointer =
    'version https://git-lfs.github.com/spec/v1\noid sha256:4d7a214614ab2935c943f9e0ff69d22eadbb8f32b1258daaa5e2ca24d17e2393\nsize 12345\n'

  it('are found among ordinary files, never in .git', async () => {
    await put('data/train.parquet', pointer)
    await put('.git/lfs/x', pointer)
    await put('README.md', 'A text about version https://git-lfs.github.com/spec/ and more of it')
    await put('weights.bin', KIB64)
    expect(await lfsPointers(files, folder, signal)).toEqual({
      pointers: ['data/train.parquet'],
      whole: true
    })
    await put('data/train.parquet', 'contents')
    expect((await lfsPointers(files, folder, signal)).pointers).toEqual([])
  })
})
