export interface Setting {
  value: unknown
  source: string
}
export function resolveConfig(
  path: string,
  flags: readonly string[],
  environment: Record<string, string | undefined>
): Record<string, Setting>
