import { basename, dirname, posix, resolve } from 'node:path'
import { isSecretVariable } from '../recipes'
import { type ImageQuestion, ownRuntime } from '../targets'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { filesOf, type LaunchContext } from './launch-context'
import { disagreements, findingsNamed, readPrintedConfig } from './oracle-report'
import type { ToolAnswer } from './tools'

const MOST_NAMED = 4
/** Stands for a key whose real value a mere question need not see. */
const STAND_IN = 'slipway-preflight'
/** The launcher's own exit code for a recipe it refuses. */
const REFUSED = 2
const MOST_SAID = 600
const ASKING = '--print-config'
/** The recipe as a practice launch names it: its copy in the run folder. */
const RECIPE_IN_RUN = '../recipe.yaml'

/** What the launcher's own reading of the recipe says about ours. */
export function oracleOutcome(
  answer: ToolAnswer,
  context: Pick<LaunchContext, 'plan' | 'recipe' | 'request'>
): Outcome {
  switch (answer.kind) {
    case 'missing':
      return skip({
        en: 'The launcher is not there to be asked.',
        zh: '启动命令不在那里，无法询问。'
      })
    case 'late':
      return unknown({ en: 'The launcher did not answer.', zh: '启动命令没有应答。' })
    case 'done':
      break
  }
  const said = `${answer.stderr}\n${answer.stdout}`.trim().slice(0, MOST_SAID)
  if (/unrecognized arguments?:.*--print-config/.test(said))
    return skip({
      en: 'This generation of the launcher cannot print its reading.',
      zh: '该版本的启动命令不支持 --print-config。'
    })
  if (answer.code === REFUSED) {
    const same = findingsNamed(said, context.recipe.findings)
    if (same.length > 0) {
      const paths = same.join(', ')
      return skip({
        en: `It refuses the recipe for what is found above already (${paths}): ${said}`,
        zh: `它拒绝该配方的原因上面已列出（${paths}）：${said}`
      })
    }
    return {
      verdict: 'fail',
      evidence: { en: said, zh: said },
      why: {
        en: 'These are the launcher’s own words: it would refuse the recipe in the same way.',
        zh: '这是启动命令自己的输出：启动时会以同样方式拒绝。'
      },
      remedy: { en: 'Change the recipe as it says.', zh: '请按其提示修改配方。' }
    }
  }
  const printed = readPrintedConfig(answer.stdout)
  if (answer.code !== 0 || printed.length === 0)
    return unknown({
      en: `--print-config ended with ${answer.code}: ${said}`,
      zh: `--print-config 以 ${answer.code} 结束：${said}`
    })
  return compared(printed, context)
}

function compared(
  printed: ReturnType<typeof readPrintedConfig>,
  { plan, recipe, request }: Pick<LaunchContext, 'plan' | 'recipe' | 'request'>
): Outcome {
  // What the target decided (another port, a log folder) is not in the recipe as it was checked.
  const asked = new Set(request.overrides.map(({ path }) => path))
  const decided = plan.overrides.filter(({ path }) => !asked.has(path))
  const except = new Set(decided.map(({ path }) => path.replace(/_/g, '-')))
  const different = disagreements(recipe.resolved, printed, except)
  if (different.length === 0)
    return pass({
      en: `--print-config reads ${printed.length} settings as Slipway does.`,
      zh: `--print-config 解析出 ${printed.length} 项设置，与 Slipway 一致。`
    })
  const named = different
    .slice(0, MOST_NAMED)
    .map(({ path, ours, theirs }) => `${path}: ${theirs} ≠ ${ours}`)
    .join('; ')
  return {
    verdict: 'warn',
    evidence: {
      en: `${different.length} settings are read otherwise (launcher ≠ Slipway): ${named}`,
      zh: `${different.length} 项设置解析不同（启动命令 ≠ Slipway）：${named}`
    },
    why: {
      en: 'The launcher’s reading is what counts; the numbers shown before the launch may be wrong for these.',
      zh: '以启动命令的解析为准；启动前显示的相关数字可能有误。'
    },
    remedy: {
      en: 'Write these fields out in the recipe, so that nothing is left to defaults.',
      zh: '请在配方中明确写出这些字段，不依赖默认值。'
    }
  }
}

/** Variables for the question: real values where they are no secret, a stand-in for keys that are there. */
function environmentFor({ plan, environment, variable }: LaunchContext): Record<string, string> {
  return Object.fromEntries(
    plan.environment.flatMap(({ name, value }) => {
      if (value !== null) return [[name, value]]
      if (environment.get(name) !== 'set') return []
      return [[name, isSecretVariable(name) ? STAND_IN : (variable(name) ?? STAND_IN)]]
    })
  )
}

async function askProcess(context: LaunchContext, signal: AbortSignal): Promise<ToolAnswer> {
  const { plan, request } = context
  const [command = '', ...rest] = plan.argv
  // The plan names the copy in the run folder, which is not there yet.
  const args = rest.map((word) => (word === RECIPE_IN_RUN ? resolve(request.recipe) : word))
  const environment = environmentFor(context)
  const own = command === 'node' ? ownRuntime() : { command, environment: {} }
  return context.tool(own.command, [...args, ASKING], signal, {
    ...environment,
    ...own.environment
  })
}

/** Where the recipe is mounted for the question; in the run the practice stack finds its copy in the run folder. */
const RECIPE_INSIDE = '/run/slipway-recipe'

/** The question to an image: the plan's own command, with what the run folder will hold taken from where it is now. */
function questionOf({ plan, request }: LaunchContext): Pick<ImageQuestion, 'argv' | 'mounts'> {
  if (!plan.practice) return { argv: [...plan.argv, ASKING], mounts: plan.mounts }
  const recipe = posix.join(RECIPE_INSIDE, basename(request.recipe))
  const argv = plan.argv.map((word) => (word === RECIPE_IN_RUN ? recipe : word))
  return {
    argv: [...argv, ASKING],
    mounts: [{ host: dirname(resolve(request.recipe)), container: RECIPE_INSIDE }]
  }
}

type ImageAnswer = ToolAnswer | { kind: 'no-image' } | { kind: 'no-recipe' }

async function askImage(context: LaunchContext, signal: AbortSignal): Promise<ImageAnswer> {
  const { plan, target, request } = context
  const { image } = plan
  if (image === null || target.imageCommand === undefined) return { kind: 'no-image' }
  if ((await target.images?.find(image)) === null) return { kind: 'no-image' }
  const files = filesOf(context)
  // A recipe of this machine is not on the engine's when that is another one.
  if (plan.practice && (await files.stat(request.recipe)) === null) return { kind: 'no-recipe' }
  const { argv, mounts } = questionOf(context)
  const there = await Promise.all(mounts.map(({ host }) => files.stat(host)))
  return target.imageCommand(
    {
      image,
      argv,
      cwd: plan.cwd,
      mounts: mounts.filter((_, index) => there[index] !== null),
      environment: environmentFor(context)
    },
    signal
  )
}

/** The launcher itself asked how it reads the recipe. It starts nothing, downloads nothing and needs no GPU. */
export const printedConfig: CheckSpec<LaunchContext> = {
  id: 'oracle/print-config',
  group: 'oracle',
  title: { en: 'The launcher’s own reading', zh: '启动命令的解析' },
  deadline: 30_000,
  async run(context, signal) {
    const { plan, recipe, target } = context
    if (recipe.dialect === 'nexrl')
      return skip({ en: 'NexRL has no such question.', zh: 'NexRL 没有该功能。' })
    if (target.spec.kind === 'attach')
      return skip({ en: 'The stack runs already.', zh: '运行栈已在运行。' })
    if (plan.image === null) return oracleOutcome(await askProcess(context, signal), context)
    const answer = await askImage(context, signal)
    switch (answer.kind) {
      case 'no-image':
        return skip(
          plan.practice
            ? {
                en: 'The practice image is made at the launch; from then on it is asked.',
                zh: '练习镜像在启动时构建；之后即可询问。'
              }
            : { en: 'The image is not there to be asked.', zh: '镜像不在那里，无法询问。' }
        )
      case 'no-recipe':
        return skip({
          en: 'The recipe is not on the engine’s machine before the launch.',
          zh: '启动前配方不在引擎所在的机器上。'
        })
      case 'missing':
      case 'late':
      case 'done':
        return oracleOutcome(answer, context)
    }
  }
}
