import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  applyEdits,
  checkRecipe,
  completeRecipe,
  hoverRecipe,
  migrateRecipe
} from '../../../../src-main/engine/recipes'
import { nexrlBase, saoRecipe, tttdRecipe, unversionedRecipe } from './recipe-texts'

const texts = [saoRecipe(), tttdRecipe(), unversionedRecipe(), nexrlBase().text]
const junk = fc.constantFrom(
  ':',
  '\n',
  '  ',
  '- ',
  '"',
  "'",
  '{',
  '[',
  '&a ',
  '*a',
  '${',
  '${a.b}',
  '#',
  '\t',
  '|',
  '>-',
  '!!x',
  'null',
  '\u0000',
  '{}',
  '<<: *a',
  '---\n',
  '😀'
)

/** Random cuts, doublings and insertions of a real recipe. */
const mutated = fc
  .tuple(
    fc.constantFrom(...texts),
    fc.array(fc.tuple(fc.nat(5_000), fc.nat(60), junk), { minLength: 1, maxLength: 12 })
  )
  .map(([text, changes]) =>
    changes.reduce((current, [at, length, insert]) => {
      const start = at % (current.length + 1)
      return current.slice(0, start) + insert + current.slice(start + length)
    }, text)
  )

function mustNotThrow(text: string): void {
  const result = checkRecipe({ path: 'x.yaml', text, siblings: nexrlBase().siblings })
  for (const finding of result.findings) {
    expect(finding.endLine).toBeGreaterThanOrEqual(finding.line)
    if (finding.fix !== undefined) applyEdits(text, finding.fix.edits)
  }
}

test('no mutation of a recipe crashes the checker, and every fix can be applied', () => {
  fc.assert(fc.property(mutated, mustNotThrow), { numRuns: 250 })
}, 60_000)

test('no text at all crashes checking, completion, hover or migration', () => {
  const any = fc.oneof(
    fc.string({ maxLength: 300 }),
    fc.array(junk, { maxLength: 60 }).map((parts) => parts.join(''))
  )
  fc.assert(
    fc.property(any, fc.nat(20), fc.nat(40), (text, line, column) => {
      mustNotThrow(text)
      const position = { path: 'x.yaml', text, line: line + 1, column: column + 1 }
      completeRecipe(position)
      hoverRecipe(position)
      migrateRecipe({ path: 'x.yaml', text })
    }),
    { numRuns: 250 }
  )
}, 60_000)

test('any JSON value under any section resolves without a throw', () => {
  const section = fc.constantFrom(
    'reef',
    'inference',
    'recipe',
    'training',
    'storage',
    'services',
    'evaluation',
    'data',
    'service'
  )
  fc.assert(
    fc.property(fc.dictionary(section, fc.jsonValue()), fc.boolean(), (tree, versioned) => {
      mustNotThrow(
        JSON.stringify(versioned ? { 'schema-version': 2, ...tree } : { reef: {}, ...tree })
      )
    }),
    { numRuns: 200 }
  )
}, 60_000)

test('without edits the text stays byte for byte; an edit changes its span and nothing else', () => {
  fc.assert(
    fc.property(mutated, fc.nat(4_000), fc.string({ maxLength: 10 }), (text, at, insert) => {
      expect(applyEdits(text, [])).toBe(text)
      const start = at % (text.length + 1)
      const edited = applyEdits(text, [{ start, end: start, text: insert }])
      expect(edited.slice(0, start) + edited.slice(start + insert.length)).toBe(text)
    })
  )
})

test('an alias bomb is refused in bounded time', () => {
  const levels = Array.from({ length: 30 }, (_, level) => {
    const below =
      level === 0 ? '{x: 1, y: 2}' : `{a: *l${level - 1}, b: *l${level - 1}, c: *l${level - 1}}`
    return `l${level}: &l${level} ${below}`
  })
  const text = `schema-version: 2\n${levels.join('\n')}\n`
  const result = checkRecipe({ path: 'bomb.yaml', text })
  expect(result.findings.map((finding) => finding.rule)).toContain('yaml/alias')
  expect(result.took).toBeLessThan(5_000)
})

test('references that double with every link are cut and reported', () => {
  const links = Array.from(
    { length: 40 },
    (_, link) =>
      `    v${link}: "${link === 0 ? 'xx' : `\${training.config.v${link - 1}}`.repeat(2)}"`
  )
  const text = saoRecipe().replace(
    '    global_batch_size: 128',
    `    global_batch_size: 128\n${links.join('\n')}`
  )
  const result = checkRecipe({ path: 'x.yaml', text })
  expect(result.findings.map((finding) => finding.rule)).toContain('env/too-long')
})

test('deep nesting is a finding, not a crash', () => {
  const result = checkRecipe({ path: 'x.yaml', text: '['.repeat(50_000) })
  expect(result.summary.errors).toBeGreaterThan(0)
})
