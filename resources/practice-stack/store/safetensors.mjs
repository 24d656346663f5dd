/**
 * The safetensors format: 8 bytes length, a JSON header, the tensors' bytes
 * (https://github.com/huggingface/safetensors, "Format").
 */

/** @typedef {{ dtype: 'F32' | 'F64', shape: number[], data: ArrayLike<number> }} Tensor */

const SIZES = { F32: 4, F64: 8 }

/**
 * @param {Record<string, Tensor>} tensors
 * @param {Record<string, string>} [metadata]
 * @returns {Buffer}
 */
export function encodeSafetensors(tensors, metadata) {
  /** @type {Record<string, unknown>} */
  const header = metadata === undefined ? {} : { __metadata__: metadata }
  const names = Object.keys(tensors).sort()
  const parts = []
  let offset = 0
  for (const name of names) {
    const { dtype, shape, data } = tensors[name]
    const array = dtype === 'F32' ? Float32Array.from(data) : Float64Array.from(data)
    const bytes = Buffer.from(array.buffer)
    header[name] = { dtype, shape, data_offsets: [offset, offset + bytes.length] }
    offset += bytes.length
    parts.push(bytes)
  }
  const text = JSON.stringify(header)
  const padded = Buffer.from(text.padEnd(Math.ceil(text.length / 8) * 8, ' '))
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(padded.length))
  return Buffer.concat([length, padded, ...parts])
}

/**
 * @param {Buffer} bytes
 * @returns {{ tensors: Record<string, { dtype: string, shape: number[], data: Float64Array }>, metadata: Record<string, string> }}
 * @throws {Error} when the bytes are not a whole file of F32 and F64 tensors
 */
export function decodeSafetensors(bytes) {
  if (bytes.length < 8) throw new Error('not a safetensors file: shorter than its length field')
  const size = Number(bytes.readBigUInt64LE(0))
  if (size > bytes.length - 8) throw new Error('not a whole safetensors file: the header is cut')
  const header = JSON.parse(bytes.subarray(8, 8 + size).toString('utf8'))
  const body = bytes.subarray(8 + size)
  const { __metadata__: metadata = {}, ...entries } = header
  const tensors = Object.fromEntries(
    Object.entries(entries).map(([name, entry]) => [name, decodeTensor(name, entry, body)])
  )
  return { tensors, metadata }
}

/**
 * @param {string} name
 * @param {any} entry
 * @param {Buffer} body
 */
function decodeTensor(name, entry, body) {
  const { dtype, shape, data_offsets: offsets } = entry
  const size = SIZES[dtype]
  if (size === undefined) throw new Error(`tensor ${name}: dtype ${dtype} is not F32 or F64`)
  const [start, end] = offsets
  const count = shape.reduce(
    (/** @type {number} */ product, /** @type {number} */ side) => product * side,
    1
  )
  if (end > body.length || end - start !== count * size) {
    throw new Error(`tensor ${name}: the file does not hold its ${count * size} bytes`)
  }
  const data = new Float64Array(count)
  for (let index = 0; index < count; index += 1) {
    const at = start + index * size
    data[index] = dtype === 'F32' ? body.readFloatLE(at) : body.readDoubleLE(at)
  }
  return { dtype, shape, data }
}
