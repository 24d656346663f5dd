import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { pythonNumber, readPythonDict } from '../../../../src-main/engine/metrics/python-literal'

function read(text: string): [Record<string, number>, boolean] {
  const { keys, values, complete } = readPythonDict(text, 0)
  return [Object.fromEntries(keys.map((key, i) => [key, values[i] ?? 0])), complete]
}

describe('readPythonDict', () => {
  it.each([
    [
      "{'a': 12, 'b': -0.5, 'c': 1e-06, 'd': 1.2345e+18}",
      { a: 12, b: -0.5, c: 1e-6, d: 1.2345e18 }
    ],
    ["{'a': nan, 'b': inf, 'c': -inf}", { a: NaN, b: Infinity, c: -Infinity }],
    ["{'a': True, 'b': False, 'c': None}", { a: 1, b: 0 }],
    ["{'a': np.float64(0.25), 'b': np.float32(nan), 'c': np.int64(3)}", { a: 0.25, b: NaN, c: 3 }],
    [
      "{'a': tensor(0.2174), 'b': tensor(0.5, device='cuda:0'), 'c': tensor(nan)}",
      { a: 0.2174, b: 0.5, c: NaN }
    ],
    ["{'a': tensor([0.25], dtype=torch.float64), 'b': tensor([1, 2])}", { a: 0.25 }],
    ["{'a': array(0.5, dtype=float32)}", { a: 0.5 }],
    ["{'text': 'x}, \\'y\\': 1', 'a': 1}", { a: 1 }],
    ["{\"it's\": 2, 'tab\\t': 3}", { "it's": 2, 'tab\t': 3 }],
    [
      "{'outer': {'inner': 1, 'deep': {'x': 2}}, 'z': 3}",
      { 'outer/inner': 1, 'outer/deep/x': 2, z: 3 }
    ],
    ["{'list': [1, 2, 3], 'tuple': (1,), 'a': 4}", { tuple: 1, a: 4 }],
    [
      "{'eval/数据集-pass@1': 0.5, 'rollout/zero_std/count_1.0': 6}",
      { 'eval/数据集-pass@1': 0.5, 'rollout/zero_std/count_1.0': 6 }
    ],
    ['{}', {}]
  ])('reads %s', (text, expected) => {
    expect(read(text)).toEqual([expected, true])
  })

  it('keeps what stands whole in a dict that was cut, and never half a number', () => {
    const text = "{'train/loss': -0.25, 'train/grad_norm': 0.2174, 'train/step': 37}"
    for (let length = 1; length < text.length; length++) {
      const [numbers, complete] = read(text.slice(0, length))
      expect(complete).toBe(false)
      for (const [key, value] of Object.entries(numbers)) {
        expect({ 'train/loss': -0.25, 'train/grad_norm': 0.2174, 'train/step': 37 }).toHaveProperty(
          [key],
          value
        )
      }
    }
  })

  it('never throws and always comes to an end', () => {
    const part = fc.constantFrom(
      '{',
      '}',
      "'",
      '"',
      ':',
      ',',
      ' ',
      '(',
      ')',
      '[',
      ']',
      'nan',
      '1e',
      '-',
      'tensor(',
      'np.',
      '\\',
      '步',
      '1_0'
    )
    fc.assert(
      fc.property(fc.array(part, { maxLength: 60 }), (parts) => {
        readPythonDict(`{${parts.join('')}`, 0)
      }),
      { numRuns: 2000 }
    )
  })

  it('reads back every float that Python would print', () => {
    fc.assert(
      fc.property(fc.double(), fc.string(), (value, key) => {
        const name = JSON.stringify(key).slice(1, -1).replaceAll("'", "\\'").replaceAll('\\"', '"')
        const text = Number.isNaN(value)
          ? 'nan'
          : Object.is(value, -0)
            ? '-0.0'
            : String(value).replace('Infinity', 'inf')
        const { keys, values, complete } = readPythonDict(`{'${name}': ${text}}`, 0)
        expect([complete, values]).toEqual([true, [value]])
        if (!/[\\\b\f]/.test(key) && !/\\[bfu]/.test(name)) expect(keys).toEqual([key])
      })
    )
  })
})

describe('pythonNumber', () => {
  it.each([
    ['1_000', 1000],
    ['-inf', -Infinity],
    ['NaN', NaN],
    ['+3', 3],
    ['abc', null],
    ['', null]
  ])('%s', (text, value) => {
    expect(pythonNumber(text)).toEqual(value)
  })
})
