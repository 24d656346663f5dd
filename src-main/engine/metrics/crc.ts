import zlib from 'node:zlib'

/** Reflected CRC-32 polynomials. */
const IEEE = 0xedb88320
const CASTAGNOLI = 0x82f63b78

/** Four tables, so that four bytes go through at once. */
function tablesOf(polynomial: number): readonly Int32Array[] {
  const tables = [
    new Int32Array(256),
    new Int32Array(256),
    new Int32Array(256),
    new Int32Array(256)
  ]
  const at = (table: number, index: number): number => tables[table]?.[index] ?? 0
  for (let byte = 0; byte < 256; byte++) {
    let crc = byte
    for (let bit = 0; bit < 8; bit++) crc = crc & 1 ? (crc >>> 1) ^ polynomial : crc >>> 1
    tables[0]?.set([crc], byte)
  }
  for (let table = 1; table < 4; table++) {
    for (let byte = 0; byte < 256; byte++) {
      const before = at(table - 1, byte)
      tables[table]?.set([(before >>> 8) ^ at(0, before & 255)], byte)
    }
  }
  return tables
}

function crcWith(tables: readonly Int32Array[]): (bytes: Uint8Array) => number {
  const [t0, t1, t2, t3] = tables
  if (!t0 || !t1 || !t2 || !t3) throw new Error('a CRC needs four tables')
  const look = (table: Int32Array, index: number): number => table[index & 255] ?? 0
  return (bytes) => {
    let crc = -1
    let i = 0
    const whole = bytes.length - (bytes.length % 4)
    for (; i < whole; i += 4) {
      crc ^=
        (bytes[i] ?? 0) |
        ((bytes[i + 1] ?? 0) << 8) |
        ((bytes[i + 2] ?? 0) << 16) |
        ((bytes[i + 3] ?? 0) << 24)
      crc = look(t3, crc) ^ look(t2, crc >>> 8) ^ look(t1, crc >>> 16) ^ look(t0, crc >>> 24)
    }
    for (; i < bytes.length; i++) crc = look(t0, crc ^ (bytes[i] ?? 0)) ^ (crc >>> 8)
    return (crc ^ -1) >>> 0
  }
}

/** Node has one of its own since 20.15 and 22.2, many times as fast; older ones do not. */
const native: { crc32?: (bytes: Uint8Array) => number } = zlib

/** CRC-32 as in zlib, in plain script: for where Node brings none, and to compare with where it does. */
export const scriptedCrc32 = crcWith(tablesOf(IEEE))

/** CRC-32 as in zlib. */
export const crc32 = native.crc32 ?? scriptedCrc32

/** CRC-32C (Castagnoli). */
export const crc32c = crcWith(tablesOf(CASTAGNOLI))

/** The masked CRC-32C of TensorFlow's record files: rotated right by 15 plus a constant. */
export function maskedCrc32c(bytes: Uint8Array): number {
  const crc = crc32c(bytes)
  return (((crc >>> 15) | (crc << 17)) + 0xa282ead8) >>> 0
}
