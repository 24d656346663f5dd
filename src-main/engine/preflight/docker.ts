import type { EngineFacts } from '../../contract/targets'
import type { Text } from '../../contract/text'
import { shellLine } from '../stacks'
import { gigabytes } from './checkpoint-capacity'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { filesOf, nearestExisting, type LaunchContext } from './launch-context'

/** API of Docker 19.03, the first with `--gpus`. */
const FIRST_WITH_GPUS = { major: 1, minor: 40 }
/** A training image unpacks to some ten gigabytes; layers and container logs grow beside it. */
const LEAST_ROOT_BYTES = 5e9

const noContainer = skip({ en: 'The stack runs without a container.', zh: '该运行栈不使用容器。' })

function spec(
  id: string,
  title: { en: string; zh: string },
  run: CheckSpec<LaunchContext>['run']
): CheckSpec<LaunchContext> {
  return {
    id: `docker/${id}`,
    group: 'docker',
    title,
    deadline: 12_000,
    run: (context, signal) =>
      context.plan.image === null ? Promise.resolve(noContainer) : run(context, signal)
  }
}

/** Whether the API version (`1.47`) has `--gpus`. */
function knowsGpus(api: string): boolean {
  const [major = 0, minor = 0] = api.split('.').map(Number)
  return major > FIRST_WITH_GPUS.major || minor >= FIRST_WITH_GPUS.minor
}

/** What kind of engine it is and whether it is known to carry such a stack. */
export function engineOutcome(facts: EngineFacts, gpus: number): Outcome {
  const evidence = {
    en: `${facts.engine} ${facts.version}, API ${facts.api}, cgroup v${facts.cgroup}, ${facts.storage ?? '?'}.`,
    zh: `${facts.engine} ${facts.version}，API ${facts.api}，cgroup v${facts.cgroup}，${facts.storage ?? '?'}。`
  }
  if (gpus > 0 && !knowsGpus(facts.api))
    return {
      verdict: 'fail',
      evidence,
      why: {
        en: 'This engine is older than 19.03 and does not know --gpus.',
        zh: '该引擎早于 19.03，不支持 --gpus。'
      },
      remedy: { en: 'Update Docker Engine.', zh: '请升级 Docker Engine。' }
    }
  const remarks = remarksOn(facts, gpus)
  const first = remarks[0]
  return first === undefined ? pass(evidence) : { verdict: 'warn', evidence, why: first }
}

function remarksOn(facts: EngineFacts, gpus: number): { en: string; zh: string }[] {
  const desktop = facts.engine === 'Docker Desktop'
  return [
    ...(facts.system !== null && facts.system !== 'linux'
      ? [
          {
            en: 'The engine runs Windows containers; the training images are for Linux.',
            zh: '该引擎运行 Windows 容器，而训练镜像面向 Linux。'
          }
        ]
      : []),
    ...(facts.architecture !== null && gpus > 0 && !/x86_64|amd64/.test(facts.architecture)
      ? [
          {
            en: `The machine is ${facts.architecture}; the vendor builds its images for x86_64.`,
            zh: `机器架构为 ${facts.architecture}，官方镜像面向 x86_64。`
          }
        ]
      : []),
    ...(desktop
      ? [
          {
            en: 'Docker Desktop runs containers in a virtual machine with its own memory limit; host networking and GPUs depend on its settings.',
            zh: 'Docker Desktop 在虚拟机中运行容器，内存上限独立；host 网络和 GPU 取决于其设置。'
          }
        ]
      : []),
    ...(facts.engine === 'Podman'
      ? [
          {
            en: 'Podman answers here, not Docker: its GPUs are named otherwise (CDI), and its events and restarts differ.',
            zh: '此处应答的是 Podman 而不是 Docker：GPU 的指定方式（CDI）、事件和重启行为都不同。'
          }
        ]
      : []),
    ...(facts.cgroup === 1
      ? [
          {
            en: 'cgroup v1: memory use and out-of-memory kills are reported less exactly.',
            zh: 'cgroup v1：内存用量和 OOM 的报告不够准确。'
          }
        ]
      : [])
  ]
}

const engine = spec('engine', { en: 'Container engine', zh: '容器引擎' }, async (context) => {
  const { engineFacts } = await context.status()
  return engineFacts === undefined
    ? unknown({ en: 'The engine does not answer.', zh: '引擎没有应答。' })
    : engineOutcome(engineFacts, context.plan.gpus.count)
})

const image = spec('image', { en: 'Image', zh: '镜像' }, async ({ plan, target, request }) => {
  const name = plan.image ?? ''
  if (target.images === null)
    return unknown({ en: 'The target does not list its images.', zh: '目标无法列出镜像。' })
  const id = await target.images.find(name)
  if (id === null && plan.practice)
    return pass({
      en: 'The practice image is made at launch from this machine’s own node; nothing is downloaded.',
      zh: '练习镜像在启动时由本机 node 构建，无需下载。'
    })
  if (id !== null)
    return pass({
      en: `${name} is there: ${id.slice(0, 19)}.`,
      zh: `${name} 已存在：${id.slice(0, 19)}。`
    })
  return {
    verdict: 'fail',
    evidence: { en: `The engine has no image ${name}.`, zh: `引擎中没有镜像 ${name}。` },
    why: {
      en: 'Slipway does not download or build training images by itself.',
      zh: 'Slipway 不会自行下载或构建训练镜像。'
    },
    remedy: {
      en: 'Build it in a Reef checkout as docker/README.md there says, or choose another image.',
      zh: '请按 Reef 检出中的 docker/README.md 构建，或选择其他镜像。'
    },
    command: buildLine(name, request)
  }
})

/** The build from the checkout that the launch names, else from where `get-reef` puts one. */
function buildLine(name: string, { target, container }: LaunchContext['request']): string {
  const checkout = container?.checkout ?? './Reef'
  return shellLine(['slipway', 'build-image', checkout, '--target', target, '--tag', name])
}

const rootSpace = spec(
  'storage',
  { en: 'Disk of the engine', zh: '引擎所在磁盘' },
  async (context) => {
    const root = (await context.status()).engineFacts?.rootFolder ?? null
    const place = root === null ? null : await nearestExisting(filesOf(context), root)
    if (root === null || place === null)
      return unknown({
        en: 'The engine’s data folder cannot be looked at.',
        zh: '无法查看引擎的数据目录。'
      })
    const evidence = {
      en: `${gigabytes(place.free)} free of ${gigabytes(place.total)} at ${root}.`,
      zh: `${root} 剩余 ${gigabytes(place.free)}，共 ${gigabytes(place.total)}。`
    }
    if (place.free >= LEAST_ROOT_BYTES) return pass(evidence)
    return {
      verdict: 'warn',
      evidence,
      why: {
        en: 'Container logs and everything written outside the mounts lie there.',
        zh: '容器日志以及写在挂载之外的内容都在这里。'
      },
      command: 'docker system df'
    }
  }
)

/** What is mounted, when nothing is missing. `own`: the run's folder, which is made at the launch. */
export function mountedWords({ own, others }: { own: boolean; others: number }): Text {
  const run = {
    en: 'The run’s own folder, which the launch makes',
    zh: '运行自身的目录（启动时创建）'
  }
  if (others === 0)
    return own ? { en: `${run.en}.`, zh: `${run.zh}。` } : { en: 'None.', zh: '没有。' }
  const there = { en: `${others} folders, all there`, zh: `${others} 个目录均存在` }
  return own
    ? { en: `${run.en}; ${there.en} besides.`, zh: `${run.zh}；另有 ${there.zh}。` }
    : { en: `${there.en}.`, zh: `${there.zh}。` }
}

/** Folders that are mounted and not there: Docker would make them empty and owned by root. */
const mounts = spec('mounts', { en: 'Mounted folders', zh: '挂载目录' }, async (context) => {
  const all = context.plan.mounts.map((mount) => mount.host)
  const hosts = all.filter((host) => !host.startsWith('<run>'))
  const facts = await Promise.all(hosts.map((host) => filesOf(context).stat(host)))
  const gone = hosts.filter((_, index) => facts[index] === null)
  const [first] = gone
  if (first === undefined)
    return pass(mountedWords({ own: all.length > hosts.length, others: hosts.length }))
  const fix = {
    kind: 'make-folder' as const,
    title: { en: `Make ${first}`, zh: `创建 ${first}` },
    path: first
  }
  return {
    verdict: 'warn',
    evidence: { en: `Not there: ${gone.join(', ')}.`, zh: `不存在：${gone.join('、')}。` },
    why: {
      en: 'Docker makes a missing folder itself, empty and owned by root.',
      zh: 'Docker 会自动创建缺失的目录，但为空且属主为 root。'
    },
    ...((await context.here()) ? { fix } : {}),
    ...((await context.here()) && gone.length === 1
      ? {}
      : { command: shellLine(['mkdir', '-p', ...gone]) })
  }
})

/** Other stacks of ours that are running there now. */
const others: CheckSpec<LaunchContext> = {
  id: 'docker/other-stacks',
  group: 'docker',
  title: { en: 'Other stacks of yours', zh: '其他运行中的运行栈' },
  deadline: 12_000,
  run(context) {
    const there = context.ownRuns.filter((run) => run.target === context.request.target)
    const names = there.map((run) => run.name).join(', ')
    if (there.length === 0)
      return Promise.resolve(
        pass({ en: 'None is running on this target.', zh: '该目标上没有其他运行栈。' })
      )
    const evidence = { en: `Running there: ${names}.`, zh: `该目标上正在运行：${names}。` }
    const gpus = there.reduce((sum, run) => sum + run.gpus, 0)
    if (gpus === 0 || context.plan.gpus.count === 0) return Promise.resolve(pass(evidence))
    return Promise.resolve({
      verdict: 'warn',
      evidence,
      why: {
        en: `They take ${gpus} GPUs, this one ${context.plan.gpus.count}.`,
        zh: `它们占用 ${gpus} 块 GPU，本次需要 ${context.plan.gpus.count} 块。`
      },
      remedy: {
        en: 'See that the two do not share a GPU, or stop one first.',
        zh: '请确认二者不共用 GPU，或先停止其中之一。'
      }
    })
  }
}

export const dockerChecks: readonly CheckSpec<LaunchContext>[] = [
  engine,
  image,
  rootSpace,
  mounts,
  others
]
