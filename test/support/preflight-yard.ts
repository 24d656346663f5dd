import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Check, PreflightReport } from '../../src-main/contract/preflight'
import { systemClock } from '../../src-main/engine/lib'
import {
  launchChecks,
  localTool,
  runChecks,
  type LaunchContext
} from '../../src-main/engine/preflight'
import { checkRecipe, gatherInput } from '../../src-main/engine/recipes'
import { planLaunch, readRecipeForPlan } from '../../src-main/engine/stacks'
import { createProcessTarget, type Target } from '../../src-main/engine/targets'

/** A Slime recipe whose state lies in `folder`: nothing of it is ever started. `options` are further flags of the trainer. */
export function slimeRecipe(folder: string, port = 8900, options: readonly string[] = []): string {
  return `schema-version: 2
reef:
  host: 127.0.0.1
  port: ${port}
inference:
  model-path: ${folder}/model
  num-gpus: 1
  tensor-parallel-size: 1
recipe:
  implementation: recipes.sao.recipe:SAORecipe
  config: { batch-size: 8 }
training:
  backend: slime
  config: { checkpoint_dir: ${folder}/checkpoints }
  options:
    save-hf: ${folder}/checkpoints/hf/{rollout_id}
    save: ${folder}/checkpoints/megatron
    load: ${folder}/checkpoints/megatron
    global-batch-size: 8
    rollout-batch-size: 8
    actor-num-gpus-per-node: 1
${options.map((line) => `    ${line}\n`).join('')}storage:
  agent-record-dir: ${folder}/records
`
}

export interface Launch {
  folder: string
  text: string
  /** Absent: a process of this machine. */
  target?: Target
  /** What of the context shall be otherwise. */
  change?: Partial<LaunchContext>
}

/** A target for processes of this machine. */
export function hereTarget(folder: string): Target {
  const spec = { kind: 'process', id: 'local', name: 'here', python: folder } as const
  return createProcessTarget({ spec, installation: 'test', resources: 'resources', home: folder })
}

/** The context of a launch as the engine makes it, around real files and a real target. */
export async function launchContext({
  folder,
  text,
  target = hereTarget(folder),
  change = {}
}: Launch): Promise<LaunchContext> {
  const path = join(folder, 'recipe.yaml')
  await writeFile(path, text)
  const { id, kind, name } = target.spec
  const ref = { id, kind, name }
  const docker = kind === 'docker'
  const image = change.plan?.image ?? 'reef:test'
  const request = { recipe: path, target: id, tags: [], overrides: [], companions: [] }
  const base = { path, text, environment: {} }
  const recipe = checkRecipe(await gatherInput(base, checkRecipe(base).facts.model))
  const places = {
    image,
    models: join(folder, 'models'),
    state: join(folder, 'state'),
    checkout: join(folder, 'checkout'),
    gpus: null,
    shmBytes: null,
    user: null
  }
  if (docker)
    for (const one of ['models', 'state', 'checkout'])
      await mkdir(join(folder, one), { recursive: true })
  const plan = planLaunch(
    readRecipeForPlan(text, { path, overrides: [], environment: {} }),
    request,
    docker
      ? { kind: 'reef-container', ref, choices: places }
      : { kind: 'reef-process', ref, command: 'reef' }
  )
  const here = () => Promise.resolve(target.machineCommand === undefined)
  return {
    request,
    plan,
    recipe,
    target,
    here,
    status: () => target.probe(new AbortController().signal),
    tool: localTool,
    machine: () => Promise.resolve(target.machineCommand ?? localTool),
    leftovers: () => Promise.resolve([]),
    copyStart: () => Promise.resolve(null),
    variable: () => undefined,
    user: process.getuid?.() ?? null,
    launchFolder: folder,
    runsFolder: folder,
    homeFolder: folder,
    environment: new Map(),
    ownRuns: [],
    ownPorts: new Map(),
    ...change
  }
}

/** All checks of a launch to their end, by id, and how long all of them took. */
export async function judged(
  context: LaunchContext,
  only: (id: string) => boolean = () => true
): Promise<{ checks: Map<string, Check>; report: PreflightReport }> {
  let report: PreflightReport = { checks: [], running: [], verdict: 'skip', took: 0 }
  const specs = launchChecks(context).filter(({ id }) => only(id))
  const { signal } = new AbortController()
  for await (const next of runChecks(specs, context, systemClock, signal)) report = next
  return { checks: new Map(report.checks.map((check) => [check.id, check])), report }
}
