import type { Gpu } from '../../contract/targets'
import { runCommand } from './command'
import { GPU_QUERY, parseGpuQuery } from './gpu-query'

const DEADLINE_MS = 10_000

/** GPUs of this machine by its own tool; empty where there is none. */
export async function hostGpus(signal: AbortSignal): Promise<Gpu[]> {
  const [tool = '', ...args] = GPU_QUERY
  const result = await runCommand(tool, args, { deadlineMs: DEADLINE_MS, signal })
  return result.kind === 'done' && result.code === 0 ? parseGpuQuery(result.stdout) : []
}
