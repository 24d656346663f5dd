import type { common as en } from '../en/common'
import type { Same } from '../catalogue'

export const common: Same<typeof en> = {
  cancel: '取消',
  close: '关闭',
  retry: '重试',
  details: '详情',
  copy: '复制',
  copied: '已复制',
  clear: '清除',
  more: '更多',
  loading: '加载中',
  none: '无',
  unknown: '未知',
  thisComputer: '本机',
  imported: '导入',
  practice: '练习',
  panelFailed: '此面板出错，已停止工作。',
  panelFailedRemedy: '窗口的其余部分不受影响。点“重试”重新绘制。'
}
