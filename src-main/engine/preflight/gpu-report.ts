import type { ToolAnswer } from './tools'

/** Asks for exactly the columns that `readGpuReport` reads; memory in MiB. */
export const GPU_QUESTION: readonly string[] = [
  '--query-gpu=index,uuid,driver_version,memory.total,memory.used,mig.mode.current,compute_mode,name',
  '--format=csv,noheader,nounits'
]

/** Who computes on which GPU; memory in MiB. */
export const APPS_QUESTION: readonly string[] = [
  '--query-compute-apps=gpu_uuid,pid,used_memory,process_name',
  '--format=csv,noheader,nounits'
]

export interface GpuState {
  index: number
  uuid: string
  driver: string
  name: string
  /** Bytes; null where the GPU does not say (unified memory). */
  total: number | null
  used: number | null
  mig: boolean
  /** `Default`, `Exclusive_Process`, `Prohibited` … */
  computeMode: string
}

export interface GpuProcess {
  uuid: string
  pid: number
  used: number | null
  name: string
}

/** Why there is no list of GPUs. */
export type GpuTrouble =
  'no-tool' | 'no-driver' | 'mismatch' | 'no-devices' | 'lost' | 'no-permission' | 'late' | 'other'

export type GpuReport =
  | { kind: 'gpus'; gpus: readonly GpuState[] }
  | { kind: 'trouble'; trouble: GpuTrouble; said: string }

const MIB = 1024 * 1024

// The tool's own messages, on standard output as often as on standard error.
const troubles: readonly (readonly [RegExp, GpuTrouble])[] = [
  [/driver\/library version mismatch/i, 'mismatch'],
  [/couldn't communicate with the nvidia driver|driver not loaded/i, 'no-driver'],
  [/gpu is lost|fallen off the bus|unable to determine the device handle/i, 'lost'],
  [/insufficient permissions/i, 'no-permission'],
  [/no devices were found/i, 'no-devices']
]

function bytes(cell: string | undefined): number | null {
  const value = Number(cell === '' ? undefined : cell)
  return Number.isFinite(value) ? value * MIB : null
}

function cellsOf(line: string, columns: number): string[] | null {
  const cells = line.split(',').map((cell) => cell.trim())
  if (cells.length < columns) return null
  // The last column may hold commas of its own.
  return [...cells.slice(0, columns - 1), cells.slice(columns - 1).join(', ')]
}

function gpuOf(line: string): GpuState[] {
  const [index = '', uuid = '', driver = '', total, used, mig, mode = '', name = ''] =
    cellsOf(line, 8) ?? []
  if (!/^\d+$/.test(index)) return []
  const state = { index: Number(index), uuid, driver, name, total: bytes(total), used: bytes(used) }
  return [{ ...state, mig: mig === 'Enabled', computeMode: mode }]
}

/** Reads the answer to `nvidia-smi` with `GPU_QUESTION`. Lines that are no GPU (warnings) are passed over. */
export function readGpuReport(answer: ToolAnswer): GpuReport {
  if (answer.kind === 'missing') return { kind: 'trouble', trouble: 'no-tool', said: '' }
  if (answer.kind === 'late') return { kind: 'trouble', trouble: 'late', said: '' }
  const said = `${answer.stdout}\n${answer.stderr}`.trim().slice(0, 600)
  const known = troubles.find(([pattern]) => pattern.test(said))
  const gpus = answer.stdout.split('\n').flatMap(gpuOf)
  if (gpus.length > 0) return { kind: 'gpus', gpus }
  return { kind: 'trouble', trouble: known?.[1] ?? 'other', said }
}

/** Reads the answer to `nvidia-smi` with `APPS_QUESTION`; empty when it does not say. */
export function readGpuProcesses(answer: ToolAnswer): GpuProcess[] {
  if (answer.kind !== 'done') return []
  return answer.stdout.split('\n').flatMap((line) => {
    const [uuid = '', pid = '', used, name = ''] = cellsOf(line, 4) ?? []
    return /^\d+$/.test(pid) ? [{ uuid, pid: Number(pid), used: bytes(used), name }] : []
  })
}
