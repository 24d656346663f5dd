import type { EngineFacts } from '../../../contract/targets'

/** How a request for GPUs is worded: Docker's own way, or by the names of the Container Device Interface. */
export type GpuForm = 'docker' | 'cdi'

/** Podman's compatible API passes over every request for GPUs before this version, and says nothing (containers/podman#22645, #25171). */
const PODMAN_WITH_CDI = [5, 4] as const

/** How an engine takes a request for GPUs; null: it would start the container without them. Pure. */
export function gpuForm({ engine, version }: EngineFacts): GpuForm | null {
  if (engine !== 'Podman') return 'docker'
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const [oldest, oldestMinor] = PODMAN_WITH_CDI
  return major > oldest || (major === oldest && minor >= oldestMinor) ? 'cdi' : null
}
