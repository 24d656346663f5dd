import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Numbers of one format: bytes as a trainer would write them, and what they stand for by the definition of the format. */
export interface Numbers {
  dtype: string
  bytes: Buffer
  values: number[]
}

export interface Tensor extends Numbers {
  shape: number[]
}

/** A repeatable stream of numbers in [0, 1). */
export function seeded(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

/** Value of a small float with these field widths, from its definition. */
function floatOf(bits: number, exponentBits: number, fractionBits: number, ieee: boolean): number {
  const sign = bits >> (exponentBits + fractionBits) ? -1 : 1
  const exponent = (bits >> fractionBits) & (2 ** exponentBits - 1)
  const fraction = bits & (2 ** fractionBits - 1)
  const bias = 2 ** (exponentBits - 1) - 1
  const top = exponent === 2 ** exponentBits - 1
  if (ieee && top) return fraction === 0 ? sign * Infinity : NaN
  if (!ieee && top && fraction === 2 ** fractionBits - 1) return NaN
  return exponent === 0
    ? sign * (fraction / 2 ** fractionBits) * 2 ** (1 - bias)
    : sign * (1 + fraction / 2 ** fractionBits) * 2 ** (exponent - bias)
}

const small: Record<string, { size: 1 | 2; value: (bits: number) => number }> = {
  F16: { size: 2, value: (bits) => floatOf(bits, 5, 10, true) },
  BF16: { size: 2, value: (bits) => floatOf(bits, 8, 7, true) },
  F8_E4M3: { size: 1, value: (bits) => floatOf(bits, 4, 3, false) },
  F8_E5M2: { size: 1, value: (bits) => floatOf(bits, 5, 2, true) }
}

/** Numbers from raw bit patterns of a small format. */
export function fromBits(dtype: string, bits: readonly number[]): Numbers {
  const format = small[dtype]
  if (format === undefined) throw new Error(dtype)
  const bytes = Buffer.alloc(bits.length * format.size)
  for (const [index, pattern] of bits.entries())
    if (format.size === 2) bytes.writeUInt16LE(pattern, index * 2)
    else bytes.writeUInt8(pattern, index)
  return { dtype, bytes, values: bits.map((pattern) => format.value(pattern)) }
}

const wide: Record<
  string,
  {
    size: number
    write: (bytes: Buffer, value: number, at: number) => void
    round: (value: number) => number
  }
> = {
  F32: { size: 4, write: (bytes, value, at) => bytes.writeFloatLE(value, at), round: Math.fround },
  F64: {
    size: 8,
    write: (bytes, value, at) => bytes.writeDoubleLE(value, at),
    round: (value) => value
  },
  I64: {
    size: 8,
    write: (bytes, value, at) => bytes.writeBigInt64LE(BigInt(value), at),
    round: Math.round
  },
  I32: { size: 4, write: (bytes, value, at) => bytes.writeInt32LE(value, at), round: Math.round },
  I16: { size: 2, write: (bytes, value, at) => bytes.writeInt16LE(value, at), round: Math.round },
  U8: {
    size: 1,
    write: (bytes, value, at) => bytes.writeUInt8(value, at),
    round: (value) => Math.abs(Math.round(value)) & 255
  }
}

/** Numbers of a wide format nearest to these. */
export function fromValues(dtype: string, values: readonly number[]): Numbers {
  const format = wide[dtype]
  if (format === undefined) throw new Error(dtype)
  const bytes = Buffer.alloc(values.length * format.size)
  const rounded = values.map((value) => format.round(value))
  for (const [index, value] of rounded.entries()) format.write(bytes, value, index * format.size)
  return { dtype, bytes, values: rounded }
}

export function tensor(shape: number[], numbers: Numbers): Tensor {
  return { ...numbers, shape }
}

/** Any finite numbers of any format. */
export function randomTensor(dtype: string, shape: number[], random: () => number): Tensor {
  const count = shape.reduce((product, size) => product * size, 1)
  const format = small[dtype]
  if (format === undefined)
    return tensor(
      shape,
      fromValues(
        dtype,
        Array.from({ length: count }, () => (random() - 0.5) * 200)
      )
    )
  const limit = 2 ** (8 * format.size)
  const draw = (): number => {
    for (;;) {
      const bits = Math.floor(random() * limit)
      if (Number.isFinite(format.value(bits)) && Math.abs(format.value(bits)) < 1e15) return bits
    }
  }
  return tensor(shape, fromBits(dtype, Array.from({ length: count }, draw)))
}

/** A safetensors file of these tensors, laid out by hand from the format's description. */
export function safetensors(
  tensors: Record<string, Tensor>,
  metadata?: Record<string, string>
): Buffer {
  let at = 0
  const header: Record<string, unknown> = metadata === undefined ? {} : { __metadata__: metadata }
  for (const [name, { dtype, shape, bytes }] of Object.entries(tensors)) {
    header[name] = { dtype, shape, data_offsets: [at, at + bytes.length] }
    at += bytes.length
  }
  return withHeader(JSON.stringify(header), ...Object.values(tensors).map(({ bytes }) => bytes))
}

export function withHeader(header: string, ...data: Buffer[]): Buffer {
  const text = Buffer.from(header)
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length))
  return Buffer.concat([length, text, ...data])
}

/** A folder under the temp folder with these files, removed afterwards. */
export async function withFiles<T>(
  files: Record<string, string | Buffer>,
  use: (folder: string) => Promise<T>
): Promise<T> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-weights-'))
  try {
    for (const [name, data] of Object.entries(files)) {
      await mkdir(join(folder, name, '..'), { recursive: true })
      await writeFile(join(folder, name), data)
    }
    return await use(folder)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
