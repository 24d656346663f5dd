import { readFile } from 'node:fs/promises'
import { gigabytes } from './checkpoint-capacity'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { filesOf, modelFolder, textOf, trainsAdapter, type LaunchContext } from './launch-context'
import { sleepSettings } from './laptop'
import { memoryInfo, softLimit } from './machine-report'
import { stackKind } from './stack-kind'
import type { Tool } from './tools'

/** Memory of the practice stack and its traffic, measured generously. */
const PRACTICE_BYTES = 4e8
/** What Ray, SGLang and the trainer take on the host beside the model. */
const STACK_BYTES = 12e9
/** The vendor's figure for the 8 × 64 search. Source: Reef `recipes/tttd/README.md`. */
const TTTD_BYTES = 256 * 2 ** 30
const WANTED_FILES = 65_536
const LEAST_FILES = 4096
/** Of a process that opens files and a few sockets: most systems' own limit. */
const PLAIN_FILES = 1024
/** Connections a rollout worker of NexRL holds, counted generously: to the service, and of its tools. */
const FILES_PER_WORKER = 4

/** Memory a stack needs on the host, and what that is made of. */
export function memoryNeed(facts: {
  practice: boolean
  family: string | null
  groups: number
  modelBytes: number
  lora: boolean
}): { bytes: number; how: { en: string; zh: string } } {
  if (facts.practice) return { bytes: PRACTICE_BYTES, how: { en: 'practice stack', zh: '练习栈' } }
  if (facts.family === 'tttd' && facts.groups >= 512)
    return {
      bytes: TTTD_BYTES,
      how: { en: 'the vendor’s figure for 8 × 64', zh: '官方给出的 8 × 64 需求' }
    }
  const times = facts.lora ? 2 : 8
  return {
    bytes: STACK_BYTES + times * facts.modelBytes,
    how: {
      en: `12 GB for Ray, SGLang and the trainer, and ${times} × the model while a checkpoint is gathered`,
      zh: `Ray、SGLang 和训练器 12 GB，另加汇集 checkpoint 时模型的 ${times} 倍`
    }
  }
}

export function memoryOutcome(
  info: ReturnType<typeof memoryInfo>,
  need: ReturnType<typeof memoryNeed>
): Outcome {
  if (info.available === null)
    return unknown({ en: 'The machine does not say its free memory.', zh: '机器未报告可用内存。' })
  const swap = info.swap ?? 0
  const evidence = {
    en: `${gigabytes(info.available)} available, swap ${gigabytes(swap)}; estimated need ${gigabytes(need.bytes)} (${need.how.en}).`,
    zh: `可用 ${gigabytes(info.available)}，swap ${gigabytes(swap)}；估算需要 ${gigabytes(need.bytes)}（${need.how.zh}）。`
  }
  if (info.available >= need.bytes) return pass(evidence)
  return {
    verdict: 'warn',
    evidence,
    why: {
      en: 'When memory runs out the kernel kills the largest process, which is usually the trainer.',
      zh: '内存耗尽时内核会杀掉最大的进程，通常就是训练器。'
    },
    remedy: { en: 'Close other programs, or add swap.', zh: '请关闭其他程序或增加 swap。' }
  }
}

async function sizeOf(context: LaunchContext): Promise<number> {
  const folder = modelFolder(context)
  const entries = folder === null ? null : await filesOf(context).list(folder)
  return (entries ?? []).reduce((sum, entry) => sum + entry.size, 0)
}

/** Files of the target's machine can be read as they are: not through a helper container, which has a /proc of its own. */
async function readsHost(context: LaunchContext): Promise<boolean> {
  const { spec } = context.target
  return (await context.here()) || (spec.kind === 'docker' && spec.via.kind === 'ssh')
}

const memory: CheckSpec<LaunchContext> = {
  id: 'environment/memory',
  group: 'environment',
  title: { en: 'Memory of the machine', zh: '机器内存' },
  deadline: 12_000,
  async run(context) {
    if (context.plan.nexrl !== undefined)
      return skip({
        en: 'NexRL publishes no figure for its driver, and model and trainer are not in it.',
        zh: 'NexRL 未公布 driver 的内存需求，模型和训练器也不在其中。'
      })
    const text = (await readsHost(context)) ? await textOf(context, '/proc/meminfo') : null
    if (text === null)
      return unknown({
        en: '/proc/meminfo cannot be read there.',
        zh: '无法读取目标的 /proc/meminfo。'
      })
    const { family } = context.recipe.facts
    const need = memoryNeed({
      practice: context.plan.practice,
      family,
      groups: context.plan.batch ?? 0,
      modelBytes: await sizeOf(context),
      lora: trainsAdapter(context)
    })
    return memoryOutcome(memoryInfo(text), need)
  }
}

/** Files and sockets a stack will want open at once, and what follows from fewer. */
interface FilesNeed {
  wanted: number
  /** Below this it would not get far; 0 where nobody knows. */
  least: number
  why: { en: string; zh: string }
}

/** What opens files: the practice stack, Ray with all that runs on it, or the threads of a NexRL driver. */
export function filesNeed(
  by: { kind: 'practice' | 'ray' } | { kind: 'workers'; workers: number }
): FilesNeed {
  switch (by.kind) {
    case 'ray':
      return {
        wanted: WANTED_FILES,
        least: LEAST_FILES,
        why: {
          en: 'Ray and what runs on it open thousands of sockets: "Too many open files" ends them later.',
          zh: 'Ray 及其上的进程会打开上千个套接字，之后会因 “Too many open files” 退出。'
        }
      }
    case 'workers':
      return {
        wanted: Math.max(PLAIN_FILES, FILES_PER_WORKER * by.workers),
        least: 0,
        why: {
          en: `Its ${by.workers} rollout workers hold connections at the same time: "Too many open files" would fail their samples.`,
          zh: `${by.workers} 个 rollout worker 会同时保持连接：样本可能因 “Too many open files” 失败。`
        }
      }
    case 'practice':
      return {
        wanted: PLAIN_FILES,
        least: 0,
        why: {
          en: 'Its service may end with "Too many open files".',
          zh: '服务可能因 “Too many open files” 退出。'
        }
      }
  }
}

/** Whether a stack may open the files and sockets it will want. */
export function limitsOutcome(files: number, { wanted, least, why }: FilesNeed): Outcome {
  const evidence = { en: `ulimit -n is ${files}.`, zh: `ulimit -n 为 ${files}。` }
  if (files >= wanted) return pass(evidence)
  return {
    verdict: files >= least ? 'warn' : 'fail',
    evidence,
    why,
    remedy: {
      en: 'Raise it in the shell Slipway is started from.',
      zh: '请在启动 Slipway 的 shell 中调高。'
    },
    command: `ulimit -n ${wanted}`,
    judgement: true
  }
}

/** Limits that a process inherits from Slipway; a container has the engine's own. */
const limits: CheckSpec<LaunchContext> = {
  id: 'environment/limits',
  group: 'environment',
  title: { en: 'Open files allowed', zh: '可打开文件数' },
  deadline: 12_000,
  async run(context) {
    if (context.plan.image !== null || process.platform !== 'linux')
      return skip({ en: 'Containers have limits of their own.', zh: '容器有自己的限制。' })
    const kind = stackKind(context)
    if (kind === 'nexrl-launcher')
      return skip({
        en: 'The driver runs in the cluster, with limits of its own.',
        zh: 'driver 在集群中运行，有自己的限制。'
      })
    const files = softLimit(await readFile('/proc/self/limits', 'utf8'), 'Max open files')
    if (files === null) return unknown({ en: 'The limit is not shown.', zh: '系统未显示该限制。' })
    const workers = context.plan.nexrl?.workers ?? 0
    if (kind === 'nexrl-driver')
      return limitsOutcome(files, filesNeed({ kind: 'workers', workers }))
    return limitsOutcome(files, filesNeed({ kind: kind === 'practice' ? 'practice' : 'ray' }))
  }
}

/** Seconds between the clocks of two machines above which their records cannot be put in order. */
const MOST_SKEW = 30

/** What another machine's clock (`date +%s %Z`) says beside ours. `now`: Unix milliseconds in the middle of asking. */
export function skewOutcome(text: string, now: number): Outcome | null {
  const [, seconds, zone = ''] = /^(\d{9,}) ?(\S*)/.exec(text.trim()) ?? []
  if (seconds === undefined) return null
  const skew = Math.round(Number(seconds) - now / 1000)
  const evidence = {
    en: `The target’s clock is ${Math.abs(skew)} s ${skew < 0 ? 'behind' : 'ahead'}; its time zone is ${zone}.`,
    zh: `目标时钟${skew < 0 ? '慢' : '快'} ${Math.abs(skew)} 秒；时区 ${zone}。`
  }
  if (Math.abs(skew) <= MOST_SKEW) return pass(evidence)
  return {
    verdict: 'warn',
    evidence,
    why: {
      en: 'Its records and ours cannot be put in order, and tokens may count as expired.',
      zh: '双方记录无法排序，token 也可能被视为过期。'
    },
    remedy: { en: 'Set the target’s clock by NTP.', zh: '请用 NTP 校准目标时钟。' },
    command: 'sudo timedatectl set-ntp true'
  }
}

async function skewThere(tool: Tool, signal: AbortSignal): Promise<Outcome> {
  const before = Date.now()
  const answer = await tool('date', ['+%s %Z'], signal)
  const seen = answer.kind === 'done' ? skewOutcome(answer.stdout, (before + Date.now()) / 2) : null
  return seen ?? unknown({ en: 'The target does not tell its time.', zh: '目标未报告时间。' })
}

/** Whether the clock is kept right; certificates, tokens and the order of records depend on it. */
const clock: CheckSpec<LaunchContext> = {
  id: 'environment/clock',
  group: 'environment',
  title: { en: 'Clock', zh: '时钟' },
  deadline: 12_000,
  async run(context, signal) {
    if (!(await context.here())) {
      const tool = await context.machine()
      if (tool !== null) return skewThere(tool, signal)
      return skip({
        en: 'The target is another machine that cannot be asked.',
        zh: '目标是另一台无法询问的机器。'
      })
    }
    const question = ['show', '-p', 'NTPSynchronized', '--value']
    const answer = await context.tool('timedatectl', question, signal)
    const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
    const said = answer.kind === 'done' ? answer.stdout.trim() : ''
    if (said === 'yes')
      return pass({ en: `Synchronised; time zone ${zone}.`, zh: `已同步；时区 ${zone}。` })
    if (said !== 'no')
      return skip({
        en: `Nothing here says whether the clock is synchronised; time zone ${zone}.`,
        zh: `系统未说明时钟是否同步；时区 ${zone}。`
      })
    return {
      verdict: 'warn',
      evidence: { en: `Not synchronised; time zone ${zone}.`, zh: `未同步；时区 ${zone}。` },
      why: {
        en: 'A wrong clock breaks certificates, tokens and the order of records.',
        zh: '时钟错误会导致证书、token 和记录顺序出错。'
      },
      command: 'sudo timedatectl set-ntp true'
    }
  }
}

export const machineChecks: readonly CheckSpec<LaunchContext>[] = [
  memory,
  limits,
  clock,
  sleepSettings
]
