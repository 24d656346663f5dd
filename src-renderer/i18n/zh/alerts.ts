import type { alerts as en } from '../en/alerts'
import type { Same } from '../catalogue'

export const alerts: Same<typeof en> = {
  bell: '提醒',
  bellUnseen_one: '提醒：{{n}} 条未查看',
  bellUnseen_other: '提醒：{{n}} 条未查看',
  none: '目前没有提醒',
  hint: '选择一条，打开对应运行的那一步',
  title: '提醒',
  sub: '崩溃、可能并非自行的结束、伴随命令失败、排队的启动无法启动、长时间没有动静、磁盘将满、NaN、奖励崩塌：每次尝试只提醒一次；指标超出健康范围：每个运行一次，恢复正常后才会再次提醒',
  desktop: '桌面通知',
  desktopMore: '只要 Slipway 的窗口或托盘在运行，就会发送通知。',
  webhook: '发送到一个地址',
  webhookMore:
    '每条提醒以 JSON 形式发送到该地址，句子放在“text”中，聊天服务可直接读取。其中不含提示词、回答或机密。',
  address: '地址',
  addressSource: {
    environment: '来自环境变量 SLIPWAY_WEBHOOK_URL',
    stored: '保存在本系统的密钥环中',
    missing: '无'
  },
  newAddress: '新地址',
  addressHint: 'https://…',
  keep: '保存',
  forget: '删除',
  kept: '地址已保存到密钥环',
  forgotten: '地址已删除',
  sample: '发送示例',
  last: '最近一次',
  lastOk: '{{when}}：已接收',
  lastFailed: '{{when}}：{{why}}',
  lastNever: 'Slipway 启动以来还没有'
}
