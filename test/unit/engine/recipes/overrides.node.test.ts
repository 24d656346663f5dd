import { readFileSync } from 'node:fs'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { FailureError } from '../../../../src-main/engine/lib'
import { checkRecipe } from '../../../../src-main/engine/recipes'
import { checkOverrides } from '../../../../src-main/engine/recipes/overrides'

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

describe('an override is judged as the text is', () => {
  const path = 'recipes/practice-sao.yaml'
  const text = readFileSync(path, 'utf8')
  /** Errors of the recipe with these overrides: rule, place and what is said. */
  const errors = (...pairs: string[]): string[] => {
    const overrides = pairs.map((pair) => {
      const at = pair.indexOf('=')
      return { path: pair.slice(0, at), value: pair.slice(at + 1) }
    })
    return checkRecipe({ path, text, overrides })
      .findings.filter(({ severity }) => severity === 'error')
      .map(({ rule, line, message, fix }) => {
        expect(fix).toBeUndefined()
        return `${rule} ${line === 0 ? '–' : 'line'} ${message.en}`
      })
  }

  it.each([
    ['reef.prot=1', 'v2/unknown-field – unknown config field reef.prot'],
    ['bogus.x=1', 'v2/unknown-section – unknown config section bogus'],
    ['reef.a.b=1', 'v2/unknown-field – unknown config field reef.a'],
    [
      'training.optionz.lr=1',
      'v2/unknown-field – unknown config field training.optionz; did you mean options?'
    ],
    ['recipe.config.bogus=1', 'v2/recipe-field – unknown recipe.config field bogus for SAO'],
    [
      'training.options.sped=2',
      'practice/option – the practice stack has no option sped; did you mean seed?'
    ],
    [
      'training.options.speed=abc',
      'practice/value line speed must be a number > 0 or max, got abc'
    ],
    [
      'recipe.config.max-staleness=eighteen',
      'recipe/field-type line recipe.config.max-staleness must be an integer, got eighteen'
    ],
    ['training.options.nan-step=0', 'practice/value – nan-step must be a whole number ≥ 1, got 0'],
    [
      'training.colocate=maybe',
      'v2/field-type – training.colocate must be true or false, got maybe'
    ]
  ])('%s', (pair, said) => {
    expect(errors(pair)).toEqual([said])
  })

  it.each([
    'training.options.speed=max',
    'training.options.speed=0.5',
    'reef.tokens=[a, b]',
    "reef.ready-timeout='30'",
    'inference.options={"mem-fraction-static": 0.7}',
    'recipe.config.max-staleness="3"',
    'observability.wandb.enabled=true',
    'reef.port=8911'
  ])('%s is fine', (pair) => {
    expect(errors(pair)).toEqual([])
  })

  it('a list of one number is no number, in an override and in the text', () => {
    const said = 'recipe.config.batch-size must be an integer, got [1]'
    expect(errors('recipe.config.batch-size=[1]').join()).toContain(said)
    const { findings } = checkRecipe({
      path,
      text: text.replace('batch-size: 48', 'batch-size: [1]')
    })
    expect(findings.map(({ message }) => message.en)).toContain(said)
  })
})
