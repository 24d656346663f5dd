import { access, constants } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'
import type { Companion } from '../../contract/launch'
import { errorCode, FailureError } from '../lib'
import { checkCompanionPlaces, checkCompanions } from '../stacks'
import { pass, type CheckSpec, type Outcome } from './check-spec'
import type { LaunchContext, VariableState } from './launch-context'

/** What was looked up of a companion. */
interface CompanionFacts {
  companion: Companion
  /** Whether its program is there; null: it runs in a container, or where nobody can look before the launch. */
  program: boolean | null
  environment: ReadonlyMap<string, VariableState>
}

/** Whether a companion will start and has what it needs, as far as that can be told before the stack runs. Pure. */
export function companionOutcome({ companion, program, environment }: CompanionFacts): Outcome {
  const [command = ''] = companion.command
  if (program === false)
    return {
      verdict: 'fail',
      evidence: {
        en: `There is no program “${command}” on this computer.`,
        zh: `本机没有程序“${command}”。`
      },
      why: {
        en: 'It makes the traffic the stack learns from: without it the stack waits.',
        zh: '它产生运行栈学习所需的流量：没有它，运行栈只会等待。'
      },
      remedy: {
        en: 'Install it, or give its whole path.',
        zh: '请安装它，或给出完整路径。'
      },
      judgement: true
    }
  const absent = companion.environment.filter((name) => environment.get(name) !== 'set')
  if (absent.length > 0)
    return {
      verdict: 'warn',
      evidence: {
        en: `Not set, empty or a placeholder: ${absent.join(', ')}.`,
        zh: `未设置、为空或仍是占位值：${absent.join('、')}。`
      },
      remedy: {
        en: 'Set them where Slipway is started; the companion is started without those that are not set.',
        zh: '请在启动 Slipway 的环境中设置；未设置的变量不会传给伴随命令。'
      }
    }
  return program === null
    ? pass({ en: 'It can run there.', zh: '可以在该处运行。' })
    : pass({ en: `“${command}” is there.`, zh: `“${command}”存在。` })
}

/** One check for each companion of a launch. */
export function companionChecks(companions: readonly Companion[]): CheckSpec<LaunchContext>[] {
  return companions.map((companion, at) => ({
    id: `companions/${at + 1}`,
    group: 'environment',
    title: { en: `Companion “${companion.name}”`, zh: `伴随命令“${companion.name}”` },
    deadline: 10_000,
    async run({ plan, target, environment }) {
      const refused = await refusal(async () => {
        checkCompanions(companions)
        await checkCompanionPlaces([companion], plan, target)
      })
      if (refused !== null) return refused
      const program = companion.where === 'process' ? await hasProgram(companion, plan.cwd) : null
      return companionOutcome({ companion, program, environment })
    }
  }))
}

/** The launch refuses it in the same words. */
async function refusal(check: () => Promise<void>): Promise<Outcome | null> {
  try {
    await check()
    return null
  } catch (thrown) {
    if (!(thrown instanceof FailureError)) throw thrown
    const { what, remedy } = thrown.failure
    return { verdict: 'fail', evidence: what, ...(remedy === undefined ? {} : { remedy }) }
  }
}

/** Whether the program of a process is on this machine; null where that shows only at its start. */
async function hasProgram({ command }: Companion, cwd: string): Promise<boolean | null> {
  const [name = ''] = command
  // Slipway runs on a Node of its own and lends it; Windows finds programs in ways of its own.
  if (name === 'node' || process.platform === 'win32') return null
  if (isAbsolute(name)) return mayRun(name)
  if (name.includes('/')) return isAbsolute(cwd) ? mayRun(join(cwd, name)) : null
  for (const folder of (process.env['PATH'] ?? '').split(delimiter))
    if (folder !== '' && (await mayRun(join(folder, name)))) return true
  return false
}

async function mayRun(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return true
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'EACCES' || code === 'ENOTDIR') return false
    throw cause
  }
}
