import fc from 'fast-check'
import { describe, expect, it, test } from 'vitest'
import { applyEdits, checkRecipe } from '../../../../src-main/engine/recipes'
import { placedText } from '../../../../src-main/engine/recipes/placed-text'
import { commandFault, splitCommand } from '../../../../src-main/engine/recipes/tokens'
import { parseYaml } from '../../../../src-main/engine/recipes/yaml-parse'
import { entryOf, type ScalarNode } from '../../../../src-main/engine/recipes/yaml-tree'

/** `line:column message` of what one rule finds in a text. */
function said(text: string, rule: string): string[] {
  return checkRecipe({ path: 'x.yaml', text })
    .findings.filter((finding) => finding.rule === rule)
    .map(({ line, column, message }) => `${line}:${column} ${message.en}`)
}

function scalarOf(text: string): ScalarNode {
  const node = entryOf(parseYaml(text, 'pyyaml').root, 'a')?.value
  if (node?.type !== 'scalar') throw new Error('no scalar')
  return node
}

/** An unversioned stack of one service. */
function stack(command: string, flags: string, port = '8900'): string {
  return [
    `reef: {host: 127.0.0.1, port: ${port}}`,
    'training:',
    `  slime_flags: ${flags}`,
    'services:',
    '- name: driver',
    `  command: ${command}`,
    ''
  ].join('\n')
}

const driver = 'python -m reef.service.slime_driver ${training.slime_flags}'
const quote = 'this quote is never closed, so the command of driver cannot be split into words'

describe('a command that Python cannot split', () => {
  it.each([
    ['flags in double quotes', stack(driver, '"--lr \\"x --a"'), [`3:22 ${quote}`]],
    [
      'an apostrophe in a folded comment',
      stack(driver, ">-\n    --lr=1\n    # don't"),
      [`5:10 ${quote}`]
    ],
    ['the command itself', stack('python -m x --name "a b', '--lr=1'), [`6:31 ${quote}`]],
    ['a single-quoted command', stack("'python -m x --name it''s'", '--lr=1'), [`6:34 ${quote}`]],
    ['no quote at all', stack(driver, '--lr=1'), []],
    ['an apostrophe inside quotes', stack(`bash -c "it's" ${driver}`, '--lr=1'), []],
    ['flags nobody uses', stack('python -m x', '"--lr \\"x"'), []],
    ['a list of words', stack('[python, "it\'s"]', '--lr=1'), []]
  ])('%s', (_, text, found) => {
    expect(said(text, 'legacy/command-quotes')).toEqual(found)
  })

  it('flags in double quotes are read one by one', () => {
    const text = stack(driver, '"--lr=1 --seq-lenght \\"5\\""')
    expect(said(text, 'flags/misspelt')).toEqual([
      '3:24 unknown flag seq-lenght; did you mean seq-length?'
    ])
  })

  it('a backslash at the very end', () => {
    expect(commandFault('a b\\')).toEqual({ kind: 'escape', at: 3 })
    expect(commandFault("a 'b\\'")).toBeNull()
  })

  test('words quoted as a shell would are split into the same words', () => {
    fc.assert(
      fc.property(fc.array(fc.string({ minLength: 1 })), (words) => {
        const text = words.map((word) => `'${word.replaceAll("'", `'"'"'`)}'`).join(' ')
        expect(commandFault(text)).toBeNull()
        const tokens = splitCommand({ text, offsetAt: (index) => index })
        expect(tokens.map((token) => token.text)).toEqual(words)
      })
    )
  })
})

test('an escaped text is read as YAML reads it, each character at its place', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (content) => {
      const written = JSON.stringify(content)
      const text = `a: ${written}\n`
      const node = scalarOf(text)
      const placed = placedText(text, node, node)
      expect(placed.text).toBe(content)
      expect(placed.offsetAt(content.length)).toBe(text.length - 2)
    })
  )
})

test.each([
  ['[8900]', 'an integer, got list'],
  ['{a: 1}', 'an integer, got map'],
  ['eight', 'an integer, got eight']
])('an unversioned port of %s is refused', (port, wanted) => {
  expect(said(stack(driver, '--lr=1', port), 'legacy/field-type')).toEqual([
    `1:31 reef.port must be ${wanted}`
  ])
})

test.each(['"8900"', 'null', '"${PORT}"'])('an unversioned port of %s may be right', (port) => {
  expect(said(stack(driver, '--lr=1', port), 'legacy/field-type')).toEqual([])
})

test.each([
  ['"2"', 'schema-version "2", which is text;'],
  ['[2]', 'schema-version [2], which is a list;'],
  ['2.0', 'schema-version 2.0, which is no integer;'],
  ['{a: 2}', 'schema-version {…}, which is an object;'],
  ['3', 'schema-version 3;']
])('schema-version %s: what it is', (version, what) => {
  expect(said(`schema-version: ${version}\nreef: {}\n`, 'v2/version')).toEqual([
    `1:17 unsupported ${what} expected the integer 2`
  ])
})

describe('a NexRL recipe that names itself', () => {
  const text = 'defaults: [nexcyc, _self_]\ndata: {a: 1}\ntrainer: {b: 1}\n'
  const rulesAt = (path: string): string[] =>
    checkRecipe({ path, text }).findings.map((finding) => finding.rule)

  it('is told so', () => {
    expect(rulesAt('some/where/nexcyc.yaml')).toContain('nexrl/defaults-self')
    expect(rulesAt('some/where/nexcyc.yaml')).not.toContain('nexrl/defaults-missing')
  })

  it('another one with that entry misses a file', () => {
    expect(rulesAt('some/where/other.yaml')).toContain('nexrl/defaults-missing')
    expect(rulesAt('some/where/other.yaml')).not.toContain('nexrl/defaults-self')
  })
})

describe('lines ended by a lone CR, as PyYAML takes them', () => {
  const lines = [
    'schema-version: 2',
    'reef:',
    '  prot: 1 # why',
    '  host: 127.0.0.1',
    'reward: {}',
    ''
  ]

  it('the same findings at the same places', () => {
    const findings = (end: string): unknown[] =>
      checkRecipe({ path: 'x.yaml', text: lines.join(end) }).findings.map(
        ({ rule, line, column }) => [rule, line, column]
      )
    expect(findings('\n')).toContainEqual(['v2/unknown-field', 3, 3])
    expect(findings('\r')).toEqual(findings('\n'))
  })

  it('a fix changes its own place only', () => {
    const text = 'schema-version: 3\rreef:\r  port: 8900\r'
    const fix = checkRecipe({ path: 'x.yaml', text }).findings.find(
      (one) => one.fix !== undefined
    )?.fix
    expect(applyEdits(text, fix?.edits ?? [])).toBe('schema-version: 2\rreef:\r  port: 8900\r')
  })
})

describe('the bound of what is read', () => {
  it('items of a list in one line count', () => {
    const text = `schema-version: 2\nreef: {tokens: [${'a, '.repeat(30_000)}]}\n`
    const { findings, took } = checkRecipe({ path: 'x.yaml', text })
    expect(findings.map((finding) => finding.rule)).toEqual(['yaml/too-large'])
    expect(took).toBeLessThan(5_000)
  })

  it('aliases that stand for too many fields: only that is said', () => {
    const fields = Array.from({ length: 300 }, (_, at) => `k${at}: 1`).join(', ')
    const uses = Array.from({ length: 300 }, (_, at) => `    u${at}: *m`).join('\n')
    const text = `schema-version: 2\nwrong: &m {${fields}}\ntraining:\n  config:\n${uses}\n`
    expect(checkRecipe({ path: 'x.yaml', text }).findings.map((one) => one.rule)).toEqual([
      'yaml/too-large'
    ])
  })

  it('more than 200 references in one text are said and not left out silently', () => {
    const text = (count: number): string =>
      `schema-version: 2\nreef: {port: 8900}\ntraining: {config: {a: "${'${reef.port} '.repeat(count)}"}}\n`
    expect(said(text(201), 'env/too-long')).toHaveLength(1)
    expect(said(text(200), 'env/too-long')).toEqual([])
  })
})
