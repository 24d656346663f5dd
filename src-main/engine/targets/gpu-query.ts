import type { Gpu } from '../../contract/targets'

/** Asks for exactly the columns that `parseGpuQuery` reads; memory in MiB, utilisation in percent. */
export const GPU_QUERY: readonly string[] = [
  'nvidia-smi',
  '--query-gpu=index,name,memory.total,memory.used,utilization.gpu',
  '--format=csv,noheader,nounits'
]

const MIB = 1024 * 1024

function number(text: string | undefined): number | null {
  const value = Number(text?.trim() === '' ? Number.NaN : text)
  return Number.isFinite(value) ? value : null
}

/**
 * Parses the answer to `GPU_QUERY`, e.g. `0, NVIDIA A100-SXM4-80GB, 81920, 1024, 71`. Values a GPU does not report
 * stand as `[N/A]` or `[Not Supported]`: unified memory becomes 0 bytes, utilisation null. Other lines are skipped
 * (the tool prints warnings among them).
 */
export function parseGpuQuery(text: string): Gpu[] {
  return text.split('\n').flatMap((line) => {
    const cells = line.split(',')
    const index = number(cells[0])
    if (cells.length < 5 || index === null || !Number.isInteger(index)) return []
    const [total, used, utilisation] = cells.slice(-3)
    return [
      {
        index,
        // The one column that may hold a comma.
        name: cells.slice(1, -3).join(',').trim(),
        memoryBytes: (number(total) ?? 0) * MIB,
        usedBytes: (number(used) ?? 0) * MIB,
        utilisation: number(utilisation)
      }
    ]
  })
}
