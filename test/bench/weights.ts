import { createReadStream } from 'node:fs'
import { open } from 'node:fs/promises'
import { join } from 'node:path'
import { compareWeights } from '../../src-main/engine/compare'

export interface WeightFigures {
  /** Bytes of both sides together. */
  bytes: number
  /** Milliseconds, the best of the rounds. */
  streams: number
  compare: number
  /** Speed of comparing over the speed of reading the same bytes with plain streams. */
  ratio: number
  /** Growth of resident memory while comparing, bytes. */
  growth: number
}

async function writeCheckpoint(path: string, bytes: number, flip: number): Promise<void> {
  const columns = 4096
  const rows = Math.floor(bytes / 2 / columns / 16)
  const header: Record<string, unknown> = {}
  const size = rows * columns * 2
  for (let index = 0; index < 16; index += 1)
    header[`model.layers.${index}.mlp.down_proj.weight`] = {
      dtype: 'BF16',
      shape: [rows, columns],
      data_offsets: [index * size, (index + 1) * size]
    }
  const text = Buffer.from(JSON.stringify(header))
  const lead = Buffer.alloc(8)
  lead.writeBigUInt64LE(BigInt(text.length))
  const handle = await open(path, 'w')
  try {
    await handle.writeFile(Buffer.concat([lead, text]))
    const row = new Uint16Array(columns * 64)
    let state = 1
    for (let index = 0; index < row.length; index += 1) {
      state = (Math.imul(state, 1664525) + 1013904223) >>> 0
      row[index] = (0x3c00 + (state >>> 19)) ^ (index % 5 < flip ? 1 : 0)
    }
    const block = Buffer.from(row.buffer)
    for (let left = size * 16; left > 0; left -= block.length)
      await handle.writeFile(block.subarray(0, Math.min(left, block.length)))
  } finally {
    await handle.close()
  }
}

async function readThrough(path: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    createReadStream(path)
      .on('data', () => undefined)
      .on('end', resolve)
      .on('error', reject)
  })
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now()
  await work()
  return performance.now() - from
}

/**
 * Two bf16 checkpoints of `bytes` each in `folder`, read with plain streams and compared, in turns, warm.
 * The folder is the caller's to remove.
 */
export async function measureWeights(
  folder: string,
  bytes: number,
  rounds = 3
): Promise<WeightFigures> {
  const [a, b] = [join(folder, 'a.safetensors'), join(folder, 'b.safetensors')]
  await writeCheckpoint(a, bytes, 0)
  await writeCheckpoint(b, bytes, 2)
  const figures: WeightFigures = {
    bytes: 0,
    streams: Infinity,
    compare: Infinity,
    ratio: 0,
    growth: 0
  }
  const idle = process.memoryUsage().rss
  for (let round = 0; round < rounds; round += 1) {
    figures.streams = Math.min(
      figures.streams,
      await timed(async () => {
        await readThrough(a)
        await readThrough(b)
      })
    )
    figures.compare = Math.min(
      figures.compare,
      await timed(async () => {
        const { bytesRead } = await compareWeights({
          a,
          b,
          onProgress: () => {
            figures.growth = Math.max(figures.growth, process.memoryUsage.rss() - idle)
          }
        })
        figures.bytes = bytesRead
      })
    )
  }
  figures.ratio = figures.streams / figures.compare
  return figures
}
