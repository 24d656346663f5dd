import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  gitOutcome,
  readContents,
  routesOutcome
} from '../../../../src-main/engine/preflight/image-contents'
import { gnomeSleep, pmsetSleep, sleepOutcome } from '../../../../src-main/engine/preflight/laptop'
import { skewOutcome } from '../../../../src-main/engine/preflight/machine'
import {
  launcherFile,
  launcherThere,
  pythonOutcome
} from '../../../../src-main/engine/preflight/nexrl-install'
import { oracleOutcome } from '../../../../src-main/engine/preflight/oracle'
import {
  disagreements,
  findingsNamed,
  readPrintedConfig
} from '../../../../src-main/engine/preflight/oracle-report'
import type { Finding, ResolvedValue } from '../../../../src-main/contract/recipes'
import { launchContext, slimeRecipe } from '../../../support/preflight-yard'

const said = (stdout: string, code = 0, stderr = '') => ({
  kind: 'done' as const,
  code,
  stdout,
  stderr
})

const PRINTED = `[reef] config: recipe.yaml (schema-version 2)
[reef] resolved settings:
[reef]   inference.timeout-s = 300  (default)
[reef]   observability.wandb = {}  (default)
[reef]   recipe.config.batch_size = 8  (file)
[reef]   reef.token = ***  (file)
[reef]   training.options.scenarios = ["a", "b"]  (file)
[reef]   reef.allow-implicit-scenario-creation = True  (default)
`
const ours = (path: string, value: string): ResolvedValue => ({
  path,
  value,
  origin: { kind: 'default' }
})

describe('the launcher’s own reading', () => {
  it('is read line by line, other lines passed over', () => {
    const printed = readPrintedConfig(PRINTED)
    expect(printed).toHaveLength(6)
    expect(printed[2]).toEqual({ path: 'recipe.config.batch_size', value: '8', source: 'file' })
  })

  it('disagrees only where a value both know means something else', () => {
    const printed = readPrintedConfig(PRINTED)
    const mine = [
      ours('inference.timeout-s', '300.0'),
      ours('recipe.config.batch-size', '32'),
      ours('reef.token', '${REEF_TOKEN}'),
      ours('training.options.scenarios', 'a b'),
      ours('reef.allow-implicit-scenario-creation', 'true'),
      ours('only.ours', '1')
    ]
    expect(disagreements(mine, printed, new Set())).toEqual([
      { path: 'recipe.config.batch-size', ours: '32', theirs: '8' }
    ])
    expect(disagreements(mine, printed, new Set(['recipe.config.batch-size']))).toEqual([])
  })

  it('refuses for what the checker found, told by the field’s whole name in either spelling', () => {
    const finding = (path: string, severity: Finding['severity'] = 'error'): Finding => ({
      rule: 'x',
      severity,
      path,
      line: 1,
      column: 1,
      endLine: 1,
      endColumn: 1,
      message: { en: '', zh: '' },
      explanation: { en: '', zh: '' },
      source: ''
    })
    const named = (text: string, ...findings: Finding[]) => findingsNamed(text, findings)
    const batch = finding('recipe.config.batch-size')
    expect(named('config x: recipe.config.batch_size must be positive', batch)).toHaveLength(1)
    expect(named("'recipe.config.batch-size'.", batch)).toEqual([batch.path])
    expect(named('recipe.config.batch-size-max', batch)).toEqual([])
    expect(named('my.recipe.config.batch-size', batch)).toEqual([])
    expect(named('argument --lora-rank: no', finding('training.options.lora_rank'))).toHaveLength(1)
    expect(named('reef.port', finding('reef.port', 'warning'), finding(''))).toEqual([])
  })

  it('never throws, and agrees with itself', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        const printed = readPrintedConfig(text)
        const same = printed.map(({ path, value }) => ours(path, value))
        const last = new Map(printed.map((one) => [one.path.replace(/_/g, '-'), one.value]))
        if (last.size === printed.length)
          expect(disagreements(same, printed, new Set())).toEqual([])
      })
    )
  })

  it('passes, warns, fails in its own words, and is unknown or skipped', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-oracle-'))
    try {
      const context = await launchContext({ folder, text: slimeRecipe(folder) })
      const judge = (answer: Parameters<typeof oracleOutcome>[0]) => oracleOutcome(answer, context)
      expect(judge(said('  reef.port = 8900  (file)\n')).verdict).toBe('pass')
      const other = judge(said('  reef.port = 9000  (env)\n'))
      expect(other.verdict).toBe('warn')
      expect(other.evidence.en).toContain('reef.port: 9000 ≠ 8900')
      expect(judge(said('', 2, 'config recipe.yaml is not valid'))).toMatchObject({
        verdict: 'fail',
        evidence: { en: 'config recipe.yaml is not valid' }
      })
      const old = 'reef: error: unrecognized arguments: --print-config'
      expect(judge(said('', 2, old)).verdict).toBe('skip')
      expect(judge(said('Traceback', 1)).verdict).toBe('unknown')
      expect(judge({ kind: 'late' }).verdict).toBe('unknown')
      expect(judge({ kind: 'missing' }).verdict).toBe('skip')
      // What the checker says already is not said a second time; anything else is.
      const bad = slimeRecipe(folder).replace('port: 8900', 'port: 70000')
      const found = await launchContext({ folder, text: bad })
      const twice = oracleOutcome(
        said('', 2, 'config r.yaml: reef.port must be at most 65535'),
        found
      )
      expect(twice.verdict).toBe('skip')
      expect(twice.evidence.en).toContain('reef.port must be at most 65535')
      expect(oracleOutcome(said('', 2, 'config r.yaml: reef.portal'), found).verdict).toBe('fail')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})

describe('what an image holds', () => {
  const whole =
    'tool git\ntool git-lfs\nsglang\nroute /load_lora_adapter\nroute /unload_lora_adapter\n'

  it('git and git-lfs', () => {
    expect(gitOutcome(readContents(whole)).verdict).toBe('pass')
    expect(gitOutcome(readContents('tool git\n'))).toMatchObject({
      verdict: 'warn',
      evidence: { en: 'Not there: git-lfs.' }
    })
    expect(gitOutcome(readContents('')).verdict).toBe('fail')
  })

  it('the adapter routes of its SGLang, or none to look at', () => {
    expect(routesOutcome(readContents(whole)).verdict).toBe('pass')
    expect(routesOutcome(readContents('sglang\nroute /load_lora_adapter\n'))).toMatchObject({
      verdict: 'fail',
      judgement: true,
      evidence: { en: 'This SGLang has no /unload_lora_adapter.' }
    })
    expect(routesOutcome(readContents('tool git\n')).verdict).toBe('unknown')
  })
})

describe('a laptop at night', () => {
  it('on macOS, from recorded pmset output', () => {
    const text =
      'System-wide power settings:\nCurrently in use:\n standby 1\n sleep                10 (sleep prevented by x)\n displaysleep 5\n'
    expect(pmsetSleep(text)).toBe(10)
    expect(pmsetSleep(text.replace(/sleep {16}10/, 'sleep 0'))).toBe(0)
    expect(pmsetSleep('')).toBeNull()
  })

  it('on GNOME, from recorded gsettings output', () => {
    expect(gnomeSleep("'nothing'\n", '1200\n')).toBe(0)
    expect(gnomeSleep("'suspend'\n", 'uint32 1800\n')).toBe(30)
    expect(gnomeSleep("'suspend'\n", '1200\n')).toBe(20)
    expect(gnomeSleep('', '')).toBeNull()
  })

  it('warns when it sleeps, never fails', () => {
    expect(sleepOutcome(0).verdict).toBe('pass')
    expect(sleepOutcome(20).verdict).toBe('warn')
    expect(sleepOutcome(null).verdict).toBe('unknown')
  })
})

it('another machine’s clock is compared with ours', () => {
  const now = 1_790_000_000_000
  expect(skewOutcome('1790000003 UTC\n', now)?.verdict).toBe('pass')
  expect(skewOutcome('1790000003 CST\n', now)?.evidence.en).toContain('3 s ahead')
  expect(skewOutcome('1789999000 UTC\n', now)?.verdict).toBe('warn')
  expect(skewOutcome('date: invalid', now)).toBeNull()
})

describe('NexRL’s installs', () => {
  const driver = { weaver: true, launcherOnly: false }

  it('tells an old Python, no package, the light and the whole install apart, with both commands', () => {
    const old = pythonOutcome(said('3 11 1 1 1'), driver)
    expect(old.evidence.en).toContain('3.11')
    expect(old.remedy?.en).toContain('--nexrl-python')
    const none = pythonOutcome(said('3 12 0 0 0'), driver)
    expect(none.evidence.en).toContain('without NexRL')
    expect(none.remedy?.en).toMatch(/pip install -e \. .*pip install -e "\.\[core\]"/)
    expect(pythonOutcome(said('3 12 1 0 0'), driver)).toMatchObject({
      verdict: 'fail',
      command: 'pip install -e ".[core]"'
    })
    expect(pythonOutcome(said('3 12 1 1 0'), driver).command).toContain('nex-weaver')
    expect(pythonOutcome(said('3 12 1 1 0'), { ...driver, weaver: false }).verdict).toBe('pass')
    expect(pythonOutcome(said('4 0 1 1 1'), driver).verdict).toBe('pass')
    expect(pythonOutcome({ kind: 'missing' }, driver).verdict).toBe('fail')
    expect(pythonOutcome({ kind: 'late' }, driver).verdict).toBe('unknown')
  })

  it('lets the launcher do with the light install', () => {
    const launcher = { weaver: true, launcherOnly: true }
    expect(pythonOutcome(said('3 12 1 0 0'), launcher).verdict).toBe('pass')
    expect(pythonOutcome(said('3 12 0 0 0'), launcher).command).toBe('pip install -e .')
  })

  it('finds the launcher’s file in the plan’s command', () => {
    expect(launcherFile(['python3', 'cli/run.py', '-m', 'self-hosted'], '/n')).toBe('/n/cli/run.py')
    expect(launcherFile(['/env/bin/nexrl', '-m'], '/n')).toBe('/env/bin/nexrl')
    expect(launcherFile(['python', '-m', 'nexrl.main'], '/n')).toBeNull()
  })

  it('refuses a plan whose launcher is not there', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'slipway-launcher-'))
    try {
      const context = await launchContext({ folder, text: slimeRecipe(folder) })
      expect((await launcherThere(context)).verdict).toBe('skip')
      const nexrl = {
        way: 'kubernetes' as const,
        mode: 'training-service' as const,
        runNexrl: true,
        tag: '',
        checkout: folder,
        namespace: null,
        service: 'weaver' as const,
        syncMode: 'sync',
        totalSteps: null,
        prompts: null,
        repeats: null,
        workers: null,
        heartbeat: 30,
        extendEvery: 0,
        variables: []
      }
      const planned = (file: string) =>
        launcherThere({
          ...context,
          plan: { ...context.plan, nexrl, argv: ['python3', file], cwd: folder }
        })
      expect((await planned('cli/run.py')).verdict).toBe('fail')
      await mkdir(join(folder, 'cli'))
      await writeFile(join(folder, 'cli', 'run.py'), '')
      expect((await planned('cli/run.py')).verdict).toBe('pass')
      expect((await planned('-m')).verdict).toBe('unknown')
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  })
})
