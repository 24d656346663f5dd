import { mkdtemp, readFile, rm, utimes, writeFile, mkdir } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import {
  checkRecipe,
  compareRecipes,
  completeRecipe,
  hoverRecipe,
  listTemplates,
  migrateRecipe,
  newRecipeProposal,
  parseEnvFile,
  RecipeLibrary,
  scaleBatch
} from '../../../../src-main/engine/recipes'
import {
  nexrlBase,
  practiceRecipe,
  saoRecipe,
  tttdRecipe,
  unversionedRecipe,
  withLine
} from './recipe-texts'

const valueAt = (text: string, path: string, environment = {}): string | undefined =>
  checkRecipe({ path: 'x.yaml', text, environment }).resolved.find((row) => row.path === path)
    ?.value

describe('migration', () => {
  test('unversioned becomes version 2 with every comment and every value, and settles', () => {
    const before = unversionedRecipe()
    const { text, changes } = migrateRecipe({ path: 'x.yaml', text: before })
    for (const comment of [
      '# a judge scores the traffic',
      '# this machine only',
      '# the router of the engine'
    ]) {
      expect(text).toContain(comment)
    }
    expect(changes.length).toBeGreaterThan(10)
    const result = checkRecipe({ path: 'x.yaml', text, environment: { REEF_TOKEN: 'abcdef' } })
    expect([result.dialect, result.generation]).toEqual(['reef-v2', 'C'])
    const loud = result.findings.filter((finding) => finding.severity !== 'hint')
    expect(loud.map((finding) => `${finding.rule} ${finding.message.en}`)).toEqual([])
    const pairs: readonly (readonly [string, string])[] = [
      ['inference.model-path', '/models/Qwen3-4B-Thinking-2507'],
      ['inference.num-gpus', '1'],
      ['inference.options.router-port', '23000'],
      ['inference.options.tool-call-parser', 'qwen25'],
      ['recipe.config.batch-size', '16'],
      ['recipe.config.prm-url', 'http://127.0.0.1:23001'],
      ['training.options.save-hf', '/srv/run/checkpoints/hf/{rollout_id}'],
      ['training.options.rollout-batch-size', '16'],
      ['training.options.sequence-parallel', 'true'],
      ['training.timeout-s', '7200'],
      ['reef.run-dir', '/srv/run/stack'],
      ['reef.ready-timeout', '3600']
    ]
    for (const [path, value] of pairs) expect([path, valueAt(text, path)]).toEqual([path, value])
    expect(migrateRecipe({ path: 'x.yaml', text }).text).toBe(text)
  })

  test('the middle generation is carried over in place', () => {
    let before = withLine(tttdRecipe(), '  colocate: true\n', '')
    before = withLine(
      before,
      '    kl-coef: "0.1"',
      '    colocate: true # shared\n    sglang-reasoning-parser: qwen3\n    kl-coef: "0.1"'
    )
    before = withLine(
      before,
      '  timeout-s: 7200\nrecipe',
      '  timeout-s: 7200\n  backend-factory: reef.train.slime_backend.reef_adapters.sglang.chat.SGLangChatTrainingInferenceBackend # tokens\nrecipe'
    )
    expect(checkRecipe({ path: 'x', text: before }).generation).toBe('B')
    const { text } = migrateRecipe({ path: 'x', text: before })
    const result = checkRecipe({ path: 'x', text })
    expect(result.generation).toBe('C')
    expect(result.findings.filter((finding) => finding.severity === 'error')).toEqual([])
    for (const kept of ['# shared', '# tokens', 'lr: "4e-5"']) expect(text).toContain(kept)
    expect(valueAt(text, 'training.colocate')).toBe('true')
    expect(valueAt(text, 'inference.options.reasoning-parser')).toBe('qwen3')
    expect(migrateRecipe({ path: 'x', text }).text).toBe(text)
  })

  test('a newest file and a file of another kind stay as they are', () => {
    for (const text of [saoRecipe(), nexrlBase().text, 'a: 1\n', 'reef: [']) {
      expect(migrateRecipe({ path: 'x', text }).text).toBe(text)
    }
  })
})

describe('scaling the batch', () => {
  test('the smoke batch becomes 128 everywhere, and only the numbers change', () => {
    const smoke = saoRecipe()
      .replace('batch-size: 128 # reports', 'batch-size: 1 # reports')
      .replace('global_batch_size: 128', 'global_batch_size: 1')
    const { text } = scaleBatch({ path: 'x', text: smoke }, 128)
    expect(text).toBe(saoRecipe())
    expect(
      checkRecipe({ path: 'x', text }).findings.some(
        (finding) => finding.rule === 'batch/agreement'
      )
    ).toBe(false)
  })

  test('a grid keeps its group size', () => {
    const { text } = scaleBatch({ path: 'x', text: tttdRecipe() }, 1024)
    expect(valueAt(text, 'recipe.config.groups-per-step')).toBe('16')
    expect(valueAt(text, 'training.options.global-batch-size')).toBe('1024')
    expect(() => scaleBatch({ path: 'x', text: tttdRecipe() }, 100)).toThrow(/multiple of 64/)
  })

  test('an unversioned stack and a practice recipe scale too', () => {
    const old = scaleBatch({ path: 'x', text: unversionedRecipe() }, 32)
    expect(checkRecipe({ path: 'x', text: old.text }).facts.batch).toBe(32)
    expect(
      checkRecipe({ path: 'x', text: scaleBatch({ path: 'x', text: practiceRecipe() }, 4).text })
        .facts.batch
    ).toBe(4)
    expect(() => scaleBatch({ path: 'x', text: 'reef: {}\n' }, 4)).toThrow(/trains nothing/)
  })
})

describe('comparison', () => {
  test('order, quoting, spelling and the way a number is written do not count', () => {
    const other = saoRecipe()
      .replace('lr: "1e-6"', 'lr: 0.000001')
      .replace('max-staleness: 18', "max_staleness: '18'")
    expect(compareRecipes({ path: 'a', text: saoRecipe() }, { path: 'b', text: other })).toEqual([])
  })

  test('a difference names both sides, and what follows from it is marked', () => {
    const other = saoRecipe().replace(
      'checkpoint_dir: /srv/run/checkpoints',
      'checkpoint_dir: /mnt/c'
    )
    const rows = compareRecipes({ path: 'a', text: saoRecipe() }, { path: 'b', text: other })
    expect(rows.find((row) => row.path === 'training.config.checkpoint_dir')).toEqual({
      path: 'training.config.checkpoint_dir',
      a: '/srv/run/checkpoints',
      b: '/mnt/c',
      derived: false
    })
    expect(rows.find((row) => row.path === 'training.options.save')?.derived).toBe(true)
  })

  test('an unversioned file equals its own migration', () => {
    const text = unversionedRecipe()
    expect(
      compareRecipes(
        { path: 'a', text },
        { path: 'b', text: migrateRecipe({ path: 'a', text }).text }
      )
    ).toEqual([])
  })
})

describe('secrets', () => {
  test('neither a value from the environment nor one in the file is shown', () => {
    const environment = { REEF_TOKEN: 'very-secret-value' }
    const result = checkRecipe({ path: 'x', text: saoRecipe(), environment })
    expect(JSON.stringify(result)).not.toContain('very-secret-value')
    const written = saoRecipe().replace('${REEF_TOKEN}', 'very-secret-value')
    expect(JSON.stringify(checkRecipe({ path: 'x', text: written }))).not.toContain(
      'very-secret-value'
    )
    const nexrl = checkRecipe({
      path: 'x',
      text: nexrlBase().text,
      siblings: nexrlBase().siblings,
      environment: { WEAVER_API_KEY: 'very-secret-value' }
    })
    expect(JSON.stringify(nexrl)).not.toContain('very-secret-value')
  })
})

describe('completion and hover', () => {
  const lines = saoRecipe().split('\n')
  test('offers what is not there yet, in the place where it belongs', () => {
    const line = lines.findIndex((one) => one.includes('swiglu')) + 1
    const text = [...lines.slice(0, line), '    kl-c', ...lines.slice(line)].join('\n')
    const labels = completeRecipe({ path: 'x', text, line: line + 1, column: 9 }).map(
      (one) => one.label
    )
    expect(labels).toContain('kl-coef')
    expect(labels).not.toContain('swiglu')
    const value = completeRecipe({
      path: 'x',
      text: saoRecipe().replace('loss-type: "policy_loss"', 'loss-type: '),
      line: lines.findIndex((one) => one.includes('loss-type')) + 1,
      column: 16
    })
    expect(value.map((one) => one.label)).toContain('custom_loss')
  })

  test('says what a field does and what it resolves to', () => {
    const line = lines.findIndex((one) => one.includes('rollout-batch-size')) + 1
    const hover = hoverRecipe({ path: 'x', text: saoRecipe(), line, column: 8 })
    expect(hover?.markdown.en).toContain('`128`, from training.config.global_batch_size')
    expect(hover?.markdown.zh).toContain('来自 training.config.global_batch_size')
  })

  /** The text with a line behind the one that holds `after`, and the cursor at its end. */
  const typing = (
    text: string,
    after: string,
    line: string
  ): { path: string; text: string; line: number; column: number } => {
    const all = text.split('\n')
    const at = all.findIndex((one) => one.includes(after)) + 1
    all.splice(at, 0, line)
    return { path: 'x', text: all.join('\n'), line: at + 1, column: line.length + 1 }
  }
  const labels = (...at: Parameters<typeof typing>): string[] =>
    completeRecipe(typing(...at)).map((one) => one.label)

  test('an unversioned stack is completed in its own words', () => {
    const text = unversionedRecipe()
    expect(labels(text, 'reef:', '  upstream')).toContain('upstream_url')
    expect(labels(text, 'reef:', '  ')).not.toContain('port')
    expect(labels(text, '- name: judge', '    dep')).toContain('depends_on')
    expect(labels(text, '--lr=1e-5', '    --kl-c')).toContain('--kl-coef')
    const line = text.split('\n').findIndex((one) => one.includes('train_timeout_s')) + 1
    const { en, zh } = hoverRecipe({ path: 'x', text, line, column: 6 })?.markdown ?? {
      en: '',
      zh: ''
    }
    expect(en).toContain('In version 2: training.timeout-s')
    expect(en).toContain('`7200`')
    expect(zh).toContain('version 2 中为 training.timeout-s')
  })

  test('a NexRL recipe is completed and explained, names of the person’s own included', () => {
    const { text } = nexrlBase()
    expect(labels(text, 'experiment_name', 'run')).toContain('runtime_monitor')
    expect(labels(text, '        loss_fn:', '        bet')).toEqual(['beta1', 'beta2'])
    expect(labels(text, 'sync_method: weaver', '  sync_mode: ')).toContain('batch-async')
    const line = text.split('\n').findIndex((one) => one.includes('learning_rate')) + 1
    const hover = hoverRecipe({ path: 'x', text, line, column: 12 })?.markdown
    expect(hover?.en).toContain('number, default 2e-6')
    expect(hover?.en).toContain('Source: nexrl/')
    expect(hover?.zh).toContain('适配器约 1e-4')
  })
})

test('proposals fit the answers and the GPUs', () => {
  expect(newRecipeProposal({ improve: 'reasoning', signal: 'score', gpus: 2 })[0]?.family).toBe(
    'sao'
  )
  expect(newRecipeProposal({ improve: 'one-problem', signal: 'score', gpus: 2 })[0]?.template).toBe(
    'tttd.yaml'
  )
  expect(newRecipeProposal({ improve: 'reasoning', signal: 'score', gpus: 0 })[0]?.template).toBe(
    'practice-sao.yaml'
  )
  expect(newRecipeProposal({ improve: 'harness', signal: 'requests', gpus: 0 })[0]?.family).toBe(
    'reefine'
  )
})

test('environment files are read as Docker and shells do', () => {
  expect(parseEnvFile('# c\nA=1\nexport B="two words" # x\nC=a=b\n\nbad line\n')).toEqual({
    A: '1',
    B: 'two words',
    C: 'a=b'
  })
})

describe('library', () => {
  let home = ''
  let library: RecipeLibrary
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-recipes-'))
    await mkdir(join(home, 'templates'))
    await writeFile(
      join(home, 'templates', 'sao.yaml'),
      `# en: One score\n# zh: 单个得分\n${saoRecipe()}`
    )
    await mkdir(join(home, 'templates', 'math'))
    await writeFile(join(home, 'templates', 'math', 'weaver.yaml'), nexrlBase().text)
    await writeFile(
      join(home, 'templates', 'math', 'common.yaml'),
      nexrlBase().siblings['common.yaml'] ?? ''
    )
    library = new RecipeLibrary({
      templates: join(home, 'templates'),
      own: join(home, 'own'),
      recentFile: join(home, 'recent.json')
    })
  })
  afterEach(async () => {
    await rm(home, { recursive: true, force: true })
  })

  test('shows a template by its Chinese name too, and a copy of it by its own alone', async () => {
    const named = `# name: Control\n# zh: 单个得分\n# name zh: 对照\n${saoRecipe()}`
    await writeFile(join(home, 'templates', 'named.yaml'), named)
    await library.create({ from: join(home, 'templates', 'named.yaml'), name: 'mine' })
    const titles = (await library.list()).map(({ kind, title }) => [kind, title.en, title.zh])
    expect(titles).toContainEqual(['template', 'Control', '对照'])
    expect(titles).toContainEqual(['own', 'Control', 'Control'])
    expect(titles).toContainEqual(['template', 'weaver', 'weaver'])
  })

  test('lists templates with their description and hides shared bases', async () => {
    const entries = await listTemplates(join(home, 'templates'))
    expect(entries.map((entry) => [entry.name, entry.dialect])).toEqual([
      ['weaver', 'nexrl'],
      ['sao', 'reef-v2']
    ])
    expect(entries[1]?.description).toEqual({ en: 'One score', zh: '单个得分' })
  })

  test('a copy carries its base along, is own, and can be saved', async () => {
    const { path } = await library.create({
      from: join(home, 'templates', 'math', 'weaver.yaml'),
      name: 'My math'
    })
    expect(path).toBe(join(home, 'own', 'My-math', 'My-math.yaml'))
    expect(await readFile(join(home, 'own', 'My-math', 'common.yaml'), 'utf8')).toBe(
      nexrlBase().siblings['common.yaml']
    )
    const file = await library.read(path)
    const saved = await library.save({
      path,
      text: `${file.text}# mine\n`,
      modified: file.modified
    })
    expect((await library.read(path)).modified).toBe(saved.modified)
    await library.opened(path)
    expect(
      (await library.list()).filter((entry) => entry.kind === 'own').map((entry) => entry.path)
    ).toEqual([path])
  })

  test('refuses to overwrite what somebody else changed, an existing file, and a template', async () => {
    const { path } = await library.create({
      from: join(home, 'templates', 'sao.yaml'),
      name: 'mine'
    })
    const file = await library.read(path)
    await writeFile(path, 'theirs: 1\n')
    await utimes(path, new Date(), new Date(file.modified + 5_000))
    await expect(library.save({ path, text: 'x', modified: file.modified })).rejects.toMatchObject({
      failure: { code: 'changed-on-disk' }
    })
    expect(await readFile(path, 'utf8')).toBe('theirs: 1\n')
    await expect(library.create({ from: path, name: 'mine' })).rejects.toMatchObject({
      failure: { code: 'already-exists' }
    })
    const template = join(home, 'templates', 'sao.yaml')
    expect((await library.read(template)).readOnly).toBe(true)
    await expect(library.save({ path: template, text: 'x', modified: null })).rejects.toMatchObject(
      { failure: { code: 'template-is-read-only' } }
    )
    await expect(library.read(join(home, 'nothing.yaml'))).rejects.toMatchObject({
      failure: { code: 'recipe-not-found' }
    })
  })
})
