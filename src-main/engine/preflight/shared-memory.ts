import type { CheckSpec } from './check-spec'
import { pass, skip, unknown } from './check-spec'
import {
  filesOf,
  numberOption,
  numberSetting,
  setting,
  switchedOn,
  type LaunchContext
} from './launch-context'

const GIB = 2 ** 30
/** The vendor's figure (`--shm-size 32g` in `docker/README.md`), not computed from the recipe. */
const WANTED = 32 * GIB
const ENOUGH_TO_TRY = 16 * GIB

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`
}

/** Whether SGLang and the trainer exchange tensors through shared memory at all. */
function needsShared(context: LaunchContext): boolean {
  const parallel = Math.max(
    numberSetting(context, 1, 'inference.tensor-parallel-size'),
    numberOption(context, 1, 'rollout-num-gpus-per-engine')
  )
  return (
    parallel > 1 ||
    setting(context, 'training.colocate') === 'true' ||
    switchedOn(context, 'colocate')
  )
}

type Seen = { bytes: number; of: 'host' | 'container' }

async function available(context: LaunchContext): Promise<Seen | null> {
  const container = context.plan.image !== null && context.plan.shmBytes !== null
  // With the host's IPC namespace Docker ignores --shm-size: the host's /dev/shm is what counts.
  const hostIpc =
    context.plan.argv.includes('--ipc=host') || /--ipc[ =]host/.test(context.plan.shell)
  if (container && !hostIpc) return { bytes: context.plan.shmBytes ?? 0, of: 'container' }
  const facts = await filesOf(context).statfs('/dev/shm')
  return facts === null ? null : { bytes: facts.freeBytes, of: 'host' }
}

export const sharedMemory: CheckSpec<LaunchContext> = {
  id: 'shm',
  group: 'shm',
  title: { en: 'Shared memory', zh: '共享内存' },
  deadline: 12_000,
  async run(context) {
    if (context.plan.practice)
      return skip({ en: 'The practice stack uses none.', zh: '练习栈不使用共享内存。' })
    if (!needsShared(context))
      return skip({
        en: 'Tensor parallel is 1 and training is not colocated: little is exchanged through shared memory.',
        zh: '张量并行为 1 且未共置训练：几乎不经共享内存交换数据。'
      })
    const seen = await available(context)
    if (seen === null)
      return unknown({
        en: '/dev/shm could not be read there.',
        zh: '无法读取目标机器的 /dev/shm。'
      })
    const where =
      seen.of === 'host'
        ? { en: 'the host’s /dev/shm', zh: '宿主机 /dev/shm' }
        : { en: 'the container', zh: '容器' }
    const evidence = {
      en: `${gib(seen.bytes)} free in ${where.en}; the vendor asks for 32 GiB.`,
      zh: `${where.zh}可用 ${gib(seen.bytes)}；官方要求 32 GiB。`
    }
    if (seen.bytes >= WANTED) return pass(evidence)
    return {
      verdict: seen.bytes >= ENOUGH_TO_TRY ? 'warn' : 'fail',
      evidence,
      why: {
        en: 'SGLang’s tensor parallel workers and colocated training exchange weights here; when it runs out, workers die with a bus error.',
        zh: 'SGLang 张量并行进程和共置训练在此交换权重；用尽时进程会因 bus error 退出。'
      },
      remedy:
        seen.of === 'host'
          ? { en: 'Make /dev/shm larger.', zh: '扩大 /dev/shm。' }
          : {
              en: 'Raise the container’s shm size to 32 GiB, or use the host’s IPC.',
              zh: '把容器 shm 调到 32 GiB，或使用宿主机 IPC。'
            },
      ...(seen.of === 'host' ? { command: 'sudo mount -o remount,size=32G /dev/shm' } : {}),
      judgement: true
    }
  }
}
