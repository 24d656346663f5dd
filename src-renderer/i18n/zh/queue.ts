import type { queue as en } from '../en/queue'
import type { Same } from '../catalogue'

export const queue: Same<typeof en> = {
  add: '空闲时启动',
  adding: '正在加入队列…',
  addHint: '等到所需的 GPU 和端口空闲后启动；需保持 Slipway 运行',
  added: '{{name}} 正在等待其目标',
  entry_one: '{{n}} 个排队',
  entry_other: '{{n}} 个排队',
  title: '队列',
  sub: '每个目标依次启动；Slipway 未运行时不会启动',
  waiting: '等待中',
  starting: '正在启动',
  refused: '无法启动',
  remove: '移出',
  first: '排到最前',
  again: '重试',
  empty: '没有排队项'
}
