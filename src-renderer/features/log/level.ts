import type { LogLevel, LogSource } from '@contract/logs'

export type LevelChoice = 'all' | 'event' | 'metric' | 'warning' | 'error'

export function levelsOf(choice: LevelChoice): LogLevel[] | undefined {
  switch (choice) {
    case 'all':
      return undefined
    case 'event':
      return ['event']
    case 'metric':
      return ['metric']
    case 'warning':
      return ['warning', 'error']
    case 'error':
      return ['error']
  }
}

/** CSS classes of a line by its level. Errors are also said by their words; colour is not alone. */
export function classOf(level: LogLevel): string {
  switch (level) {
    case 'error':
      return 'c-fail'
    case 'warning':
      return 'c-warn'
    case 'debug':
      return 't2'
    case 'event':
      return 'font-medium'
    case 'info':
    case 'metric':
      return ''
  }
}

/** The driver's own log tells the training; what the launcher passes on is every service's, mixed. */
function telling(source: LogSource): number {
  if (source.lines === 0) return 0
  if (/driver|trainer/i.test(source.service)) return 3
  return source.service.startsWith('launcher') ? 1 : 2
}

/** The source shown first: of the newest attempt, the driver's; without one a service's, the one with most lines. */
export function firstSource(sources: readonly LogSource[]): LogSource | undefined {
  const newest = Math.max(...sources.map((source) => source.attempt))
  return sources
    .filter((source) => source.attempt === newest)
    .sort((a, b) => telling(b) - telling(a) || b.lines - a.lines)[0]
}
