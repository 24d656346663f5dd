/** One field of a protobuf message: its number and its value by wire type. */
export type Field =
  | { number: number; wire: 'varint'; value: bigint }
  | { number: number; wire: 'fixed64' | 'fixed32' | 'bytes'; bytes: Buffer }

/** The fields of a message in order; stops quietly where the message is malformed. */
export function* fieldsOf(message: Buffer): Generator<Field> {
  let position = 0
  while (position < message.length) {
    const tag = varint(message, position)
    if (tag === null) return
    position = tag.end
    const number = Number(tag.value >> 3n)
    const wire = Number(tag.value & 7n)
    if (wire === 0) {
      const read = varint(message, position)
      if (read === null) return
      position = read.end
      yield { number, wire: 'varint', value: read.value }
      continue
    }
    const sized = sizeAt(message, position, wire)
    if (sized === null || sized.start + sized.length > message.length) return
    position = sized.start + sized.length
    const bytes = message.subarray(sized.start, position)
    yield { number, wire: wire === 1 ? 'fixed64' : wire === 5 ? 'fixed32' : 'bytes', bytes }
  }
}

function sizeAt(
  message: Buffer,
  position: number,
  wire: number
): { start: number; length: number } | null {
  if (wire === 1) return { start: position, length: 8 }
  if (wire === 5) return { start: position, length: 4 }
  if (wire !== 2) return null
  const length = varint(message, position)
  return length === null ? null : { start: length.end, length: Number(length.value) }
}

function varint(message: Buffer, from: number): { value: bigint; end: number } | null {
  let value = 0n
  for (let i = 0; i < 10; i++) {
    const byte = message[from + i]
    if (byte === undefined) return null
    value |= BigInt(byte & 127) << BigInt(7 * i)
    if (byte < 128) return { value, end: from + i + 1 }
  }
  return null
}

/** The varint as a signed 64-bit number (negative ones take ten bytes). */
export function signed(value: bigint): number {
  return Number(BigInt.asIntN(64, value))
}
