import type { EngineFacts } from '../../contract/targets'
import { gpuForm } from '../targets'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { APPS_QUESTION, GPU_QUESTION, readGpuProcesses, readGpuReport } from './gpu-report'
import { chosenGpus, countOutcome, freeOutcome, modeOutcome, troubleOutcome } from './gpu-verdicts'
import type { LaunchContext } from './launch-context'
import type { Tool } from './tools'

const none = skip({ en: 'The recipe takes no GPU.', zh: '该配方不使用 GPU。' })

function spec(
  id: string,
  title: { en: string; zh: string },
  run: CheckSpec<LaunchContext>['run']
): CheckSpec<LaunchContext> {
  return {
    id: `gpu/${id}`,
    group: 'gpu',
    title,
    deadline: 12_000,
    run: (context, signal) =>
      context.plan.gpus.count === 0 ? Promise.resolve(none) : run(context, signal)
  }
}

async function ask(tool: Tool, signal: AbortSignal) {
  return readGpuReport(await tool('nvidia-smi', GPU_QUESTION, signal))
}

const elsewhere = skip({
  en: 'The target is another machine; only its list of GPUs is known.',
  zh: '目标是另一台机器，只知道其 GPU 列表。'
})

/** Number and kind of GPUs; behind a remote engine from what the target said of itself. */
const count = spec('count', { en: 'GPUs', zh: 'GPU 数量' }, async (context, signal) => {
  const { count: needed, roles, devices } = context.plan.gpus
  const tool = await context.machine()
  if (tool === null) {
    const gpus = (await context.status()).gpus
    if (gpus.length === 0)
      return unknown({
        en: 'The target does not say which GPUs it has.',
        zh: '目标没有报告其 GPU。'
      })
    return countOutcome(
      chosenGpus(gpus, devices).map((gpu) => gpu.name),
      needed,
      roles
    )
  }
  const report = await ask(tool, signal)
  if (report.kind === 'trouble') return troubleOutcome(report.trouble, report.said)
  const names = chosenGpus(report.gpus, devices).map((gpu) => `${gpu.name}, driver ${gpu.driver}`)
  return countOutcome(names, needed, roles)
})

function onTheMachine(
  id: string,
  title: { en: string; zh: string },
  judge: (
    gpus: Extract<ReturnType<typeof readGpuReport>, { kind: 'gpus' }>['gpus'],
    context: LaunchContext,
    tool: Tool,
    signal: AbortSignal
  ) => Outcome | Promise<Outcome>
): CheckSpec<LaunchContext> {
  return spec(id, title, async (context, signal) => {
    const tool = await context.machine()
    if (tool === null) return elsewhere
    const report = await ask(tool, signal)
    if (report.kind === 'trouble')
      return skip({ en: 'The GPUs cannot be listed.', zh: '无法列出 GPU。' })
    return judge(chosenGpus(report.gpus, context.plan.gpus.devices), context, tool, signal)
  })
}

const free = onTheMachine(
  'free',
  { en: 'GPU memory in use', zh: '显存占用' },
  async (gpus, context, tool, signal) => {
    const processes = readGpuProcesses(await tool('nvidia-smi', APPS_QUESTION, signal))
    return freeOutcome(gpus, processes, context.plan.gpus.count)
  }
)

const mode = onTheMachine(
  'mode',
  { en: 'MIG and compute mode', zh: 'MIG 与 compute mode' },
  (gpus) => modeOutcome(gpus)
)

/** Podman names GPUs by their CDI description, which only its machine can show. */
function podmanOutcome(facts: EngineFacts): Outcome {
  const command = 'sudo nvidia-ctk cdi generate --output=/etc/cdi/nvidia.yaml'
  if (gpuForm(facts) === null)
    return {
      verdict: 'fail',
      evidence: { en: `Podman ${facts.version}.`, zh: `Podman ${facts.version}。` },
      why: {
        en: 'Before 5.4 Podman passes over requests for GPUs on its Docker-compatible socket without a word.',
        zh: '5.4 之前的 Podman 会在其 Docker 兼容套接字上忽略 GPU 请求，且不报错。'
      },
      remedy: {
        en: 'Use Podman 5.4 or newer, or Docker.',
        zh: '请使用 Podman 5.4 或更新版本，或改用 Docker。'
      },
      judgement: true
    }
  return {
    verdict: 'unknown',
    evidence: {
      en: `Podman ${facts.version} takes GPUs by CDI; whether they are described on its machine it does not say.`,
      zh: `Podman ${facts.version} 通过 CDI 使用 GPU；其所在机器上是否已有 CDI 描述无从得知。`
    },
    command
  }
}

/** Whether the engine can hand GPUs to a container, as far as it says so without starting one. */
export function runtimeOutcome(facts: EngineFacts, toolkit: boolean | null): Outcome {
  if (facts.engine === 'Podman') return podmanOutcome(facts)
  const command =
    'sudo nvidia-ctk runtime configure --runtime=docker && sudo systemctl restart docker'
  const seen = facts.runtimes.join(', ')
  if (facts.runtimes.includes('nvidia') && facts.rootless)
    return {
      verdict: 'warn',
      evidence: { en: 'The engine is rootless.', zh: '该引擎为 rootless 模式。' },
      why: {
        en: 'A rootless engine may not make device rules: no-cgroups must be true in the toolkit’s configuration.',
        zh: 'rootless 引擎无法设置设备规则：toolkit 配置中的 no-cgroups 须为 true。'
      },
      command:
        'sudo nvidia-ctk config --set nvidia-container-cli.no-cgroups --in-place && systemctl --user restart docker'
    }
  if (facts.runtimes.includes('nvidia'))
    return pass({ en: `Runtimes: ${seen}.`, zh: `运行时：${seen}。` })
  const evidence = {
    en: `The engine knows no nvidia runtime (it has ${seen || 'none'}).`,
    zh: `引擎没有 nvidia 运行时（现有：${seen || '无'}）。`
  }
  const why = {
    en: 'A container with GPUs is refused: could not select device driver "" with capabilities: [[gpu]].',
    zh: '带 GPU 的容器会被拒绝：could not select device driver "" with capabilities: [[gpu]]。'
  }
  if (facts.rootFolder?.startsWith('/var/snap/') === true)
    return {
      verdict: 'fail',
      evidence: {
        en: `${evidence.en} Docker comes from snap.`,
        zh: `${evidence.zh}Docker 来自 snap。`
      },
      why,
      remedy: {
        en: 'Docker from snap does not see the toolkit: install Docker Engine from its own packages.',
        zh: 'snap 版 Docker 看不到 toolkit：请改装官方 Docker Engine。'
      },
      judgement: true
    }
  if (toolkit === true)
    return {
      verdict: 'warn',
      evidence,
      why: {
        en: 'The toolkit is installed, but the engine was not told or not restarted since. --gpus may still work through its hook.',
        zh: '已安装 toolkit，但引擎未配置或未重启。--gpus 仍可能通过 hook 生效。'
      },
      command
    }
  return {
    verdict: toolkit === null ? 'warn' : 'fail',
    evidence,
    why,
    remedy: {
      en: 'Install the NVIDIA Container Toolkit, tell the engine about it and restart the engine.',
      zh: '请安装 NVIDIA Container Toolkit，配置并重启引擎。'
    },
    command,
    judgement: true
  }
}

const runtime = spec(
  'runtime',
  { en: 'GPUs in containers', zh: '容器中的 GPU' },
  async (context, signal) => {
    if (context.plan.image === null)
      return skip({ en: 'The stack runs without a container.', zh: '该运行栈不使用容器。' })
    const { engineFacts } = await context.status()
    if (engineFacts === undefined)
      return unknown({ en: 'The engine does not answer.', zh: '引擎没有应答。' })
    const tool = await context.machine()
    const answer = tool === null ? null : await tool('nvidia-container-cli', ['--version'], signal)
    return runtimeOutcome(engineFacts, answer === null ? null : answer.kind !== 'missing')
  }
)

/** `CUDA_VISIBLE_DEVICES` of the shell hides GPUs from a stack that runs as a process. */
const visible = spec(
  'visible',
  { en: 'CUDA_VISIBLE_DEVICES', zh: 'CUDA_VISIBLE_DEVICES' },
  (context) => {
    const value = context.plan.image === null ? context.variable('CUDA_VISIBLE_DEVICES') : undefined
    if (value === undefined)
      return Promise.resolve(
        pass({ en: 'Not set: all GPUs are seen.', zh: '未设置：可见全部 GPU。' })
      )
    const seen = value
      .split(',')
      .filter((part) => part.trim() !== '' && part.trim() !== '-1').length
    const evidence = {
      en: `It is "${value}": ${seen} GPUs are seen, ${context.plan.gpus.count} are needed.`,
      zh: `其值为“${value}”：可见 ${seen} 块 GPU，需要 ${context.plan.gpus.count} 块。`
    }
    if (seen >= context.plan.gpus.count) return Promise.resolve(pass(evidence))
    return Promise.resolve({
      verdict: 'fail',
      evidence,
      why: { en: 'CUDA shows the stack only those.', zh: 'CUDA 只向运行栈暴露这些 GPU。' },
      remedy: { en: 'Unset it before Slipway is started.', zh: '请在启动 Slipway 前取消该变量。' },
      command: 'unset CUDA_VISIBLE_DEVICES'
    })
  }
)

export const gpuChecks: readonly CheckSpec<LaunchContext>[] = [count, free, mode, runtime, visible]
