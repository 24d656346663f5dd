import { crc32, maskedCrc32c } from '../../src-main/engine/metrics/crc'

/** TensorBoard event files and W&B offline files, byte by byte as their formats say. */

export function varint(value: bigint): Buffer {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, value)
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0))
    rest >>= 7n
  } while (rest > 0n)
  return Buffer.from(bytes)
}
export const tag = (field: number, wire: number): Buffer => varint(BigInt(field * 8 + wire))
export const whole = (field: number, value: bigint): Buffer =>
  Buffer.concat([tag(field, 0), varint(value)])
export const bytesField = (field: number, data: Buffer | string): Buffer => {
  const bytes = Buffer.from(data)
  return Buffer.concat([tag(field, 2), varint(BigInt(bytes.length)), bytes])
}
export const double = (field: number, value: number): Buffer => {
  const bytes = Buffer.alloc(8)
  bytes.writeDoubleLE(value)
  return Buffer.concat([tag(field, 1), bytes])
}
export const float = (field: number, value: number): Buffer => {
  const bytes = Buffer.alloc(4)
  bytes.writeFloatLE(value)
  return Buffer.concat([tag(field, 5), bytes])
}

export function tfRecord(data: Buffer): Buffer {
  const head = Buffer.alloc(12)
  head.writeBigUInt64LE(BigInt(data.length))
  head.writeUInt32LE(maskedCrc32c(head.subarray(0, 8)), 8)
  const foot = Buffer.alloc(4)
  foot.writeUInt32LE(maskedCrc32c(data))
  return Buffer.concat([head, data, foot])
}
export const scalar = (name: string, value: number): Buffer =>
  bytesField(1, Buffer.concat([bytesField(1, name), float(2, value)]))
export const tensor = (name: string, ...parts: Buffer[]): Buffer =>
  bytesField(1, Buffer.concat([bytesField(1, name), bytesField(8, Buffer.concat(parts))]))
export const event = (step: bigint, ...values: Buffer[]): Buffer =>
  tfRecord(
    Buffer.concat([double(1, 1700000000.5), whole(2, step), bytesField(5, Buffer.concat(values))])
  )

export const item = (key: string, json: string): Buffer =>
  bytesField(1, Buffer.concat([bytesField(1, key), bytesField(16, json)]))
export const nested = (keys: string[], json: string): Buffer =>
  bytesField(1, Buffer.concat([...keys.map((key) => bytesField(2, key)), bytesField(16, json)]))
export const history = (...items: Buffer[]): Buffer =>
  Buffer.concat([whole(1, 1n), bytesField(2, Buffer.concat(items))])

export function wandbFile(records: Buffer[]): Buffer {
  let out = Buffer.concat([Buffer.from(':W&B'), Buffer.from([0xe1, 0xbe, 0])])
  for (const record of records) {
    let rest = record
    let first = true
    do {
      let left = 32768 - (out.length % 32768)
      if (left < 7) {
        out = Buffer.concat([out, Buffer.alloc(left)])
        left = 32768
      }
      const part = rest.subarray(0, left - 7)
      rest = rest.subarray(part.length)
      const type = first ? (rest.length === 0 ? 1 : 2) : rest.length === 0 ? 4 : 3
      const body = Buffer.concat([Buffer.from([type]), part])
      const head = Buffer.alloc(6)
      head.writeUInt32LE(crc32(body))
      head.writeUInt16LE(part.length, 4)
      out = Buffer.concat([out, head, body])
      first = false
    } while (rest.length > 0)
  }
  return out
}
