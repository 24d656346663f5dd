import { readdirSync, readFileSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { describe, expect, it, test } from 'vitest'
import {
  checkModule,
  checkRecipe,
  gatherInput,
  listTemplates,
  newRecipeProposal,
  RecipeLibrary
} from '../../../../src-main/engine/recipes'

const folder = join(import.meta.dirname, '../../../../recipes')
const files = readdirSync(folder).filter(
  (name) => name.endsWith('.yaml') && !name.startsWith('practice-')
)
/** Every variable a template may ask for, set. */
const environment = {
  REEF_TOKEN: 'a-token-for-tests',
  UPSTREAM_URL: 'https://example.org',
  UPSTREAM_MODEL: 'm',
  UPSTREAM_API_KEY: 'k'
}

test.each(files)('%s has the findings its header names, and no others', (name) => {
  const text = readFileSync(join(folder, name), 'utf8')
  const named = /^# Findings on purpose: (.+)$/m.exec(text)?.[1]?.split(', ') ?? []
  const result = checkRecipe({ path: name, text, environment })
  expect([result.dialect, result.generation]).toEqual(['reef-v2', 'C'])
  expect([...new Set(result.findings.map((finding) => finding.rule))].sort()).toEqual(
    [...named].sort()
  )
  expect(result.facts.family).not.toBeNull()
})

/** What a machine that runs NexRL with the service and its data has set. */
const nexrlEnvironment = { NEXRL_DATA_PATH: '/data', WEAVER_API_KEY: 'sk-1' }

const nexrl = [
  'nexrl-pig-latin/pig-latin.yaml',
  'nexrl-math/math-lora.yaml',
  'nexrl-math/math-full.yaml',
  'nexrl-deepsearch/deepsearch.yaml',
  'nexrl-news/news.yaml'
]

test.each(nexrl)('%s has the findings its header names, and no others', async (name) => {
  const path = join(folder, name)
  const text = readFileSync(path, 'utf8')
  const named = /^# Findings on purpose: (.+)$/m.exec(text)?.[1]?.split(', ') ?? []
  const result = checkRecipe(await gatherInput({ path, text, environment: nexrlEnvironment }, null))
  expect(result.dialect).toBe('nexrl')
  expect([...new Set(result.findings.map((finding) => finding.rule))].sort()).toEqual(
    [...named].sort()
  )
})

test('every template says in its header what it is, in both languages', () => {
  const all = [...readdirSync(folder).filter((name) => name.endsWith('.yaml')), ...nexrl]
  for (const name of all) {
    const text = readFileSync(join(folder, name), 'utf8')
    expect(text).toMatch(/^# name: \S.*\n# en: \S.*\n# zh: .*\p{Script=Han}/u)
  }
})

test('the Python files of the templates are sound', () => {
  for (const name of nexrl.map((one) => one.split('/')[0] ?? '')) {
    for (const file of readdirSync(join(folder, name)).filter((one) => one.endsWith('.py'))) {
      const { findings } = checkModule(file, readFileSync(join(folder, name, file), 'utf8'))
      expect(findings.map((finding) => finding.rule)).toEqual([])
    }
  }
})

test('a copy of a template carries its base and its Python files along', async () => {
  const home = await mkdtemp(join(tmpdir(), 'slipway-templates-'))
  try {
    const library = new RecipeLibrary({
      templates: folder,
      own: join(home, 'recipes'),
      recentFile: join(home, 'recent.json')
    })
    await library.create({ from: join(folder, 'nexrl-pig-latin/pig-latin.yaml'), name: 'mine' })
    await library.create({ from: join(folder, 'nexrl-math/math-full.yaml'), name: 'sums' })
    expect(readdirSync(join(home, 'recipes/mine')).sort()).toEqual([
      'mine.yaml',
      'pig_latin_worker.py'
    ])
    expect(readdirSync(join(home, 'recipes/sums')).sort()).toEqual(['common.yaml', 'sums.yaml'])
  } finally {
    await rm(home, { recursive: true, force: true })
  }
})

test('every template is listed with a description in both languages', async () => {
  for (const entry of await listTemplates(folder)) {
    if (!files.includes(basename(entry.path))) continue
    expect(entry.description.en).not.toBe('')
    expect(entry.description.zh).toMatch(/\p{Script=Han}/u)
  }
})

test('proposals name templates that exist', () => {
  const improve = [
    'reasoning',
    'one-problem',
    'conversation',
    'demonstrated-skill',
    'smaller-model',
    'harness'
  ] as const
  const signal = [
    'score',
    'score-grid',
    'next-state',
    'demonstrations',
    'teacher',
    'requests',
    'none'
  ] as const
  const named = new Set(
    improve.flatMap((a) =>
      signal.flatMap((b) =>
        newRecipeProposal({ improve: a, signal: b, gpus: 8 }).map((one) => one.template)
      )
    )
  )
  for (const name of named) expect(readdirSync(folder)).toContain(name)
})

test.each(['practice-sao.yaml', 'practice-tttd.yaml'])(
  '%s checks clean but for the notice that it is practice',
  (name) => {
    const text = readFileSync(join(folder, name), 'utf8')
    const { findings, facts } = checkRecipe({ path: name, text, environment })
    expect(findings.filter((finding) => finding.severity !== 'hint')).toEqual([])
    expect(findings.map((finding) => finding.rule)).toContain('practice/backend')
    expect([facts.practice, facts.rollback]).toEqual([true, 'api'])
  }
)

describe('disk per checkpoint', () => {
  const facts = (name: string, more = '') =>
    checkRecipe({
      path: 'x.yaml',
      text: `schema-version: 2
recipe: { implementation: "recipes.sao.recipe:SAORecipe", config: { batch-size: 1 } }
inference: { model-path: /models/${name} }
training:
  backend: slime
  options: {${more}}
`
    }).facts.checkpoint

  it('is eight times the bf16 weights that the name tells, sixteen with a critic, 1.2 with an adapter', () => {
    expect(facts('Qwen2.5-1.5B')).toEqual({ bytes: 24e9, times: 8 })
    expect(facts('Qwen2.5-1.5B', ' use-critic: true ')).toEqual({ bytes: 48e9, times: 16 })
    expect(facts('Qwen3-30B-A3B', ' megatron-lora-rank: 16 ')).toEqual({ bytes: 72e9, times: 1.2 })
  })

  it('is not guessed when the name tells no size', () => {
    expect(facts('my-model')).toBeUndefined()
  })
})
