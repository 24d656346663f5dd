import type { Text } from '../../contract/text'
import type { OutputGap } from '../targets'

const KB = 1000

/** Bytes as people write them, decimal. */
function sized(bytes: number): string {
  if (bytes < KB) return `${bytes} B`
  if (bytes < KB * KB) return `${(bytes / KB).toFixed(1)} kB`
  return `${(bytes / KB / KB).toFixed(1)} MB`
}

function between<T>([least, most]: readonly [T, T], word: (one: T) => string, to: string): string {
  const [from, until] = [word(least), word(most)]
  return from === until ? from : `${from}${to}${until}`
}

/** From when to when, to the second, in UTC; and how long that is in seconds. */
function stretch({ after, before }: OutputGap): { from: string; to: string; seconds: number } {
  const plain = (stamp: string): string => stamp.slice(0, 19).replace('T', ' ')
  const seconds = Math.max(0, (Date.parse(before) - Date.parse(after)) / 1000)
  return { from: plain(after), to: plain(before), seconds: Number(seconds.toFixed(1)) }
}

/**
 * What a person is told of output that the container engine dropped: when, how much it may have been, and what is whole
 * all the same. `only`: the container's output is the only log there is, as a NexRL driver's. Pure.
 */
export function gapText(gap: OutputGap, only: boolean): Text {
  const { from, to, seconds } = stretch(gap)
  const { expected, keeps } = gap
  const kept =
    keeps === ''
      ? { en: '', zh: '' }
      : { en: ` It keeps ${keeps}.`, zh: `它的保留设置为 ${keeps}。` }
  const size =
    expected === null
      ? {
          en: 'how much that was cannot be told.',
          zh: '其大小无从得知。'
        }
      : {
          en: `nobody counts what is dropped; at the pace around it that is about ${between(expected.lines, String, ' to ')} lines (${between(expected.bytes, sized, ' to ')}).`,
          zh: `引擎不统计丢弃量；按前后的速率估计约为 ${between(expected.lines, String, ' 至 ')} 行（${between(expected.bytes, sized, ' 至 ')}）。`
        }
  const rest = only
    ? {
        en: 'It was the only log: figures of that time are missing.',
        zh: '这是唯一的日志：该时段的数据缺失。'
      }
    : {
        en: 'The services’ own log files are not touched by this.',
        zh: '各服务自己的日志文件不受影响。'
      }
  return {
    en: `The container engine dropped what the stack printed from ${from} to ${to} UTC (${seconds} s): ${size.en}${kept.en} ${rest.en}`,
    zh: `容器引擎丢弃了运行栈在 ${from} 至 ${to} UTC（${seconds} 秒）之间的输出：${size.zh}${kept.zh}${rest.zh}`
  }
}

/** The last one that is told: a person should know that it goes on. */
export function lastGapText({ en, zh }: Text): Text {
  return {
    en: `${en} More is dropped all the time; that is not told one by one.`,
    zh: `${zh}此后仍不断有输出被丢弃，不再逐条列出。`
  }
}
