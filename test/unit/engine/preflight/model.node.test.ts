import { mkdtemp, rm, truncate, unlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import { shardOutcome } from '../../../../src-main/engine/preflight/model'
import {
  estimateMemory,
  memorySentence,
  shapeOf
} from '../../../../src-main/engine/preflight/model-memory'
import { promisedSize, readWeights } from '../../../../src-main/engine/preflight/model-shards'
import { localFiles } from '../../../../src-main/engine/targets'

let folder = ''
const files = localFiles(systemClock)

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-model-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

function safetensors(values: number): Buffer {
  const header = JSON.stringify({
    __metadata__: { format: 'pt' },
    'a.weight': { dtype: 'F32', shape: [values], data_offsets: [0, values * 4] }
  })
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(values * 4)])
}

const shards = ['model-00001-of-00002.safetensors', 'model-00002-of-00002.safetensors']

async function twoShards(): Promise<void> {
  for (const name of shards) await writeFile(join(folder, name), safetensors(100))
  const weight_map = { a: shards[0], b: shards[1] }
  await writeFile(join(folder, 'model.safetensors.index.json'), JSON.stringify({ weight_map }))
}

describe('readWeights', () => {
  it('finds complete shards complete', async () => {
    await twoShards()
    const weights = await readWeights(files, folder)
    expect(weights?.files).toEqual(shards)
    expect(weights?.problems).toEqual([])
    expect(weights?.bytes).toBe(2 * safetensors(100).length)
  })

  it('finds a shard cut short by a single byte', async () => {
    await twoShards()
    const full = safetensors(100).length
    await truncate(join(folder, shards[1] ?? ''), full - 1)
    const problems = (await readWeights(files, folder))?.problems ?? []
    expect(problems).toEqual([{ kind: 'short', file: shards[1], has: full - 1, needs: full }])
    expect(shardOutcome(problems)).toMatchObject({ verdict: 'fail' })
  })

  it('finds a shard that is cut within its header, missing, a pointer or no safetensors', async () => {
    await twoShards()
    await truncate(join(folder, shards[0] ?? ''), 20)
    await unlink(join(folder, shards[1] ?? ''))
    const kinds = async () => (await readWeights(files, folder))?.problems.map((one) => one.kind)
    expect(await kinds()).toEqual(['short', 'missing'])
    await writeFile(
      join(folder, shards[0] ?? ''),
      'version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n'
    )
    await writeFile(join(folder, shards[1] ?? ''), Buffer.alloc(64, 0xff))
    expect(await kinds()).toEqual(['pointer', 'damaged'])
  })

  it('says that there are no weights', async () => {
    await writeFile(join(folder, 'config.json'), '{}')
    expect(await readWeights(files, folder)).toBeNull()
  })

  it('never throws on a header, whatever it holds', () => {
    fc.assert(
      fc.property(fc.oneof(fc.string(), fc.json()), fc.nat(), (header, bytes) => {
        const size = promisedSize(header, bytes)
        expect(size === null || size >= 8 + bytes).toBe(true)
      })
    )
  })
})

describe('estimateMemory', () => {
  // Qwen2.5-1.5B-Instruct
  const shape = shapeOf({
    num_hidden_layers: 28,
    num_attention_heads: 12,
    num_key_value_heads: 2,
    hidden_size: 1536,
    vocab_size: 151936
  })
  const input = {
    ...(shape ?? { layers: 0, kvHeads: 0, headSize: 0, vocabulary: 0 }),
    parameters: 1.54e9,
    tensorParallel: 1,
    trainerGpus: 1,
    lora: false,
    maxTokensPerGpu: 4096,
    cachedTokens: 4096 * 32
  }

  it('adds up its terms and shows each', () => {
    const estimate = estimateMemory(input)
    expect(shape).toMatchObject({ headSize: 128, kvHeads: 2 })
    expect(estimate.trainer).toBeCloseTo(18 * 1.54e9 + 3 * 4 * 4096 * 151936)
    expect(estimate.cache).toBe(2 * 2 * 28 * 2 * 128 * 4096 * 32)
    expect(memorySentence(estimate, 80e9).en).toContain('optimizer 18 GB')
  })

  it('needs less with LoRA and with more GPUs', () => {
    const full = estimateMemory(input).trainer
    expect(estimateMemory({ ...input, lora: true }).trainer).toBeLessThan(full)
    expect(estimateMemory({ ...input, trainerGpus: 4 }).trainer).toBeLessThan(full)
  })

  it('does not guess from a config without a shape', () => {
    expect(shapeOf({ hidden_size: 1 })).toBeNull()
    expect(shapeOf(null)).toBeNull()
  })
})
