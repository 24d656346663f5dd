import { copyFile, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { RunState, RunDetail } from '../../src-main/contract/run'
import { RunService, type RunServiceOptions } from '../../src-main/engine/stacks'
import { createProcessTarget } from '../../src-main/engine/targets'
import { TargetCache } from './target-cache'

/** A home, a resources folder with the stand-in stack, and a recipe, all below one temp folder. */
export interface Yard {
  root: string
  home: string
  resources: string
  recipe: string
  remove(): Promise<void>
}

export async function makeYard(): Promise<Yard> {
  const root = await mkdtemp(join(tmpdir(), 'slipway-runs-'))
  const resources = join(root, 'resources')
  await mkdir(join(resources, 'practice-stack'), { recursive: true })
  await copyFile(
    resolve('test/support/stand-in-stack.mjs'),
    join(resources, 'practice-stack', 'main.mjs')
  )
  await symlink(resolve('resources/process-wrapper'), join(resources, 'process-wrapper'))
  const recipe = join(root, 'practice-sao.yaml')
  await writeFile(recipe, recipeText(18_900 + Math.floor(Math.random() * 1000)))
  return {
    root,
    home: join(root, 'home'),
    resources,
    recipe,
    remove: () => rm(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 })
  }
}

export function recipeText(port: number, rollback = 'api'): string {
  return [
    'schema-version: 2',
    `reef: { port: ${port}, host: 127.0.0.1, run-dir: work/run }`,
    'recipe:',
    '  implementation: recipes.sao.recipe:SAORecipe',
    '  config: { batch-size: 4 }',
    'inference: { model-path: practice-base }',
    'training:',
    '  backend: practice',
    `  options: { rollback: ${rollback} }`,
    '  config: { checkpoint-dir: work/ckpt }',
    'storage: { agent-record-dir: work/records }',
    ''
  ].join('\n')
}

/** A service with targets of its own, which go with it. */
export async function openService(
  yard: Yard,
  { target = processTarget(yard), ...options }: Partial<RunServiceOptions> = {}
): Promise<RunService> {
  const targets = new TargetCache(target)
  const service = await RunService.open({
    home: yard.home,
    resources: yard.resources,
    appVersion: '0.0.0-test',
    watch: 'asked',
    secret: () => Promise.resolve(null),
    target: targets.get,
    ...options
  })
  const dispose = service.dispose.bind(service)
  service.dispose = async () => {
    await dispose()
    await targets.dispose()
  }
  return service
}

function processTarget({ resources, home }: Yard): RunServiceOptions['target'] {
  return (id, installation) =>
    Promise.resolve(
      createProcessTarget({
        spec: { kind: 'process', id, name: 'This machine', python: null },
        installation,
        resources,
        home
      })
    )
}

/** Follows a run until `done` says so; fails with the last seen state after `ms`. */
export async function until(
  service: RunService,
  run: string,
  done: (detail: RunDetail) => boolean,
  ms = 30_000
): Promise<RunDetail> {
  const aborter = new AbortController()
  const timer = setTimeout(() => {
    aborter.abort()
  }, ms)
  let last: RunDetail | null = null
  try {
    for await (const detail of service.follow(run, aborter.signal)) {
      last = detail
      if (done(detail)) return detail
    }
  } finally {
    clearTimeout(timer)
  }
  throw new Error(`not reached in ${ms} ms: ${JSON.stringify(last?.summary, null, 1)}`)
}

/** The stand-in's own account of what it did. */
export async function standInJournal(
  folder: string,
  stack = 'stack'
): Promise<{ kind: string; step?: number; release?: string; text?: string }[]> {
  const text = await readFile(join(folder, stack, 'work', 'stand-in-journal.jsonl'), 'utf8')
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line): { kind: string } => JSON.parse(line) as { kind: string })
}

export const ended = (state: RunState): boolean =>
  state.kind === 'stopped' || state.kind === 'failed'

/** Forces every stack to end and puts the services down. */
export async function endEverything(services: readonly RunService[]): Promise<void> {
  for (const service of services) {
    for (const { id, state } of (await service.list()).runs) {
      if (ended(state)) continue
      await service.stop({ run: id, force: true })
      await until(service, id, (detail) => ended(detail.summary.state))
    }
    await service.dispose()
  }
}

/** The same with the real practice stack and its SAO recipe, at a speed for tests and on a port of its own. */
export async function practiceYard(): Promise<Yard> {
  const yard = { ...(await makeYard()), resources: resolve('resources') }
  const recipe = await readFile('recipes/practice-sao.yaml', 'utf8')
  const port = 20_000 + Math.floor(Math.random() * 10_000)
  const changed = recipe
    .replace(/^( *)speed: .*$/m, '$1speed: 5')
    // Two test files at once would take the same one from each other before their stacks listen.
    .replace(/^( *)port: .*$/m, `$1port: ${port}`)
  await writeFile(yard.recipe, changed)
  return yard
}
