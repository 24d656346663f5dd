import type { ExportedWeights } from '../../contract/nexrl'

/**
 * Weights whose expiry is to be removed by the rule “every Nth step”, oldest first: those of a step that N divides,
 * not removed yet, and not past their time. Pure.
 */
export function dueForExtension(
  exported: readonly ExportedWeights[],
  every: number,
  done: ReadonlySet<string>,
  now: number
): ExportedWeights[] {
  if (every <= 0) return []
  return exported.filter(
    ({ step, path, expiresAt }) =>
      step !== null &&
      step % every === 0 &&
      path.startsWith('weaver://') &&
      !done.has(path) &&
      (expiresAt === null || expiresAt > now)
  )
}

/** Whether a life of so many seconds from now on ends before the one a checkpoint has; null: it has no end. Pure. */
export function shortens(expiresAt: number | null, seconds: number, now: number): boolean {
  return expiresAt === null || expiresAt > now + seconds * 1000
}

/** The model a `weaver://<model>/checkpoints/<name>` belongs to; null for anything else. */
export function modelOfPath(path: string): string | null {
  return /^weaver:\/\/([^/]+)\/checkpoints\/.+$/.exec(path)?.[1] ?? null
}
