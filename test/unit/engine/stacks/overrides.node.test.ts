import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FailureError } from '../../../../src-main/engine/lib'
import { checkOverrides } from '../../../../src-main/engine/stacks/overrides'

function refusal(path: string, value: string): { what: string; where?: string } | null {
  try {
    checkOverrides([{ path, value }])
    return null
  } catch (thrown) {
    if (!(thrown instanceof FailureError)) throw thrown
    const { code, what, where, remedy } = thrown.failure
    expect(code).toBe('override-unreadable')
    expect(remedy).toBeDefined()
    expect(what.zh).toMatch(/[\u4e00-\u9fff]/)
    return { what: what.en, ...(where === undefined ? {} : { where }) }
  }
}

describe('overrides', () => {
  it.each([
    ['training.options.lr', '1e-4'],
    ['reef.port', '8900'],
    ['reef.port', '65535'],
    ['inference.model-path', '/models/Qwen 3'],
    ['recipe.config.batch_size', '8'],
    ['services.0.name', 'x'],
    ['training.options.layers', '[1, 2]'],
    ['reef.token', ''],
    ['reef.token', '${REEF_TOKEN}'],
    ['inference.options.max-new-tokens', '512']
  ])('takes %s=%s', (path, value) => {
    expect(refusal(path, value)).toBeNull()
  })

  it.each([
    ['__proto__.x', '1', /__proto__/],
    ['training.constructor', '1', /constructor/],
    ['reef..port', '1', /empty name/],
    ['.reef', '1', /empty name/],
    ['reef port', '1', /cannot be a field/],
    ['training.options.lr', '[', /cannot be read as YAML/],
    ['training.options.lr', '"open', /cannot be read as YAML/],
    ['reef.port', '99999', /not a port: 1–65535/],
    ['reef.port', 'abc', /not a port: 1–65535/],
    ['reef.port', '0', /not a port/],
    ['reef.port', '', /not a port/],
    ['reef.token', 'tok-4711-secret', /credential/],
    ['recipe.config.api_key', 'sk-4711', /credential/]
  ])('refuses %s=%s with where, why and what to do', (path, value, what) => {
    expect(refusal(path, value)).toMatchObject({
      what: expect.stringMatching(what) as string,
      where: path
    })
  })

  it('never changes what all objects are, and never throws anything else', () => {
    fc.assert(
      fc.property(fc.string(), fc.string(), (path, value) => {
        refusal(path, value)
        expect(Object.keys(Object.prototype)).toEqual([])
      })
    )
  })
})
