import type { Text } from '../contract/text'

/** What a command says of a launch that it lets wait. */
export const queueWords: Readonly<Record<'waits' | 'later', Text>> = {
  waits: {
    en: 'Waits in the queue; the window starts it when its GPUs and ports are free.',
    zh: '已加入队列；所需 GPU 和端口空闲时由窗口启动。'
  },
  later: {
    en: 'No window of Slipway keeps the queue now: it is done when one is opened.',
    zh: '当前没有 Slipway 窗口维护队列：将在下次打开窗口时执行。'
  }
}
