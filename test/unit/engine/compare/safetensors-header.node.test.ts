import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  compareWeights,
  openTensorFiles,
  readSafetensorsHeader,
  openLocalSource,
  type ByteSource
} from '../../../../src-main/engine/compare'
import { FailureError } from '../../../../src-main/engine/lib'
import { randomTensor, safetensors, seeded, withFiles, withHeader } from './weight-files'

/** A file in memory that refuses to be asked for what it does not have. */
function sourceOf(bytes: Buffer, size = bytes.length): ByteSource {
  return {
    path: 'x.safetensors',
    size,
    read(into, offset) {
      if (offset < 0 || offset + into.length > bytes.length)
        return Promise.reject(new RangeError(`${offset}+${into.length} of ${bytes.length}`))
      into.set(bytes.subarray(offset, offset + into.length))
      return Promise.resolve()
    },
    close: () => Promise.resolve()
  }
}

function entry(shape: unknown, from: unknown, to: unknown, dtype: unknown = 'F32'): unknown {
  return { dtype, shape, data_offsets: [from, to] }
}

const header = (tensors: Record<string, unknown>, data = 16): Buffer =>
  withHeader(JSON.stringify(tensors), Buffer.alloc(data))

const lengthOf = (length: bigint, rest: Buffer): Buffer => {
  const lead = Buffer.alloc(8)
  lead.writeBigUInt64LE(length)
  return Buffer.concat([lead, rest])
}

const hostile: [string, Buffer, string][] = [
  ['an empty file', Buffer.alloc(0), 'too-short'],
  ['seven bytes', Buffer.alloc(7), 'too-short'],
  ['a header longer than the file', lengthOf(1000n, Buffer.from('{}')), 'header-length'],
  ['a header of 2^63 bytes', lengthOf(2n ** 63n, Buffer.from('{}')), 'header-length'],
  ['a header of 2^64-1 bytes', lengthOf(2n ** 64n - 1n, Buffer.from('{}')), 'header-length'],
  ['a header of no bytes', lengthOf(0n, Buffer.from('{}')), 'header-length'],
  ['text for a header', withHeader('hello, world'), 'not-json'],
  ['a list for a header', withHeader('[1,2,3,4,5]'), 'not-json'],
  ['broken UTF-8', lengthOf(6n, Buffer.from([0x7b, 0x22, 0xff, 0xfe, 0x22, 0x7d])), 'not-json'],
  ['deep nesting', withHeader('['.repeat(200_000)), 'not-json'],
  ['an entry that is no object', header({ w: 3 }), 'entry'],
  ['no offsets', header({ w: { dtype: 'F32', shape: [4] } }), 'entry'],
  ['a negative offset', header({ w: entry([4], -16, 0) }), 'entry'],
  ['a fractional size', header({ w: entry([4.5], 0, 16) }), 'entry'],
  ['a size beyond what numbers hold', header({ w: entry([1e300], 0, 16) }), 'entry'],
  [
    'a shape of a thousand sizes',
    header({
      w: entry(
        Array.from({ length: 1000 }, () => 1),
        0,
        16
      )
    }),
    'entry'
  ],
  ['a huge product', header({ w: entry([2 ** 30, 2 ** 30], 0, 16) }), 'shape'],
  [
    'a huge product hidden by a zero',
    header({ w: entry([2 ** 40, 2 ** 40, 0], 0, 0), x: entry([4], 0, 16) }),
    'shape'
  ],
  ['bytes that do not fit the shape', header({ w: entry([5], 0, 16) }), 'range'],
  ['an end before the beginning', header({ w: entry([4], 16, 0) }), 'range'],
  ['overlapping tensors', header({ w: entry([3], 0, 12), x: entry([2], 8, 16) }), 'overlap'],
  [
    'two tensors on the same bytes',
    header({ w: entry([4], 0, 16), x: entry([4], 0, 16) }),
    'overlap'
  ],
  ['a hole', header({ w: entry([1], 0, 4), x: entry([2], 8, 16) }), 'gap'],
  ['bytes after the last tensor', header({ w: entry([3], 0, 12) }), 'gap'],
  ['a tensor beyond the end', header({ w: entry([400], 0, 1600) }), 'truncated'],
  ['metadata that is not text', header({ __metadata__: { a: 1 }, w: entry([4], 0, 16) }), 'entry']
]

describe('a safetensors header', () => {
  it.each(hostile)('with %s is refused by name', async (_name, bytes, problem) => {
    const error: unknown = await readSafetensorsHeader(sourceOf(bytes)).catch(
      (cause: unknown) => cause
    )
    expect(error).toBeInstanceOf(FailureError)
    if (error instanceof FailureError) {
      expect(error.failure.code).toBe(`safetensors-${problem}`)
      expect(error.failure.where).toBe('x.safetensors')
      expect(error.failure.what.zh).toMatch(/[一-鿿]/)
    }
  })

  it('is not believed about its length: nothing is allocated for what the file cannot hold', async () => {
    const before = process.memoryUsage().arrayBuffers
    await expect(
      readSafetensorsHeader(sourceOf(lengthOf(50_000_000n, Buffer.from('{}'))))
    ).rejects.toThrow()
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(1_000_000)
  })

  it('keeps names that mean something to JavaScript', async () => {
    const tensors =
      '{"__proto__":{"dtype":"F32","shape":[4],"data_offsets":[0,16]},"constructor":{"dtype":"F32","shape":[0],"data_offsets":[16,16]}}'
    const read = await readSafetensorsHeader(sourceOf(withHeader(tensors, Buffer.alloc(16))))
    expect(read.tensors.map(({ name }) => name)).toEqual(['__proto__', 'constructor'])
  })

  it('reads back what was written', async () => {
    const names = fc.uniqueArray(
      fc
        .string({ minLength: 1, maxLength: 12 })
        .filter((name) => name !== '__metadata__' && name !== '__proto__' && !/^\d+$/.test(name)),
      { maxLength: 8 }
    )
    await fc.assert(
      fc.asyncProperty(
        names,
        fc.array(fc.nat(5), { maxLength: 3 }),
        fc.constantFrom('F32', 'BF16', 'F16', 'F8_E4M3', 'I64'),
        async (keys, shape, dtype) => {
          const random = seeded(1)
          const tensors = Object.fromEntries(
            keys.map((key) => [key, randomTensor(dtype, shape, random)])
          )
          const bytes = safetensors(tensors, { format: 'pt' })
          if (bytes.length < 10) return
          const read = await readSafetensorsHeader(sourceOf(bytes))
          expect(read.metadata).toEqual({ format: 'pt' })
          expect(
            new Map(
              read.tensors.map((tensor) => [
                tensor.name,
                bytes.subarray(tensor.offset, tensor.offset + tensor.bytes).toString('hex')
              ])
            )
          ).toEqual(
            new Map(
              Object.entries(tensors).map(([key, { bytes: data }]) => [key, data.toString('hex')])
            )
          )
        }
      )
    )
  })

  it('that was damaged anywhere is read or refused, never more', async () => {
    const good = safetensors({
      a: randomTensor('BF16', [3, 4], seeded(1)),
      b: randomTensor('F32', [2], seeded(2))
    })
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(fc.nat(good.length - 1), fc.nat(255)), { minLength: 1, maxLength: 6 }),
        fc.nat(good.length),
        async (edits, cut) => {
          const bytes = Buffer.from(good)
          for (const [at, value] of edits) bytes[at] = value
          const shorter = cut % 3 === 0 ? bytes.subarray(0, cut) : bytes
          const error: unknown = await readSafetensorsHeader(sourceOf(shorter)).then(
            () => null,
            (cause: unknown) => cause
          )
          if (error !== null) expect(error).toBeInstanceOf(FailureError)
        }
      ),
      { numRuns: 500 }
    )
  })
})

describe('a checkpoint folder', () => {
  const shard = safetensors({ w: randomTensor('F32', [4], seeded(1)) })
  const index = (map: Record<string, string>): string => JSON.stringify({ weight_map: map })
  const broken: [string, Record<string, string | Buffer>, string][] = [
    ['without weights', { 'c/config.json': '{}' }, 'no-weights'],
    ['with an index that is not JSON', { 'c/model.safetensors.index.json': '{' }, 'index-not-json'],
    [
      'with an index of another form',
      { 'c/model.safetensors.index.json': '{"weights":{}}' },
      'index-form'
    ],
    [
      'with a missing shard',
      { 'c/model.safetensors.index.json': index({ w: 'gone.safetensors' }) },
      'shard-missing'
    ],
    [
      'with an index that leaves the folder',
      {
        'c/model.safetensors.index.json': index({ w: '../other.safetensors' }),
        'other.safetensors': shard
      },
      'index-path'
    ],
    [
      'with an index that names no weights file',
      { 'c/model.safetensors.index.json': index({ w: 'x' }) },
      'index-path'
    ],
    [
      'with an index that lies',
      { 'c/model.safetensors.index.json': index({ v: 'm.safetensors' }), 'c/m.safetensors': shard },
      'tensor-missing'
    ],
    [
      'with one tensor in two shards',
      {
        'c/model.safetensors.index.json': index({ w: 'm.safetensors', x: 'n.safetensors' }),
        'c/m.safetensors': shard,
        'c/n.safetensors': shard
      },
      'tensor-twice'
    ],
    [
      'with a shard cut short',
      { 'c/model.safetensors': shard.subarray(0, shard.length - 3) },
      'safetensors-truncated'
    ]
  ]
  it.each(broken)('%s is refused by name', async (_name, files, code) => {
    await withFiles({ ...files, 'whole/model.safetensors': shard }, async (folder) => {
      await expect(openTensorFiles(openLocalSource, `${folder}/c`)).rejects.toMatchObject({
        failure: { code }
      })
      await expect(
        compareWeights({ a: `${folder}/whole`, b: `${folder}/c` })
      ).rejects.toMatchObject({ failure: { code } })
    })
  })
})
