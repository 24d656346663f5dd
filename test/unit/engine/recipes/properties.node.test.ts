import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { RecipeCheck } from '../../../../src-main/contract/recipes'
import {
  applyEdits,
  checkRecipe,
  completeRecipe,
  hoverRecipe,
  migrateRecipe
} from '../../../../src-main/engine/recipes'
import { nexrlBase, saoRecipe, tttdRecipe, unversionedRecipe } from './recipe-texts'

/** Shipped templates, and where a folder of them is named the recipes of the stacks themselves. */
function yamlBelow(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((item) => {
    const path = join(folder, item.name)
    if (item.isDirectory()) return yamlBelow(path)
    return /\.ya?ml$/.test(item.name) ? [readFileSync(path, 'utf8')] : []
  })
}

const extra = process.env['SLIPWAY_EXTRA_RECIPES'] ?? ''
const texts = [
  saoRecipe(),
  tttdRecipe(),
  unversionedRecipe(),
  nexrlBase().text,
  ...yamlBelow(join(import.meta.dirname, '../../../../recipes')),
  ...(extra === '' ? [] : yamlBelow(extra))
]
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

test('no text of a file beside the recipe crashes the checker, and its faults are told with its name', () => {
  const { text, siblings } = nexrlBase()
  const common = siblings['common.yaml'] ?? ''
  const check = (beside: string): RecipeCheck =>
    checkRecipe({ path: 'x.yaml', text, siblings: { 'common.yaml': beside } })
  const broken = check(`${common}\nagain: [1, 2\n`)
  const told = broken.findings.filter(({ rule }) => rule === 'yaml/syntax')
  expect(told.map(({ file }) => file)).toEqual(['common.yaml'])
  expect(told[0]?.line).toBeGreaterThan(common.split('\n').length - 1)
  const twice = check(`${common}\nproject_name: a\nproject_name: b\n`).findings
  expect(twice.some(({ rule, file }) => rule === 'yaml/duplicate-key' && file !== undefined)).toBe(
    true
  )
  fc.assert(
    fc.property(fc.array(junk, { maxLength: 60 }), (parts) => {
      check(parts.join(''))
    }),
    { numRuns: 150 }
  )
})

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

/** Anchors nested so that each level holds the one below several times. */
function bomb(kind: 'list' | 'map' | 'merge', levels: number, width: number): string {
  const lines = Array.from({ length: levels }, (_, level) => {
    const below = Array.from({ length: width }, () => `*l${level - 1}`)
    if (level === 0) return `l0: &l0 ${kind === 'list' ? '[x, y]' : '{x: 1, y: 2}'}`
    const lead = `l${level}: &l${level}`
    switch (kind) {
      case 'list':
        return `${lead} [${below.join(', ')}]`
      case 'map':
        return `${lead} {${below.map((one, index) => `k${index}: ${one}`).join(', ')}}`
      case 'merge':
        return `${lead}\n  <<: [${below.join(', ')}]\n  own${level}: 1`
    }
  })
  return `${lines.join('\n')}\n`
}

test('alias bombs of every kind are bounded, and those that unfold without end are an error', () => {
  const heads = ['schema-version: 2\n', 'reef: {}\n', 'data: {}\ntrainer: {}\n']
  fc.assert(
    fc.property(
      fc.constantFrom('list', 'map', 'merge'),
      fc.constantFrom(...heads),
      fc.integer({ min: 20, max: 40 }),
      fc.integer({ min: 2, max: 9 }),
      (kind, head, levels, width) => {
        const result = checkRecipe({ path: 'bomb.yaml', text: head + bomb(kind, levels, width) })
        expect(result.took).toBeLessThan(2_000)
        // Merged keys are equal at every level, so a merge bomb has few of them and is merely odd.
        const rules = result.findings.map((finding) => finding.rule)
        if (kind !== 'merge') expect(rules).toContain('yaml/alias')
      }
    ),
    { numRuns: 40 }
  )
}, 60_000)

test('an alias to nothing is a syntax error, one to itself has no end', () => {
  const rules = (text: string): string[] =>
    checkRecipe({ path: 'x.yaml', text }).findings.map((finding) => finding.rule)
  expect(rules('reef: {port: *nowhere}\n')).toContain('yaml/syntax')
  expect(rules('reef: &a\n  port: *a\n')).toContain('yaml/alias')
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

test('a chain of references is followed only so far', () => {
  const links = Array.from(
    { length: 5_000 },
    (_, link) => `    v${link}: "\${training.config.v${link + 1}} x"`
  )
  const text = `schema-version: 2\ntraining:\n  config:\n${links.join('\n')}\n    v5000: end\n`
  const rules = checkRecipe({ path: 'x.yaml', text }).findings.map((finding) => finding.rule)
  expect(rules).toContain('env/too-long')
})

test.each([
  ['open lists', '['.repeat(20_000)],
  ['closed lists', `reef: ${'['.repeat(20_000)}${']'.repeat(20_000)}`],
  ['maps', `reef: ${'{a: '.repeat(20_000)}1${'}'.repeat(20_000)}`],
  ['block lists', `${'- '.repeat(20_000)}x`],
  [
    'keys',
    `reef:\n${Array.from({ length: 400 }, (_, depth) => `${' '.repeat(depth + 1)}a:`).join('\n')}`
  ]
])('20,000 levels of %s are a finding, not a crash', (_, text) => {
  const result = checkRecipe({ path: 'x.yaml', text })
  expect(result.findings.map((finding) => finding.rule)).toContain('yaml/too-deep')
  migrateRecipe({ path: 'x.yaml', text })
})

test('as many levels as anyone writes are read', () => {
  const text = `schema-version: 2\nreef: {}\ntraining: {config: {deep: ${'['.repeat(60)}1${']'.repeat(60)}}}\n`
  const rules = checkRecipe({ path: 'x.yaml', text }).findings.map((finding) => finding.rule)
  expect(rules).not.toContain('yaml/too-deep')
})

test.each([
  ['fields', `schema-version: 2\nreef: {}\ntraining:\n  config:\n${'    a: 1\n'.repeat(80_000)}`],
  ['openings', `schema-version: 2\nreef:\n  run-dir: ${'${A:-'.repeat(150_000)}\n`],
  ['text', `schema-version: 2\nreef:\n  token: ${'x'.repeat(2_000_000)}\n`]
])(
  'a file of very many %s ends in reasonable time',
  (_, text) => {
    const result = checkRecipe({ path: 'x.yaml', text })
    expect(result.took).toBeLessThan(20_000)
    expect(result.findings.length).toBeLessThan(3_000)
  },
  60_000
)
