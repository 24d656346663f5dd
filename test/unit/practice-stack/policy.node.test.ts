import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  answerPrompt,
  baseDigest,
  createAdapter,
  createBase,
  servedAdapter,
  toBfloat16
} from '../../../resources/practice-stack/model/policy.mjs'
import { RandomStream } from '../../../resources/practice-stack/model/random.mjs'
import {
  firstTasks,
  meritFactor,
  scoreAnswer
} from '../../../resources/practice-stack/model/tasks.mjs'
import {
  decodeSafetensors,
  encodeSafetensors
} from '../../../resources/practice-stack/store/safetensors.mjs'
import { pythonDict, pythonFloat } from '../../../resources/practice-stack/service/service-log.mjs'

describe('policy', () => {
  it('answers the same at temperature 0 whatever the random numbers', () => {
    const base = createBase('x')
    const adapter = createAdapter('x', 8, 16)
    for (const task of [...firstTasks('modular', 'p', 20), ...firstTasks('labs', 'p', 1)]) {
      const answers = ['one', 'two'].map(
        (name) =>
          answerPrompt(base, adapter, task.prompt, {
            temperature: 0,
            random: new RandomStream(name)
          }).text
      )
      expect(answers[0]).toBe(answers[1])
      expect(answers[0]).toHaveLength(task.length)
    }
  })

  it('has one base for a name', () => {
    expect(baseDigest(createBase('x'))).toBe(baseDigest(createBase('x')))
    expect(baseDigest(createBase('x'))).not.toBe(baseDigest(createBase('y')))
  })

  it('serves in bfloat16: seven bits of fraction', () => {
    expect(toBfloat16(1.00390625)).toBe(1)
    expect(toBfloat16(-1.01171875)).toBe(-1.015625)
    const { a } = servedAdapter(createAdapter('x', 8, 16))
    expect(a.every((value) => toBfloat16(value) === value)).toBe(true)
  })
})

describe('tasks', () => {
  it.each([
    ['++', 2],
    ['+++++--++-+-+', 14.083],
    ['', 0],
    ['+x-', 0]
  ])('merit factor of %j', (signs, factor) => {
    expect(meritFactor(signs)).toBeCloseTo(factor, 2)
  })

  it('of different splits differ, and their answers score 1', () => {
    const train = firstTasks('letters', '1/train', 50)
    expect(train.map((task) => scoreAnswer(task, ` ${task.answer}\n`))).toEqual(train.map(() => 1))
    expect(firstTasks('letters', '1/fresh', 50).map((task) => task.prompt)).not.toEqual(
      train.map((task) => task.prompt)
    )
  })
})

describe('safetensors', () => {
  it('reads back what it wrote', () => {
    fc.assert(
      fc.property(
        fc.dictionary(
          fc.string({ minLength: 1 }).filter((name) => !name.startsWith('__')),
          fc.array(fc.double())
        ),
        (named) => {
          const tensors = Object.fromEntries(
            Object.entries(named).map(([name, data]) => [
              name,
              { dtype: 'F64' as const, shape: [data.length], data }
            ])
          )
          const read = decodeSafetensors(encodeSafetensors(tensors)).tensors
          expect(Object.keys(read).sort()).toEqual(Object.keys(named).sort())
          for (const [name, data] of Object.entries(named)) {
            expect([...(read[name]?.data ?? [])]).toEqual(data)
          }
        }
      )
    )
  })

  it('says when a file is cut', () => {
    const whole = encodeSafetensors({ x: { dtype: 'F32', shape: [4], data: [1, 2, 3, 4] } })
    expect(() => decodeSafetensors(whole.subarray(0, whole.length - 1))).toThrow(/does not hold/)
    expect(() => decodeSafetensors(whole.subarray(0, 9))).toThrow(/header is cut/)
  })
})

describe('numbers as Python writes them', () => {
  it.each([
    [1, '1.0'],
    [0, '0.0'],
    [0.000001, '1e-06'],
    [0.00012, '0.00012'],
    [1.2345e18, '1.2345e+18'],
    [Number.NaN, 'nan'],
    [-Infinity, '-inf']
  ])('%s', (value, text) => {
    expect(pythonFloat(value)).toBe(text)
  })

  it('keeps whole counts whole', () => {
    expect(pythonDict({ 'train/loss': -0.5, 'train/step': 37 })).toBe(
      "{'train/loss': -0.5, 'train/step': 37}"
    )
  })
})
