import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  addPair,
  createWeightKernel,
  noSums
} from '../../../../src-main/engine/compare/weight-kernel'

/** By the definition of the format, digit by digit. */
function half(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 31) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0
    ? sign * fraction * 2 ** -24
    : sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

function brain(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 7) & 255
  const fraction = bits & 127
  if (exponent === 255) return fraction === 0 ? sign * Infinity : NaN
  return exponent === 0
    ? sign * fraction * 2 ** -133
    : sign * (1 + fraction / 128) * 2 ** (exponent - 127)
}

describe('the kernel', () => {
  it.each([['float16', half] as const, ['bfloat16', brain] as const])(
    'widens every %s exactly',
    async (name, expected) => {
      const kernel = await createWeightKernel(131_072, 65_536)
      const all = Uint16Array.from({ length: 65_536 }, (_, bits) => bits)
      kernel.bytes.set(new Uint8Array(all.buffer), kernel.input[0][0])
      kernel[name](kernel.input[0][0], kernel.scratch[0], all.length)
      for (let bits = 0; bits < 65_536; bits += 1) {
        const got = kernel.floats[kernel.scratch[0] / 4 + bits]
        if (!Object.is(got, expected(bits))) expect([bits, got]).toEqual([bits, expected(bits)])
      }
    }
  )

  it('sums as one pair after the other does, whatever the count', async () => {
    const kernel = await createWeightKernel(1024, 256)
    const float = fc.float({ noNaN: true, noDefaultInfinity: true, min: -1e10, max: 1e10 })
    fc.assert(
      fc.property(fc.array(fc.tuple(float, float), { maxLength: 37 }), (pairs) => {
        const [a, b] = kernel.scratch
        const slow = noSums()
        for (const [index, [x, y]] of pairs.entries()) {
          kernel.floats[a / 4 + index] = x
          kernel.floats[b / 4 + index] = y
          addPair(x, y, slow)
        }
        const fast = noSums()
        kernel.addSums(a, b, pairs.length, fast)
        expect(fast.changed).toBe(pairs.filter(([x, y]) => x !== y).length)
        for (const key of ['aa', 'bb', 'dd', 'largest'] as const)
          expect(Math.abs(fast[key] - slow[key])).toBeLessThanOrEqual(1e-7 * slow[key])
        expect(Math.abs(fast.ab - slow.ab)).toBeLessThanOrEqual(1e-9 * Math.sqrt(slow.aa * slow.bb))
      })
    )
  })
})
