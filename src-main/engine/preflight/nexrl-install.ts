import { isAbsolute, join } from 'node:path'
import { pass, skip, unknown, type Outcome } from './check-spec'
import { filesOf, type LaunchContext } from './launch-context'
import type { ToolAnswer } from './tools'

const LEAST_MINOR = 12

const NAME_IT = {
  en: 'Name the folder of an environment with Python 3.12 or newer: “Python environment” at the launch, --nexrl-python on the command line, or the target’s settings.',
  zh: '请指定 Python 3.12 或更新版本的环境目录：启动页的“Python 环境”、命令行的 --nexrl-python，或目标设置。'
}

/** The two installs: the command line alone, and all that a driver needs. Source: NexRL `README.md`, "Installation". */
const LIGHT = 'pip install -e .'
const CORE = 'pip install -e ".[core]"'

/**
 * Prints one line: version, then whether the light and the full parts of the package are there. Folders given as
 * arguments are looked through, too.
 */
export const PYTHON_PROBE = `
import sys, importlib.util as u
sys.path[:0] = sys.argv[1:]
print(sys.version_info[0], sys.version_info[1], int(u.find_spec("nexrl") is not None),
      int(u.find_spec("ray") is not None and u.find_spec("torch") is not None),
      int(u.find_spec("weaver") is not None))
`

interface NexrlNeeds {
  weaver: boolean
  /** NexRL's own launcher runs the driver elsewhere: here the command line is enough. */
  launcherOnly: boolean
}

/** What the Python of the target says of itself and of NexRL. */
export function pythonOutcome(answer: ToolAnswer, needs: NexrlNeeds): Outcome {
  if (answer.kind === 'late')
    return unknown({ en: 'Python does not answer.', zh: 'Python 没有应答。' })
  if (answer.kind !== 'done' || answer.code !== 0)
    return {
      verdict: 'fail',
      evidence: { en: 'Python does not start there.', zh: '无法启动该 Python。' },
      remedy: NAME_IT
    }
  const [major = 0, minor = 0, nexrl, core, weaver] = answer.stdout.trim().split(/\s+/).map(Number)
  const version = `${major}.${minor}`
  if (major < 3 || (major === 3 && minor < LEAST_MINOR))
    return {
      verdict: 'fail',
      evidence: { en: `It is Python ${version}.`, zh: `Python 版本为 ${version}。` },
      why: { en: 'NexRL needs 3.12 or newer.', zh: 'NexRL 需要 3.12 或更新版本。' },
      remedy: NAME_IT,
      command: 'python3.12 -m venv .venv'
    }
  return packages({ version, nexrl: nexrl === 1, core: core === 1, weaver: weaver === 1 }, needs)
}

function packages(
  seen: { version: string; nexrl: boolean; core: boolean; weaver: boolean },
  needs: NexrlNeeds
): Outcome {
  const { version } = seen
  const light = seen.nexrl && !seen.core
  if (!seen.nexrl)
    return {
      verdict: 'fail',
      evidence: { en: `Python ${version} without NexRL.`, zh: `Python ${version} 中没有 NexRL。` },
      remedy: {
        en: `Install it from a NexRL checkout: ${LIGHT} for the launcher alone, ${CORE} for a driver.`,
        zh: `请在 NexRL 检出目录安装：只用启动器 ${LIGHT}，运行 driver 用 ${CORE}。`
      },
      command: needs.launcherOnly ? LIGHT : CORE
    }
  if (light && !needs.launcherOnly)
    return {
      verdict: 'fail',
      evidence: {
        en: `Python ${version} with the light install of NexRL only.`,
        zh: `Python ${version} 只有 NexRL 的轻量安装。`
      },
      why: {
        en: `The light install (${LIGHT}) has the command line only; the driver needs the core part (${CORE}).`,
        zh: `轻量安装（${LIGHT}）只含命令行，driver 需要 core 部分（${CORE}）。`
      },
      command: CORE
    }
  if (needs.weaver && !needs.launcherOnly && !seen.weaver)
    return {
      verdict: 'fail',
      evidence: { en: 'The Weaver package is not there.', zh: '缺少 Weaver 包。' },
      why: {
        en: 'NexRL stops with: weaver package not installed.',
        zh: 'NexRL 会退出：weaver package not installed。'
      },
      command: 'pip install nex-weaver'
    }
  return pass(
    light
      ? {
          en: `Python ${version} with the light install of NexRL; the launcher needs no more.`,
          zh: `Python ${version}，NexRL 轻量安装；启动器不需要更多。`
        }
      : { en: `Python ${version} with NexRL.`, zh: `Python ${version}，已安装 NexRL。` }
  )
}

/** The launcher's file in the plan's command; null where the driver is started as a module. */
export function launcherFile(argv: readonly string[], cwd: string): string | null {
  const named = argv.slice(0, 2).find((word) => /(?:^|\/)(?:run\.py|nexrl)$/.test(word))
  if (named === undefined) return null
  return isAbsolute(named) || named === 'nexrl' ? named : join(cwd, named)
}

/** Whether NexRL's own launcher is where the plan calls it. */
export async function launcherThere(context: LaunchContext): Promise<Outcome> {
  const { plan } = context
  if (plan.nexrl?.way !== 'kubernetes')
    return skip({
      en: 'The driver is started directly, without a launcher.',
      zh: 'driver 直接启动，不经启动器。'
    })
  const file = launcherFile(plan.argv, plan.cwd)
  if (file === null || !isAbsolute(file))
    return unknown({
      en: `The plan calls ${plan.argv.slice(0, 3).join(' ')}, which is looked for at the start.`,
      zh: `计划调用 ${plan.argv.slice(0, 3).join(' ')}，启动时才查找。`
    })
  if ((await filesOf(context).stat(file)) !== null)
    return pass({ en: `${file} is there.`, zh: `${file} 存在。` })
  return {
    verdict: 'fail',
    evidence: { en: `${file} is not there.`, zh: `${file} 不存在。` },
    why: {
      en: 'It is what applies the job to the cluster.',
      zh: '作业由它提交到集群。'
    },
    remedy: {
      en: 'Name the folder of a NexRL checkout, which has cli/run.py.',
      zh: '请指定 NexRL 检出目录，其中应有 cli/run.py。'
    }
  }
}
