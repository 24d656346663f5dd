import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { z } from 'zod'
import { registerRecipeCommands } from '../../../../src-main/cli/recipes'
import { saoRecipe, unversionedRecipe } from './recipe-texts'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-cli-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function slipway(
  language: 'en' | 'zh',
  ...args: string[]
): Promise<{ code: number; out: string; err: string }> {
  const result = { code: -1, out: '', err: '' }
  const program = new Command('slipway').exitOverride()
  registerRecipeCommands(program, {
    language,
    out: (text) => void (result.out += `${text}\n`),
    err: (text) => void (result.err += `${text}\n`),
    exit: (code) => void (result.code = code)
  })
  await program.parseAsync(['node', 'slipway', ...args])
  return result
}

async function file(name: string, text: string): Promise<string> {
  await writeFile(join(folder, name), text)
  return join(folder, name)
}

test('check: JSON shape and exit codes', async () => {
  const env = await file('env', 'REEF_TOKEN=a-token-for-tests\n')
  const sound = await slipway(
    'en',
    'check',
    await file('a.yaml', saoRecipe()),
    '--json',
    '--env',
    env
  )
  expect(JSON.parse(sound.out)).toEqual({
    dialect: 'reef-v2',
    generation: 'C',
    findings: [],
    summary: { errors: 0, warnings: 0, hints: 0 }
  })
  expect(sound.code).toBe(0)

  const warned = await file('b.yaml', saoRecipe().replace('batch-size: 128 #', 'batch-size: 32 #'))
  expect((await slipway('en', 'check', warned, '--env', env)).code).toBe(0)
  expect((await slipway('en', 'check', warned, '--env', env, '--strict')).code).toBe(3)

  const wrong = await slipway(
    'en',
    'check',
    await file('c.yaml', saoRecipe().replace('  port: 8900', '  prot: 8900')),
    '--json',
    '--env',
    env
  )
  expect(wrong.code).toBe(1)
  expect(JSON.parse(wrong.out)).toMatchObject({
    findings: [
      {
        rule: 'v2/unknown-field',
        severity: 'error',
        path: 'reef.prot',
        line: 4,
        column: 3,
        message: 'unknown config field reef.prot'
      }
    ]
  })
  expect((await slipway('en', 'check', join(folder, 'nothing.yaml'))).code).toBe(2)
  expect((await slipway('en', 'check', warned, '--generation', 'Z')).code).toBe(2)
})

test('check speaks the asked language', async () => {
  const path = await file('c.yaml', saoRecipe().replace('  port: 8900', '  prot: 8900'))
  expect((await slipway('zh', 'check', path)).out).toContain('未知的配置字段 reef.prot')
})

test('one of a kind is counted as one', async () => {
  const env = await file('env', 'REEF_TOKEN=a-token-for-tests\n')
  const wrong = saoRecipe().replace('  port: 8900', '  prot: 8900')
  const one = await slipway('en', 'check', await file('one.yaml', wrong), '--env', env)
  expect(one.out).toContain('reef-v2, C: 1 error, 0 warnings, 0 hints')
  const path = await file('two.yaml', wrong.replace('  host:', '  hots:'))
  expect((await slipway('en', 'check', path, '--env', env)).out).toContain(': 2 errors, 0 warnings')
})

test('Chinese writes its own colon', async () => {
  const path = await file('c.yaml', saoRecipe().replace('  port: 8900', '  prot: 8900'))
  expect((await slipway('zh', 'check', path)).out).toContain(`${path}:4:3: 错误：未知的配置字段`)
})

test('what lies beside a recipe is named by a path that leads there', async () => {
  await mkdir(join(folder, 'deep'))
  const common = await file(
    'deep/common.yaml',
    'data: {a: 1}\nservice: ${oc.env:NOT_SET_ANYWHERE}\n'
  )
  const leaf = await file('deep/leaf.yaml', 'defaults: [common, _self_]\ntrainer: {b: 2}\n')
  const named = async (path: string): Promise<string> => (await slipway('en', 'check', path)).out
  expect(await named(leaf)).toContain(`${common}:2:10: error: NOT_SET_ANYWHERE`)
  const here = process.cwd()
  expect(await named(relative(here, leaf))).toContain(`${relative(here, common)}:2:10: error:`)
  const { out } = await slipway('en', 'resolve', leaf)
  expect(out).toMatch(new RegExp(`^data\\.a +1 +${common}:1$`, 'm'))
})

test('a file beyond the bounds is refused at once, and only that is said', async () => {
  const lines = Array.from({ length: 40_000 }, (_, at) => `    a${at}: \${reef.port}`).join('\n')
  const text = `schema-version: 2\nreef:\n  port: 8900\ntraining:\n  config:\n${lines}\n`
  const { code, out } = await slipway('en', 'check', await file('many.yaml', text), '--json')
  expect(code).toBe(1)
  const { findings } = z.object({ findings: z.array(z.unknown()) }).parse(JSON.parse(out))
  expect(findings).toMatchObject([{ rule: 'yaml/too-large', line: 20_001 }])
})

test('explain prints the explanation, and lists all rules', async () => {
  expect((await slipway('en', 'explain', 'batch/agreement')).out).toContain(
    'Nothing says so at start.'
  )
  expect((await slipway('zh', 'explain', 'batch/agreement')).out).toContain('启动时不会有任何提示')
  expect((await slipway('en', 'explain')).out).toContain('sao/critic-warm-up')
  expect((await slipway('zh', 'explain', 'sao/critic')).out).toContain('修复：添加 use-critic。')
  expect((await slipway('en', 'explain', 'no/rule')).code).toBe(2)
  const near = await slipway('en', 'explain', 'batch/agrement')
  expect([near.code, near.out]).toEqual([2, ''])
  expect(near.err).toContain('Did you mean batch/agreement?')
})

test('what is no recipe: exit 2 with what, where, why and what to do, as JSON too', async () => {
  const cases: [path: string, what: string, remedy: string][] = [
    [await file('empty.yaml', ' \n'), 'The recipe is empty.', 'Start from a template'],
    [folder, 'This is a folder, not a recipe.', 'Name one YAML file.'],
    [join(folder, 'gone.yaml'), 'There is no such file.', 'Check the path'],
    [await file('large.yaml', '#'.repeat(5_000_000)), 'too large', 'Data belongs'],
    [await file('binary.yaml', '\u0000\u0001reef: {}'), 'not UTF-8 text', 'save this one']
  ]
  for (const command of ['check', 'resolve', 'migrate'])
    for (const [path, what, remedy] of cases) {
      const said = await slipway('en', command, path)
      expect([said.code, said.out]).toEqual([2, ''])
      for (const part of [what, path, remedy]) expect(said.err).toContain(part)
      const json = await slipway('en', command, path, '--json')
      expect([json.code, json.out]).toEqual([2, ''])
      expect(JSON.parse(json.err)).toMatchObject({ error: { where: path } })
    }
})

test('resolve names the origin of each value and never a secret', async () => {
  const env = await file('env', 'REEF_TOKEN=a-token-for-tests\n')
  const path = await file('a.yaml', saoRecipe())
  const { out, code } = await slipway(
    'en',
    'resolve',
    path,
    '--json',
    '--env',
    env,
    '--set',
    'training.options.lr=2e-6'
  )
  expect(code).toBe(0)
  expect(out).not.toContain('a-token-for-tests')
  const { resolved } = z.object({ resolved: z.array(z.unknown()) }).parse(JSON.parse(out))
  expect(resolved).toContainEqual({
    path: 'training.options.lr',
    value: '2e-6',
    origin: { kind: 'override' }
  })
  expect(resolved).toContainEqual({
    path: 'reef.token',
    value: '${REEF_TOKEN}',
    origin: { kind: 'environment', name: 'REEF_TOKEN', set: 'set' }
  })
  expect(resolved).toContainEqual({
    path: 'reef.ready-timeout',
    value: '30',
    origin: { kind: 'default' }
  })
})

test('migrate prints the new text, or writes it', async () => {
  const path = await file('old.yaml', unversionedRecipe())
  const printed = await slipway('en', 'migrate', path)
  // What stood at the head of the file still does.
  const [head = ''] = unversionedRecipe().split(/^\w/m)
  expect(printed.out.startsWith(`${head.trim()}\nschema-version: 2\n`)).toBe(true)
  expect(await readFile(path, 'utf8')).toBe(unversionedRecipe())
  expect((await slipway('en', 'migrate', path, '--write')).code).toBe(0)
  expect(await readFile(path, 'utf8')).toBe(printed.out)
})

test('broken YAML is neither resolved nor migrated: exit 2 with the place and the reason', async () => {
  const cases: [text: string, place: string, why: string][] = [
    ['schema-version: 2\nreef: [a\n', ':3:1', 'not valid YAML'],
    ['schema-version: 2\nreef: *gone\n', ':2:7', 'names no anchor'],
    ['just words\n', ':1:1', 'a YAML object at the root']
  ]
  for (const [text, place, why] of cases) {
    const path = await file('broken.yaml', text)
    for (const command of ['resolve', 'migrate']) {
      const said = await slipway('en', command, path)
      expect([said.code, said.out]).toEqual([2, ''])
      for (const part of [`${path}${place}`, why]) expect(said.err).toContain(part)
      const json = await slipway('en', command, path, '--json')
      expect([json.code, json.out]).toEqual([2, ''])
      expect(JSON.parse(json.err)).toMatchObject({ error: { code: 'recipe-unreadable' } })
    }
    await slipway('en', 'migrate', path, '--write')
    expect(await readFile(path, 'utf8')).toBe(text)
  }
})

test('explain refuses an empty name', async () => {
  const { code, err } = await slipway('en', 'explain', '')
  expect(code).toBe(2)
  expect(err).toContain('The name of the rule is empty.')
})

test('a dialect that is none is refused with the known ones, as JSON where that was asked for', async () => {
  const path = await file('a.yaml', saoRecipe())
  const { code, out, err } = await slipway('en', 'check', path, '--dialect', 'reef', '--json')
  expect([code, out]).toEqual([2, ''])
  const said = z.object({
    error: z.object({ code: z.string(), remedy: z.object({ en: z.string() }) })
  })
  const { error } = said.parse(JSON.parse(err))
  expect(error.code).toBe('usage')
  expect(error.remedy.en).toContain('reef-v2')
  expect((await slipway('zh', 'check', path, '--generation', 'Z')).err).toContain('可用：A、B、C')
})

test('explain lists rules in words, without the names of what they quote', async () => {
  for (const language of ['en', 'zh'] as const) {
    const { out } = await slipway(language, 'explain')
    expect(out).not.toMatch(/\{\w+\}/)
    for (const line of out.trim().split('\n'))
      expect(line.split(/ {2,}/).slice(2).join(' '), line).toMatch(/\p{L}{2}/u)
  }
})

test('an override nobody knows is told by check and by resolve, and one that is none is refused', async () => {
  const path = await file('recipe.yaml', saoRecipe())
  const said = 'error: unknown config field reef.prot [v2/unknown-field]'
  const checked = await slipway('en', 'check', path, '--set', 'reef.prot=1')
  expect(checked).toMatchObject({ code: 1, out: expect.stringContaining(said) as string })
  const resolved = await slipway('en', 'resolve', path, '--set', 'reef.prot=1')
  expect(resolved.err).toContain(said)
  for (const command of ['check', 'resolve'])
    expect(await slipway('en', command, path, '--set', 'reef.port=0')).toMatchObject({
      code: 2,
      err: expect.stringContaining('“0” is not a port') as string
    })
})

test('migrate --write says what became of the file', async () => {
  const path = await file('old.yaml', unversionedRecipe())
  const first = await slipway('en', 'migrate', path, '--write')
  expect(first).toMatchObject({ code: 0, out: `${path} is now in the newest form.\n` })
  const again = await slipway('en', 'migrate', path, '--write')
  expect(again.out).toBe(`${path} is in the newest form already; nothing was changed.\n`)
  expect((await slipway('zh', 'migrate', path, '--write')).out).toContain('已是最新格式')
})
