import type { Plan } from '../../contract/launch'

/** The run folder, which a plan made before the launch cannot name. */
export const RUN_FOLDER = '<run>'

/** Where a Reef container has its checkout. */
export const CHECKOUT = '/workspace/Reef'

/** A path of the target's machine as the container sees it; null when no mount holds it. */
export function throughMounts(path: string, mounts: Plan['mounts']): string | null {
  for (const mount of mounts) {
    const root = mount.host.replace(/\/+$/, '')
    if (path === root) return mount.container
    if (path.startsWith(`${root}/`)) return `${mount.container}${path.slice(root.length)}`
  }
  return null
}

/** A path of the container as the target's machine sees it; null when no mount holds it. */
export function outOfMounts(path: string, mounts: Plan['mounts']): string | null {
  return throughMounts(
    path,
    mounts.map((mount) => ({ ...mount, host: mount.container, container: mount.host }))
  )
}
