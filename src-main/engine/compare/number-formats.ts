import type { WeightKernel } from './weight-kernel'

/** How the numbers of a format get to where they are compared. */
export type Decoding =
  /** Float32 already: compared where they were read. */
  | { kind: 'as-is' }
  /** To float32 in the kernel's memory. */
  | {
      kind: 'widen'
      widen: (kernel: WeightKernel, source: number, target: number, count: number) => void
    }
  /** To float64, for formats float32 cannot hold. Slower. */
  | { kind: 'exact'; read: (view: DataView, byte: number) => number; bytes: number }

/** Float8 as the safetensors names it: e4m3 has no infinities and one NaN a sign (`e4m3fn`), e5m2 is like IEEE. */
function float8(
  exponentBits: number,
  fractionBits: number,
  bias: number,
  ieee: boolean
): Float32Array {
  return Float32Array.from({ length: 256 }, (_, bits) => {
    const sign = bits & 0x80 ? -1 : 1
    const exponent = (bits >> fractionBits) & ((1 << exponentBits) - 1)
    const fraction = bits & ((1 << fractionBits) - 1)
    const top = exponent === (1 << exponentBits) - 1
    if (top && ieee) return fraction === 0 ? sign * Infinity : NaN
    if (top && fraction === (1 << fractionBits) - 1) return NaN
    const part = fraction / (1 << fractionBits)
    return exponent === 0
      ? sign * part * 2 ** (1 - bias)
      : sign * (1 + part) * 2 ** (exponent - bias)
  })
}

const e4m3 = float8(4, 3, 7, false)
const e5m2 = float8(5, 2, 15, true)

function byTable(table: Float32Array): Decoding {
  return {
    kind: 'widen',
    widen({ bytes, floats }, source, target, count) {
      const to = target / 4
      for (let index = 0; index < count; index += 1)
        floats[to + index] = table[bytes[source + index] ?? 0] ?? 0
    }
  }
}

function exact(bytes: number, read: (view: DataView, byte: number) => number): Decoding {
  return { kind: 'exact', bytes, read }
}

const decodings: ReadonlyMap<string, Decoding> = new Map<string, Decoding>([
  ['F32', { kind: 'as-is' }],
  [
    'BF16',
    {
      kind: 'widen',
      widen: (kernel, source, target, n) => {
        kernel.bfloat16(source, target, n)
      }
    }
  ],
  [
    'F16',
    {
      kind: 'widen',
      widen: (kernel, source, target, n) => {
        kernel.float16(source, target, n)
      }
    }
  ],
  ['F8_E4M3', byTable(e4m3)],
  ['F8_E5M2', byTable(e5m2)],
  ['F64', exact(8, (view, at) => view.getFloat64(at, true))],
  ['I64', exact(8, (view, at) => Number(view.getBigInt64(at, true)))],
  ['U64', exact(8, (view, at) => Number(view.getBigUint64(at, true)))],
  ['I32', exact(4, (view, at) => view.getInt32(at, true))],
  ['U32', exact(4, (view, at) => view.getUint32(at, true))],
  ['I16', exact(2, (view, at) => view.getInt16(at, true))],
  ['U16', exact(2, (view, at) => view.getUint16(at, true))],
  ['I8', exact(1, (view, at) => view.getInt8(at))],
  ['U8', exact(1, (view, at) => view.getUint8(at))],
  ['BOOL', exact(1, (view, at) => (view.getUint8(at) === 0 ? 0 : 1))]
])

/** How a number format is read; undefined for one that cannot be compared. */
export function decodingOf(dtype: string): Decoding | undefined {
  return decodings.get(dtype)
}

/** How to read single numbers of a format whose fast way is not used, because the other side's has none. */
export function exactReader(dtype: string): ((view: DataView, byte: number) => number) | undefined {
  const decoding = decodings.get(dtype)
  if (decoding?.kind === 'exact') return decoding.read
  const one = new DataView(new ArrayBuffer(4))
  switch (dtype) {
    case 'F32':
      return (view, at) => view.getFloat32(at, true)
    case 'BF16':
      return (view, at) => {
        one.setUint32(0, view.getUint16(at, true) << 16)
        return one.getFloat32(0)
      }
    case 'F16':
      return (view, at) => half(view.getUint16(at, true))
    case 'F8_E4M3':
      return (view, at) => e4m3[view.getUint8(at)] ?? 0
    case 'F8_E5M2':
      return (view, at) => e5m2[view.getUint8(at)] ?? 0
    default:
      return undefined
  }
}

function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const part = (bits & 1023) / 1024
  if (exponent === 31) return part === 0 ? sign * Infinity : NaN
  return exponent === 0 ? sign * part * 2 ** -14 : sign * (1 + part) * 2 ** (exponent - 15)
}
