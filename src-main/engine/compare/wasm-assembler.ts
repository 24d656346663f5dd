/**
 * The little of the WebAssembly binary format that the weight kernels need: functions over i32 arguments, one imported
 * memory, SIMD. Public source: the WebAssembly core specification, "Binary format".
 */

export type Code = readonly number[]

/** Unsigned LEB128. */
export function unsigned(value: number): number[] {
  const bytes: number[] = []
  let rest = value
  do {
    const low = rest % 128
    rest = Math.floor(rest / 128)
    bytes.push(rest === 0 ? low : low + 128)
  } while (rest !== 0)
  return bytes
}

/** Signed LEB128 of a 32-bit integer. */
function signed(value: number): number[] {
  const bytes: number[] = []
  let rest = value | 0
  for (;;) {
    const low = rest & 0x7f
    rest >>= 7
    const done = (rest === 0 && (low & 0x40) === 0) || (rest === -1 && (low & 0x40) !== 0)
    bytes.push(done ? low : low | 0x80)
    if (done) return bytes
  }
}

const simd = (opcode: number, ...operands: number[]): Code => [
  0xfd,
  ...unsigned(opcode),
  ...operands
]
/** Unaligned access; `offset` in bytes. */
const memory = (offset: number): number[] => [0, ...unsigned(offset)]

export const op = {
  get: (local: number): Code => [0x20, ...unsigned(local)],
  set: (local: number): Code => [0x21, ...unsigned(local)],
  tee: (local: number): Code => [0x22, ...unsigned(local)],
  i32: (value: number): Code => [0x41, ...signed(value)],
  add: [0x6a] as Code,
  shiftLeft: [0x74] as Code,
  lessUnsigned: [0x49] as Code,
  /** Runs `body` again while the i32 it leaves is not 0. */
  repeatWhile: (body: Code): Code => [0x03, 0x40, ...body, 0x0d, 0, 0x0b],
  load: (offset = 0): Code => simd(0x00, ...memory(offset)),
  store: (offset = 0): Code => simd(0x0b, ...memory(offset)),
  /** Four equal 32-bit lanes. */
  lanes: (value: number): Code => {
    const bytes = [value & 255, (value >>> 8) & 255, (value >>> 16) & 255, value >>> 24]
    return simd(0x0c, ...bytes, ...bytes, ...bytes, ...bytes)
  },
  /** Upper two lanes moved down, for promotion. */
  upperHalf: simd(0x0d, 8, 9, 10, 11, 12, 13, 14, 15, 8, 9, 10, 11, 12, 13, 14, 15),
  and: simd(0x4e),
  or: simd(0x50),
  i32x4GreaterEqual: simd(0x3f),
  i32x4ShiftLeft: simd(0xab),
  i32x4Sub: simd(0xb1),
  i32x4ExtendLowU16: simd(0xa9),
  i32x4ExtendHighU16: simd(0xaa),
  f32x4NotEqual: simd(0x42),
  f32x4Abs: simd(0xe0),
  f32x4Sub: simd(0xe5),
  f32x4Mul: simd(0xe6),
  f32x4PseudoMax: simd(0xeb),
  f64x2Add: simd(0xf0),
  f64x2Sub: simd(0xf1),
  f64x2Mul: simd(0xf2),
  f64x2PromoteLow: simd(0x5f)
}

export interface WasmFunction {
  name: string
  /** Number of i32 arguments; they are locals 0, 1, … */
  args: number
  /** Number of v128 locals after them. */
  vectors: number
  body: Code
}

const I32 = 0x7f
const V128 = 0x7b

function section(id: number, content: readonly number[]): number[] {
  return [id, ...unsigned(content.length), ...content]
}

function vector(items: readonly (readonly number[])[]): number[] {
  return [...unsigned(items.length), ...items.flat()]
}

function name(text: string): number[] {
  const bytes = [...new TextEncoder().encode(text)]
  return [...unsigned(bytes.length), ...bytes]
}

function bodyOf({ vectors, body }: WasmFunction): number[] {
  const locals = vectors === 0 ? vector([]) : vector([[...unsigned(vectors), V128]])
  const code = [...locals, ...body, 0x0b]
  return [...unsigned(code.length), ...code]
}

/** A module of these functions that imports its memory as `host.memory`. */
export function assemble(functions: readonly WasmFunction[]): Uint8Array<ArrayBuffer> {
  const types = functions.map(({ args }) => [
    0x60,
    ...vector(Array.from({ length: args }, () => [I32])),
    ...vector([])
  ])
  const exports = functions.map((each, index) => [...name(each.name), 0x00, ...unsigned(index)])
  return Uint8Array.from([
    ...[0x00, 0x61, 0x73, 0x6d, 1, 0, 0, 0],
    ...section(1, vector(types)),
    ...section(2, vector([[...name('host'), ...name('memory'), 0x02, 0x00, 1]])),
    ...section(3, vector(functions.map((_, index) => unsigned(index)))),
    ...section(7, vector(exports)),
    ...section(10, vector(functions.map(bodyOf)))
  ])
}
