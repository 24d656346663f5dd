import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { parse } from 'yaml'
import {
  applyEdits,
  checkRecipe,
  compareRecipes,
  migrateRecipe,
  resolveRecipe
} from '../../../../src-main/engine/recipes'
import { saoRecipe, tttdRecipe, unversionedRecipe } from './recipe-texts'

const path = 'x.yaml'
const environment = { REEF_TOKEN: 'a-token-for-tests' }

/** Fields a migration may change: the layout's mark, and names that only changed their spelling. */
const renamed = /^(?:schema-version|inference\.(?:handler|backend)-factory|recipe\.implementation)$/

/** Rules that only say a file is of another generation. */
const generation =
  /^(?:legacy\/old-|v2\/unknown-field|v2\/unknown-section|reef\/engine-flag|reef\/placement-flag)/

function comments(text: string): string[] {
  return [...text.matchAll(/(?:^|\s)(#.*)$/gm)].map(([, comment = '']) => comment.trim())
}

/** Every field of the new layout says what the old one said, in flags, folded strings or fields of its own. */
function mustSaySame(before: string, text: string): void {
  const old = resolveRecipe({ path, text: before, environment })
  for (const field of resolveRecipe({ path, text, environment }).fields()) {
    if (field.kind === 'map' || renamed.test(field.path)) continue
    const said = old.field(field.path)
    // Free variables get names of their own; who refers to them is compared where it stands.
    if (said === undefined && field.path.startsWith('training.config.')) continue
    // An empty list is what its default is.
    const text = said?.text === '[]' ? '' : (said?.text ?? '')
    expect([field.path, text]).toEqual([field.path, field.text])
  }
}

/** What is gone at one path is there at another, with the same value. */
function mustOnlyMove(before: string, text: string): void {
  const changed = compareRecipes(
    { path, text: before, environment },
    { path, text, environment }
  ).filter((one) => one.derived !== true && !renamed.test(one.path))
  const gone = changed.flatMap(({ path: at, a, b }) => (b === null ? [`${lastOf(at)}=${a}`] : []))
  const come = changed.flatMap(({ path: at, a, b }) => (a === null ? [`${lastOf(at)}=${b}`] : []))
  expect(come.sort()).toEqual(gone.sort())
  expect(changed.filter(({ a, b }) => a !== null && b !== null)).toEqual([])
}

const lastOf = (at: string): string => (at.split('.').at(-1) ?? '').replace(/^sglang-/, '')

function mustCarryOver(before: string): void {
  const { text } = migrateRecipe({ path, text: before })
  const old = resolveRecipe({ path, text: before, environment })
  if (old.dialect === 'reef-unversioned') mustSaySame(before, text)
  else mustOnlyMove(before, text)
  const after = checkRecipe({ path, text, environment, generation: 'C' })
  expect(after.findings.filter(({ rule }) => generation.test(rule))).toEqual([])
  for (const comment of comments(before)) expect(text).toContain(comment)
  expect(migrateRecipe({ path, text }).text).toBe(text)
}

const extra = process.env['SLIPWAY_EXTRA_RECIPES'] ?? ''

function below(folder: string): string[] {
  return readdirSync(folder).flatMap((name) => {
    const file = join(folder, name)
    if (statSync(file).isDirectory()) return below(file)
    return /\.ya?ml$/.test(name) ? [file] : []
  })
}

describe('a migrated file resolves to the same tree, keeps its comments and settles', () => {
  const files = [
    ...below(join(import.meta.dirname, '../../../../recipes')),
    ...(extra !== '' && existsSync(extra) ? below(extra) : [])
  ]
  test.each(files)('%s', (file) => {
    mustCarryOver(readFileSync(file, 'utf8'))
  })

  test.each([
    ['an unversioned stack', unversionedRecipe()],
    ['the newest layout', saoRecipe()],
    [
      'the middle generation',
      tttdRecipe()
        .replace('  colocate: true\n', '')
        .replace(
          '    kl-coef',
          '    colocate: true # shared\n    sglang-reasoning-parser: qwen3\n    kl-coef'
        )
    ]
  ])('%s', (_, text) => {
    mustCarryOver(text)
  })
})

const word = fc.stringMatching(/^[a-z]{1,8}$/)
const odd = fc.constantFrom('a.b', 'with space', '1', '#x', 'x: y', 'é')
const leaf = fc.oneof(
  fc.integer(),
  fc.boolean(),
  fc.constant(null),
  fc.string({ maxLength: 12 }).filter((text) => !text.includes('$')),
  fc.constantFrom('1e-6', 'yes', 'a: b', '# no comment', 'two\nlines', '', ' x ', '{}', '*a')
)
const { value: tree } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    leaf,
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(fc.oneof(word, odd), tie('value'), { maxKeys: 3, noNullPrototype: true })
  )
}))

it('carries any value over: lists of maps, odd keys, text that looks like something else', () => {
  fc.assert(
    fc.property(fc.dictionary(word, tree, { maxKeys: 4, noNullPrototype: true }), (section) => {
      const before = { reef: { port: 8900 }, observability: section }
      const { text } = migrateRecipe({ path, text: JSON.stringify(before) })
      const after: unknown = parse(text, { uniqueKeys: false })
      // A section without fields is not written.
      const wanted = Object.keys(section).length === 0 ? { reef: {} } : { observability: section }
      expect(after).toMatchObject(wanted)
      expect(migrateRecipe({ path, text }).text).toBe(text)
    }),
    { numRuns: 150 }
  )
}, 60_000)

it('writes out what an alias or a merge names', () => {
  const before = `reef:
  port: 8900
base: &base {a: 1, b: [x, {c: 2}]}
observability:
  wandb:
    <<: *base
    tags:
      - name: one # first
        level: 2
      - &two {name: two}
      - *two
  tracing: *base
`
  const { text } = migrateRecipe({ path, text: before })
  expect(parse(text)).toMatchObject({
    observability: {
      wandb: {
        a: 1,
        b: ['x', { c: 2 }],
        tags: [{ name: 'one', level: 2 }, { name: 'two' }, { name: 'two' }]
      },
      tracing: { a: 1, b: ['x', { c: 2 }] }
    }
  })
  expect(text).toContain('# first')
})

/** The middle generation, with `placed` as its placement flag. */
function middle(placed: string, later = ''): string {
  return tttdRecipe()
    .replace('  colocate: true\n', '')
    .replace('    kl-coef', `${placed}\n${later}    kl-coef`)
}

describe('an anchor on a line that moves', () => {
  it('goes to the first alias, and the file stays valid', () => {
    const before = middle('    colocate: &co true', '    flag-one: *co\n    flag-two: *co\n')
    const { text, refused } = migrateRecipe({ path, text: before })
    expect(refused).toBeUndefined()
    expect(parse(text)).toMatchObject({
      training: { colocate: true, options: { 'flag-one': true, 'flag-two': true } }
    })
    expect(text).toContain('flag-one: &co true\n    flag-two: *co')
    expect(text).not.toContain('    colocate:')
  })

  it('is left out of what only looks like one, and an alias is written out', () => {
    const before = middle(
      '    flag-one: &co true\n    colocate: *co',
      '    flag-three: "*co &co"\n'
    )
    const { text } = migrateRecipe({ path, text: before })
    expect(parse(text)).toMatchObject({
      training: { colocate: true, options: { 'flag-one': true, 'flag-three': '*co &co' } }
    })
  })

  it('is refused where a reference to the line would lose its value', () => {
    const before = middle('    colocate: true', '    flag-one: "${training.options.colocate}"\n')
    const { text, refused, changes } = migrateRecipe({ path, text: before })
    expect(text).toBe(before)
    expect(refused?.en).toContain('training.options.flag-one')
    expect(changes).toEqual([refused])
  })
})

it('moves the last line of a section too', () => {
  const text =
    'schema-version: 2\nreef:\n  port: 8900\ntraining:\n  options:\n    lr: "1"\n    colocate: true\nstorage: {}\n'
  const migrated = migrateRecipe({ path, text }).text
  expect(parse(migrated)).toMatchObject({ training: { colocate: true, options: { lr: '1' } } })
  expect(migrated).toContain('    lr: "1"\n  colocate: true\nstorage: {}\n')
})

test.each([
  ['an unversioned stack', unversionedRecipe()],
  ['the middle generation', middle('    colocate: true')]
])('keeps CRLF everywhere: %s', (_, before) => {
  const lf = migrateRecipe({ path, text: before }).text
  const crlf = migrateRecipe({ path, text: before.replaceAll('\n', '\r\n') }).text
  expect(lf).not.toBe(before)
  expect(crlf).toBe(lf.replaceAll('\n', '\r\n'))
})

it('an edit of a CRLF file leaves no other line break', () => {
  const text = middle('    colocate: true').replaceAll('\n', '\r\n')
  const { findings } = checkRecipe({ path, text, generation: 'C' })
  const fix = findings.find(({ rule }) => rule === 'reef/placement-flag')?.fix
  const after = applyEdits(text, fix?.edits ?? [])
  expect(after).not.toBe(text)
  expect(after).not.toMatch(/(?<!\r)\n|\r\n\r\n/)
})

it('names what goes with a service, by key and never by value', () => {
  const before = unversionedRecipe().replace(
    '    depends_on: [judge]\n',
    '    depends_on: [judge]\n    env:\n      NCCL_DEBUG: hush-hush\n      OTHER: "1"\n'
  )
  const said = migrateRecipe({ path, text: before }).changes.map(({ en }) => en)
  expect(said).toContain('service slime-driver: env (NCCL_DEBUG, OTHER) is dropped')
  expect(said).toContain('service judge: resources (num_gpus) is dropped')
  expect(said.join()).not.toContain('hush-hush')
})
