import { assemble, op, type Code, type WasmFunction } from './wasm-assembler'

/*
 * The inner loops of a weight comparison. In plain JavaScript they run at about a third of the speed at which the
 * bytes can be read; with SIMD, reading is the limit again.
 */

const PAGE = 65_536

/** for (p = local 0; p < local 0 + bytes(local `count`); …), advancing pointers after each round. */
function rounds(
  end: Code,
  endLocal: number,
  body: Code,
  steps: readonly { local: number; bytes: number }[]
): Code {
  const advance = steps.flatMap(({ local, bytes }) => [
    ...op.get(local),
    ...op.i32(bytes),
    ...op.add,
    ...op.set(local)
  ])
  return [
    ...end,
    ...op.set(endLocal),
    ...op.repeatWhile([...body, ...advance, ...op.get(0), ...op.get(endLocal), ...op.lessUnsigned])
  ]
}

/** Pointer in local 0 plus `2 ** shift` bytes for each of the elements counted in `count`. */
const endAfter = (count: number, shift: number): Code => [
  ...op.get(0),
  ...op.get(count),
  ...op.i32(shift),
  ...op.shiftLeft,
  ...op.add
]

/** (source, target, count): count is a multiple of 8, at least 8. Local 2 becomes the end. */
function widen(name: string, lane: (extend: Code) => Code, vectors: number): WasmFunction {
  const half = (extend: Code, offset: number): Code => [
    ...op.get(1),
    ...lane([...op.get(0), ...op.load(), ...extend]),
    ...op.store(offset)
  ]
  const body = [...half(op.i32x4ExtendLowU16, 0), ...half(op.i32x4ExtendHighU16, 16)]
  return {
    name,
    args: 3,
    vectors,
    body: rounds(endAfter(2, 1), 2, body, [
      { local: 0, bytes: 16 },
      { local: 1, bytes: 32 }
    ])
  }
}

const bfloat16 = widen('bfloat16', (word) => [...word, ...op.i32(16), ...op.i32x4ShiftLeft], 0)

/**
 * Half floats: the magnitude is moved to where a float32 keeps it and scaled by 2^112, which sets the exponent right for
 * normal and subnormal values alike; infinities and NaN get their exponent afterwards.
 */
const float16 = widen(
  'float16',
  (word) => {
    const bits = 3
    const magnitude = 4
    return [
      ...[...word, ...op.set(bits)],
      ...[...op.get(bits), ...op.lanes(0x7fff), ...op.and, ...op.set(magnitude)],
      ...[...op.get(magnitude), ...op.i32(13), ...op.i32x4ShiftLeft],
      ...[...op.lanes(0x77800000), ...op.f32x4Mul],
      ...[...op.get(magnitude), ...op.lanes(0x7c00), ...op.i32x4GreaterEqual],
      ...[...op.lanes(0x7f800000), ...op.and, ...op.or],
      ...[...op.get(bits), ...op.lanes(0x8000), ...op.and],
      ...[...op.i32(16), ...op.i32x4ShiftLeft, ...op.or]
    ]
  },
  2
)

/**
 * (a, b, count, out): count float32 pairs, a multiple of 4, at least 4. Writes at `out` six vectors:
 * f64x2 sums of a², b², a·b and (b − a)², i32x4 counts of a ≠ b, f32x4 largest |b − a|.
 */
function statistics(): WasmFunction {
  const [x, y, wideX, wideY, wideD, changed, largest] = [4, 5, 6, 7, 8, 9, 10]
  const sums = { aa: [11, 12], bb: [13, 14], ab: [15, 16], dd: [17, 18] } as const
  const addProduct = (sum: number, left: number, right: number): Code => [
    ...[...op.get(sum), ...op.get(left), ...op.get(right)],
    ...[...op.f64x2Mul, ...op.f64x2Add, ...op.set(sum)]
  ]
  /** Sums two of the four lanes in float64; `pick` moves them down. */
  const half = (index: 0 | 1, pick: (local: number) => Code): Code => [
    ...[...pick(x), ...op.f64x2PromoteLow, ...op.set(wideX)],
    ...[...pick(y), ...op.f64x2PromoteLow, ...op.tee(wideY)],
    ...[...op.get(wideX), ...op.f64x2Sub, ...op.set(wideD)],
    ...addProduct(sums.aa[index], wideX, wideX),
    ...addProduct(sums.bb[index], wideY, wideY),
    ...addProduct(sums.ab[index], wideX, wideY),
    ...addProduct(sums.dd[index], wideD, wideD)
  ]
  const round = [
    ...[...op.get(0), ...op.load(), ...op.set(x), ...op.get(1), ...op.load(), ...op.set(y)],
    // A true lane is −1, so subtracting it counts.
    ...[...op.get(changed), ...op.get(x), ...op.get(y), ...op.f32x4NotEqual],
    ...[...op.i32x4Sub, ...op.set(changed)],
    ...[...op.get(largest), ...op.get(y), ...op.get(x), ...op.f32x4Sub],
    ...[...op.f32x4Abs, ...op.f32x4PseudoMax, ...op.set(largest)],
    ...half(0, (local) => op.get(local)),
    ...half(1, (local) => [...op.get(local), ...op.get(local), ...op.upperHalf])
  ]
  const loop = rounds(endAfter(2, 2), 2, round, [
    { local: 0, bytes: 16 },
    { local: 1, bytes: 16 }
  ])
  const write = (offset: number, value: Code): Code => [...op.get(3), ...value, ...op.store(offset)]
  const total = ([first, second]: readonly [number, number]): Code => [
    ...op.get(first),
    ...op.get(second),
    ...op.f64x2Add
  ]
  return {
    name: 'statistics',
    args: 4,
    vectors: 15,
    body: [
      ...loop,
      ...write(0, total(sums.aa)),
      ...write(16, total(sums.bb)),
      ...write(32, total(sums.ab)),
      ...write(48, total(sums.dd)),
      ...write(64, op.get(changed)),
      ...write(80, op.get(largest))
    ]
  }
}

type Exported = (...args: number[]) => void

function exported(instance: WebAssembly.Instance, name: string): Exported {
  const value = instance.exports[name]
  if (typeof value !== 'function') throw new Error(`kernel lacks ${name}`)
  return (...args) => {
    Reflect.apply(value, undefined, args)
  }
}

/** Sums over pairs (a, b) with d = b − a. */
export interface PairSums {
  aa: number
  bb: number
  ab: number
  dd: number
  /** Pairs with a ≠ b. */
  changed: number
  /** Largest |d|. */
  largest: number
}

/** Kernels over one linear memory, and where in it to put what they work on. Offsets and sizes in bytes. */
export interface WeightKernel {
  /** Read file bytes to here: two buffers a side, each `chunkBytes` long. */
  readonly input: readonly [readonly [number, number], readonly [number, number]]
  readonly bytes: Uint8Array
  readonly floats: Float32Array
  /** Where each side's float32 values go, `blockElements` long. */
  readonly scratch: readonly [number, number]
  bfloat16(source: number, target: number, count: number): void
  float16(source: number, target: number, count: number): void
  /** Adds the sums over `count` pairs of float32 to `into`. */
  addSums(a: number, b: number, count: number, into: PairSums): void
}

/** Slack behind every buffer: kernels work in whole vectors and may run up to 8 elements on. */
const SLACK = 64

/**
 * @param chunkBytes size of each of the four input buffers
 * @param blockElements float32 values a side that are worked on at once; small enough to stay in the cache
 */
export async function createWeightKernel(
  chunkBytes: number,
  blockElements: number
): Promise<WeightKernel> {
  const stride = chunkBytes + SLACK
  const scratchBytes = blockElements * 4 + SLACK
  const out = 4 * stride + 2 * scratchBytes
  const pages = Math.ceil((out + 128) / PAGE)
  const memory = new WebAssembly.Memory({ initial: pages, maximum: pages })
  const { instance } = await WebAssembly.instantiate(assemble([bfloat16, float16, statistics()]), {
    host: { memory }
  })
  const [widenBfloat16, widenFloat16, sum] = ['bfloat16', 'float16', 'statistics'].map((name) =>
    exported(instance, name)
  )
  if (widenBfloat16 === undefined || widenFloat16 === undefined || sum === undefined)
    throw new Error('kernel is incomplete')
  const floats = new Float32Array(memory.buffer)
  const doubles = new Float64Array(memory.buffer, out, 8)
  const counts = new Int32Array(memory.buffer, out + 64, 4)
  const maxima = new Float32Array(memory.buffer, out + 80, 4)
  const wholeVectors = (count: number): number => (count + 7) & ~7
  return {
    input: [
      [0, stride],
      [2 * stride, 3 * stride]
    ],
    bytes: new Uint8Array(memory.buffer),
    floats,
    scratch: [4 * stride, 4 * stride + scratchBytes],
    bfloat16: (source, target, count) => {
      if (count > 0) widenBfloat16(source, target, wholeVectors(count))
    },
    float16: (source, target, count) => {
      if (count > 0) widenFloat16(source, target, wholeVectors(count))
    },
    addSums(a, b, count, into) {
      const whole = count & ~3
      if (whole > 0) {
        sum(a, b, whole, out)
        into.aa += (doubles[0] ?? 0) + (doubles[1] ?? 0)
        into.bb += (doubles[2] ?? 0) + (doubles[3] ?? 0)
        into.ab += (doubles[4] ?? 0) + (doubles[5] ?? 0)
        into.dd += (doubles[6] ?? 0) + (doubles[7] ?? 0)
        for (const lane of counts) into.changed += lane
        for (const lane of maxima) if (lane > into.largest) into.largest = lane
      }
      for (let index = whole; index < count; index += 1)
        addPair(floats[a / 4 + index] ?? 0, floats[b / 4 + index] ?? 0, into)
    }
  }
}

/** Adds one pair. */
export function addPair(a: number, b: number, into: PairSums): void {
  const d = b - a
  into.aa += a * a
  into.bb += b * b
  into.ab += a * b
  into.dd += d * d
  if (a !== b) into.changed += 1
  if (Math.abs(d) > into.largest) into.largest = Math.abs(d)
}

export function noSums(): PairSums {
  return { aa: 0, bb: 0, ab: 0, dd: 0, changed: 0, largest: 0 }
}
