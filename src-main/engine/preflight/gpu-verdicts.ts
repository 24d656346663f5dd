import type { Text } from '../../contract/text'
import { gigabytes } from './checkpoint-capacity'
import { pass, unknown, type Outcome } from './check-spec'
import type { GpuProcess, GpuState, GpuTrouble } from './gpu-report'

/** Memory in use below which a GPU counts as free: a driver alone holds some hundred MiB. */
const IDLE_BYTES = 1.5e9

const remedies: Readonly<Record<GpuTrouble, Text>> = {
  'no-tool': {
    en: 'Install the NVIDIA driver on this machine, or choose a target that has GPUs.',
    zh: '请在本机安装 NVIDIA 驱动，或选择有 GPU 的目标。'
  },
  'no-driver': {
    en: 'The tool is there, the driver is not loaded: load or reinstall it, then look again.',
    zh: '工具存在但驱动未加载：请加载或重装驱动后再检查。'
  },
  mismatch: {
    en: 'The driver was updated while the old one stays loaded: restart the machine.',
    zh: '驱动已更新，但内核仍加载旧版本：请重启机器。'
  },
  'no-devices': {
    en: 'The driver is loaded and sees no GPU: check the hardware and the virtual machine.',
    zh: '驱动已加载但看不到 GPU：请检查硬件和虚拟机设置。'
  },
  lost: {
    en: 'A GPU has dropped off the bus: restart the machine; the kernel log (dmesg, Xid) says more.',
    zh: '有 GPU 已从总线掉线：请重启机器，内核日志（dmesg，Xid）有更多信息。'
  },
  'no-permission': {
    en: 'This user may not open the GPU devices: look at the rights of /dev/nvidia*.',
    zh: '当前用户无权打开 GPU 设备：请检查 /dev/nvidia* 的权限。'
  },
  late: {
    en: 'A hanging nvidia-smi is usually a hanging driver: look at dmesg.',
    zh: 'nvidia-smi 卡住通常意味着驱动卡住：请查看 dmesg。'
  },
  other: { en: 'Run nvidia-smi by hand.', zh: '请手动运行 nvidia-smi。' }
}

/** What it means that the GPUs cannot be listed. */
export function troubleOutcome(trouble: GpuTrouble, said: string): Outcome {
  const words =
    said === '' ? { en: 'nvidia-smi does not answer.', zh: 'nvidia-smi 没有应答。' } : null
  const evidence =
    trouble === 'no-tool'
      ? { en: 'There is no nvidia-smi on this machine.', zh: '本机没有 nvidia-smi。' }
      : (words ?? { en: said, zh: said })
  const remedy = remedies[trouble]
  if (trouble === 'late' || trouble === 'other') return unknown(evidence, remedy)
  return {
    verdict: 'fail',
    evidence,
    why: {
      en: 'The trainer and SGLang need a working CUDA driver; they stop in their first seconds without.',
      zh: '训练器和 SGLang 需要可用的 CUDA 驱动，否则几秒内就会退出。'
    },
    remedy,
    ...(trouble === 'no-driver' ? { command: 'sudo modprobe nvidia && nvidia-smi' } : {})
  }
}

/** The GPUs a stack gets: those named by index or id, else all. */
export function chosenGpus<G extends Pick<GpuState, 'index'> & { uuid?: string }>(
  gpus: readonly G[],
  devices: readonly string[] | null
): readonly G[] {
  if (devices === null) return gpus
  return gpus.filter((gpu) =>
    devices.some((wanted) => wanted === String(gpu.index) || wanted === gpu.uuid)
  )
}

/** Whether there are as many GPUs as the recipe's roles take. */
export function countOutcome(
  names: readonly string[],
  needed: number,
  roles: readonly { role: string; gpus: number }[]
): Outcome {
  const plan = roles.map(({ role, gpus }) => `${gpus} ${role}`).join(', ')
  const kinds = [...new Set(names)].join(', ')
  const evidence = {
    en: `${names.length} GPUs${kinds === '' ? '' : ` (${kinds})`}; the recipe takes ${needed}${plan === '' ? '' : `: ${plan}`}.`,
    zh: `共 ${names.length} 块 GPU${kinds === '' ? '' : `（${kinds}）`}；配方需要 ${needed} 块${plan === '' ? '' : `：${plan}`}。`
  }
  if (names.length >= needed) return pass(evidence)
  return {
    verdict: 'fail',
    evidence,
    why: {
      en: 'Ray waits for the missing GPUs until the start times out.',
      zh: 'Ray 会一直等待缺少的 GPU，直到启动超时。'
    },
    remedy: {
      en: 'Choose a larger target, or give the roles fewer GPUs in the recipe.',
      zh: '请选择更大的目标，或在配方中减少各角色的 GPU 数。'
    }
  }
}

function holders(gpu: GpuState, processes: readonly GpuProcess[]): string {
  const own = processes.filter((one) => one.uuid === gpu.uuid)
  return own.map((one) => `${one.name} (pid ${one.pid})`).join(', ')
}

/** Whether enough GPUs are free, and who holds the others. */
export function freeOutcome(
  gpus: readonly GpuState[],
  processes: readonly GpuProcess[],
  needed: number
): Outcome {
  const busy = gpus.filter((gpu) => (gpu.used ?? 0) > IDLE_BYTES)
  const lines = busy.map((gpu) => {
    const who = holders(gpu, processes)
    return `GPU ${gpu.index}: ${gigabytes(gpu.used ?? 0)}${who === '' ? '' : `, ${who}`}`
  })
  const idle = gpus.length - busy.length
  const evidence = {
    en: [`${idle} of ${gpus.length} GPUs are free.`, ...lines].join(' '),
    zh: [`${gpus.length} 块 GPU 中 ${idle} 块空闲。`, ...lines].join(' ')
  }
  if (busy.length === 0) return pass(evidence)
  return {
    verdict: idle >= needed ? 'warn' : 'fail',
    evidence,
    why: {
      en: 'SGLang takes a fixed part of the memory it finds free at its start; what another program holds is missing there.',
      zh: 'SGLang 启动时按空闲显存的固定比例占用；被其他程序占用的部分就会缺失。'
    },
    remedy:
      idle >= needed
        ? {
            en: 'Give the stack the free GPUs by number.',
            zh: '请按编号把空闲的 GPU 分给该运行栈。'
          }
        : {
            en: 'Wait for those programs, or end them.',
            zh: '请等待这些程序结束，或手动结束它们。'
          },
    judgement: true
  }
}

/** Ways of setting a GPU up that keep several processes or collective operations off it. */
export function modeOutcome(gpus: readonly GpuState[]): Outcome {
  const mig = gpus.filter((gpu) => gpu.mig).map((gpu) => gpu.index)
  const prohibited = gpus.filter((gpu) => gpu.computeMode === 'Prohibited').map((gpu) => gpu.index)
  const exclusive = gpus.filter((gpu) => gpu.computeMode.startsWith('Exclusive'))
  if (prohibited.length > 0)
    return modeProblem('fail', `Compute mode is Prohibited on GPU ${prohibited.join(', ')}.`, {
      zh: `GPU ${prohibited.join('、')} 的 compute mode 为 Prohibited。`,
      why: { en: 'No process may compute there.', zh: '该 GPU 上不允许任何计算进程。' },
      remedy: { en: 'Set the mode back to Default.', zh: '请恢复为 Default。' },
      command: `sudo nvidia-smi -i ${prohibited.join(',')} -c 0`
    })
  if (mig.length > 0)
    return modeProblem('warn', `MIG is on at GPU ${mig.join(', ')}.`, {
      zh: `GPU ${mig.join('、')} 开启了 MIG。`,
      why: {
        en: 'A process sees one slice of such a GPU, and NCCL does not connect slices: roles with more than one GPU fail.',
        zh: '进程只能看到一个切片，且 NCCL 不能连接切片：使用多块 GPU 的角色会失败。'
      },
      remedy: { en: 'Turn MIG off while nothing runs there.', zh: '请在空闲时关闭 MIG。' },
      command: `sudo nvidia-smi -i ${mig.join(',')} -mig 0`
    })
  if (exclusive.length > 0) {
    const where = exclusive.map((gpu) => gpu.index)
    return modeProblem('warn', `Compute mode is exclusive on GPU ${where.join(', ')}.`, {
      zh: `GPU ${where.join('、')} 处于独占 compute mode。`,
      why: {
        en: 'Only one process may use such a GPU: colocated training and serving need two.',
        zh: '独占 GPU 只允许一个进程：共置的训练与推理需要两个。'
      },
      remedy: { en: 'Set the mode to Default.', zh: '请改为 Default。' },
      command: `sudo nvidia-smi -i ${where.join(',')} -c 0`
    })
  }
  return pass({
    en: 'MIG is off and compute mode is Default.',
    zh: 'MIG 关闭，compute mode 为 Default。'
  })
}

function modeProblem(
  verdict: 'warn' | 'fail',
  en: string,
  rest: { zh: string; why: Text; remedy: Text; command: string }
): Outcome {
  const { zh, ...others } = rest
  return { verdict, evidence: { en, zh }, ...others }
}
