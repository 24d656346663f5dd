import type { Gpu } from '../../contract/targets'
import type { Text } from '../../contract/text'
import { pause } from '../lib'
import { type Remains, UnreachableError } from '../targets'
import type { EventText } from './attempt-journal'
import type { WatchOptions } from './watch-options'

/** What a container engine and a kernel take to clear away after the last process has ended. */
const SETTLE_MS = 5_000
const SETTLE_PAUSE_MS = 250
/** A display and an idle driver hold less than this. */
const IDLE_GPU_BYTES = 2 * 1024 ** 3

/** What was found on the target's machine after the end. Null: that could not be seen from here. */
export interface Aftermath {
  /** Ports that were looked at. */
  asked: readonly number[]
  remains: Remains
  /** The target's GPUs, where the stack used any. */
  gpus: readonly Gpu[] | null
}

const gib = (bytes: number): string => (bytes / 1024 ** 3).toFixed(0)

/** Each thing that is still there, as a sentence. Pure. */
function leftovers({ remains, gpus }: Aftermath): Text[] {
  const found: Text[] = []
  if (remains.container !== null) {
    const name = remains.container
    found.push({ en: `The container ${name} is still there.`, zh: `容器 ${name} 仍然存在。` })
  }
  for (const { pid, command } of remains.processes)
    found.push({
      en: `Process ${pid} of this run still lives: ${command}.`,
      zh: `本次运行的进程 ${pid} 仍在运行：${command}。`
    })
  for (const { port, owner } of remains.ports ?? []) {
    const by = owner === null ? '' : `: process ${owner.pid}, ${owner.command}`
    const byZh = owner === null ? '' : `：进程 ${owner.pid}，${owner.command}`
    found.push({
      en: `Somebody listens on port ${port}${by}.`,
      zh: `端口 ${port} 上仍有程序监听${byZh}。`
    })
  }
  for (const gpu of gpus ?? []) {
    if (gpu.usedBytes < IDLE_GPU_BYTES) continue
    const [used, all] = [gib(gpu.usedBytes), gib(gpu.memoryBytes)]
    found.push({
      en: `GPU ${gpu.index} still has ${used} of ${all} GiB in use, by whatever else runs there or by what was left.`,
      zh: `GPU ${gpu.index} 仍占用 ${used}/${all} GiB 显存，可能来自其他程序，也可能是残留进程。`
    })
  }
  return found
}

/** What was looked at and found in order. Pure. */
function inOrder({ asked, remains, gpus }: Aftermath, container: boolean): Text {
  const parts: Text[] = [
    container
      ? { en: 'its container is gone', zh: '容器已移除' }
      : { en: 'none of its processes lives', zh: '其进程已全部退出' }
  ]
  if (remains.ports !== null && asked.length > 0)
    parts.push({
      en: `free again: port ${asked.join(', ')}`,
      zh: `端口 ${asked.join('、')} 已释放`
    })
  if (gpus !== null && gpus.length > 0) parts.push({ en: 'GPU memory is back', zh: '显存已释放' })
  const unseen: Text =
    remains.ports === null
      ? {
          en: ' Its ports cannot be looked at from here.',
          zh: '此处无法查看其端口。'
        }
      : { en: '', zh: '' }
  return {
    en: `Nothing of it is left: ${parts.map(({ en }) => en).join('; ')}.${unseen.en}`,
    zh: `没有残留：${parts.map(({ zh }) => zh).join('；')}。${unseen.zh}`
  }
}

/** The event that says what an ended stack left on its machine, or that nothing is left. Pure. */
export function aftermathEvent(aftermath: Aftermath, container: boolean): EventText {
  const found = leftovers(aftermath)
  const data = {
    container: aftermath.remains.container,
    processes: aftermath.remains.processes.map(({ pid }) => pid),
    ports: (aftermath.remains.ports ?? []).map(({ port }) => port)
  }
  if (found.length === 0) return { kind: 'cleared', text: inOrder(aftermath, container), data }
  return {
    kind: 'leftovers',
    text: {
      en: found.map(({ en }) => en).join(' '),
      zh: found.map(({ zh }) => zh).join('')
    },
    data: { ...data, severity: 'warning' }
  }
}

function isClear({ container, processes, ports }: Remains): boolean {
  return container === null && processes.length === 0 && (ports ?? []).length === 0
}

/** Looks until nothing is left, or for a few seconds. */
async function settled(options: WatchOptions, ports: readonly number[]): Promise<Remains> {
  const { target, handle, clock, signal } = options
  const began = clock.ticks()
  for (;;) {
    const remains = await target.remains(handle, ports)
    if (isClear(remains) || signal.aborted || clock.ticks() - began >= SETTLE_MS) return remains
    await pause(clock, SETTLE_PAUSE_MS, signal)
  }
}

/**
 * Looks at what an ended stack left on its machine and tells it as an event of the run, once for an attempt. An engine
 * that went away meanwhile leaves it untold: that says nothing about the stack.
 */
export async function tellAftermath(options: WatchOptions): Promise<void> {
  const { journal, target, handle, redact } = options
  const { plan, number } = journal.attempt
  const asked = [...new Set(plan.ports.map(({ port }) => port))]
  const usesGpus = !plan.practice && plan.gpus.count > 0
  try {
    const remains = await settled(options, asked)
    const gpus = usesGpus ? (await target.probe(options.signal)).gpus : null
    const processes = remains.processes.map(({ pid, command }) => ({
      pid,
      command: redact(command)
    }))
    const aftermath = { asked, remains: { ...remains, processes }, gpus }
    await journal.tell(
      aftermathEvent(aftermath, handle.kind === 'container'),
      `aftermath ${number}`
    )
  } catch (cause) {
    if (!(cause instanceof UnreachableError)) throw cause
  }
}
