import { readFile } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type { LaunchRequest, Override, Plan } from '../../contract/launch'
import type { TargetRef } from '../../contract/run'
import type { TargetSpec } from '../../contract/targets'
import { errorCode, fail, messageOf } from '../lib'
import { composeFacts } from './compose-facts'
import { practiceContainerFacts } from './container-facts'
import { checkContainerChoices, containerPlaces, unusedChoices } from './container-places'
import { planNexrlOn } from './nexrl-plan'
import type { Target } from '../targets'
import { planLaunch, type TargetFacts } from './plan'
import { freePort } from './ports'
import type { RecipeForPlan } from './recipe-for-plan'

export interface Planned {
  plan: Plan
  recipe: RecipeForPlan
  /** The recipe's bytes as planned; the launch uses these and does not read the file again. */
  text: Uint8Array
}

export interface PlannerOptions {
  resources: string
  readRecipe: (text: string, path: string, overrides: readonly Override[]) => RecipeForPlan
  environment: Readonly<Record<string, string | undefined>>
}

async function recipeBytes(path: string): Promise<Uint8Array> {
  try {
    return await readFile(path)
  } catch (cause) {
    const missing = errorCode(cause) === 'ENOENT'
    return fail(
      {
        code: missing ? 'recipe-missing' : 'recipe-unreadable',
        what: missing
          ? { en: 'There is no recipe file at this path.', zh: '该路径下没有配方文件。' }
          : { en: 'The recipe file cannot be read.', zh: '无法读取配方文件。' },
        where: path,
        ...(missing
          ? {
              remedy: {
                en: 'Check the path; it counts from the current folder.',
                zh: '请检查路径；相对路径从当前目录算起。'
              }
            }
          : { detail: messageOf(cause) })
      },
      cause
    )
  }
}

export function targetRef(spec: TargetSpec): TargetRef {
  return { id: spec.id, name: spec.name, kind: spec.kind }
}

async function otherPort(
  recipe: RecipeForPlan,
  reserved: ReadonlySet<number>
): Promise<number | null> {
  const port = await freePort(recipe.port, recipe.host, reserved)
  if (port !== null) return port === recipe.port ? null : port
  return fail({
    code: 'no-free-port',
    what: {
      en: `Port ${recipe.port} and the fifty after it are taken on this machine.`,
      zh: `本机端口 ${recipe.port} 及其后五十个端口均已被占用。`
    },
    where: 'reef.port',
    remedy: {
      en: 'Give another port by an override of reef.port.',
      zh: '请用 reef.port 覆盖项指定其他端口。'
    }
  })
}

async function reefContainerFacts(
  ref: TargetRef,
  request: LaunchRequest,
  { environment }: PlannerOptions
): Promise<TargetFacts> {
  const choices = await containerPlaces(request)
  const compose = await composeFacts(request, choices, environment)
  return { kind: 'reef-container', ref, choices, compose }
}

async function factsOf(
  target: Target,
  recipe: RecipeForPlan,
  request: LaunchRequest,
  options: PlannerOptions,
  reserved: ReadonlySet<number>
): Promise<TargetFacts> {
  const { spec } = target
  const ref = targetRef(spec)
  switch (spec.kind) {
    case 'process': {
      if (recipe.practice) {
        const main = join(options.resources, 'practice-stack', 'main.mjs')
        const insteadOfPort = await otherPort(recipe, reserved)
        return { kind: 'practice-process', ref, main, insteadOfPort }
      }
      const command = spec.python === null ? 'reef' : join(spec.python, 'bin', 'reef')
      return { kind: 'reef-process', ref, command }
    }
    case 'docker':
      if (recipe.practice) {
        const insteadOfPort = await otherPort(recipe, reserved)
        return { ref, insteadOfPort, ...(await practiceContainerFacts(target)) }
      }
      return reefContainerFacts(ref, request, options)
    case 'attach':
      return fail({
        code: 'attach-cannot-launch',
        what: {
          en: 'This target is a stack that someone else runs: it can be watched, not started.',
          zh: '该目标是他人运行的运行栈：只能查看，不能启动。'
        },
        where: spec.address,
        remedy: { en: 'Choose another target.', zh: '请选择其他目标。' }
      })
  }
}

/** Looks up what planning needs and plans. Nothing is started. `reserved`: ports other runs are about to use. */
export async function planOn(
  target: Target,
  asked: LaunchRequest,
  options: PlannerOptions,
  reserved: ReadonlySet<number>
): Promise<Planned> {
  const path = isAbsolute(asked.recipe) ? asked.recipe : resolve(asked.recipe)
  const request = { ...asked, recipe: path }
  if (request.container !== undefined) checkContainerChoices(request.container)
  const told = (plan: Plan): Plan => ({
    ...plan,
    notes: [...plan.notes, ...unusedChoices(plan, request.container)]
  })
  const text = await recipeBytes(path)
  const decoded = new TextDecoder().decode(text)
  const recipe = options.readRecipe(decoded, path, request.overrides)
  if (target.spec.kind !== 'attach') {
    const { resources, environment } = options
    const nexrl = await planNexrlOn(target, request, { text: decoded, resources, environment })
    if (nexrl !== null) {
      const { name, family, implementation, model } = nexrl.recipe.facts
      const known = {
        dialect: 'nexrl',
        practice: false,
        name,
        family,
        implementation,
        model
      } as const
      return { plan: told(nexrl.plan), recipe: { ...recipe, ...known }, text }
    }
  }
  const facts = await factsOf(target, recipe, request, options, reserved)
  return { plan: told(planLaunch(recipe, request, facts)), recipe, text }
}
