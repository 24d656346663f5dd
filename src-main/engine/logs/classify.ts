import type { LogLevel } from '../../contract/logs'
import type { LineHead } from './line-head'

const METRIC = /^(?:(?:critic-)?step|rollout|perf|eval|multi_turn|passrate) (\d+): \{/
const LOCAL_LOGGER = /^step:(\d+) - \S+:/
const NEXRL_DICT = /^(?:rollout metrics|combined_metrics|Validation metrics): \{/
const ERROR =
  /\b(?:Traceback \(most recent call last\)|[A-Za-z.]*(?:Error|Exception)\b.*:|CUDA error|FATAL|CRITICAL|ERROR)|^Error\b|out of memory|core dumped|failed with exit code/
const WARNING = /\bWARN(?:ING)?\b|\b[A-Za-z]*Warning:|^Warning\b|retrying/

/** Level of a peeled line, and the step it carries when it is a metric line. */
export function classify(head: LineHead): { level: LogLevel; step?: number } {
  const message = head.message
  if (message.startsWith('[reef] ')) return { level: 'event' }
  const metric = METRIC.exec(message) ?? LOCAL_LOGGER.exec(message)
  if (metric !== null) return { level: 'metric', step: Number(metric[1]) }
  if (NEXRL_DICT.test(message)) return { level: 'metric' }
  if (head.level !== undefined && head.level !== 'info') return { level: head.level }
  if (ERROR.test(message)) return { level: 'error' }
  if (WARNING.test(message)) return { level: 'warning' }
  if (head.logger === undefined && /^DEBUG\b/.test(message)) return { level: 'debug' }
  return { level: 'info' }
}
