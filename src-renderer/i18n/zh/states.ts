import type { states as en } from '../en/states'
import type { Same } from '../catalogue'

export const states: Same<typeof en> = {
  planned: '已计划',
  checking: '检查中',
  preparing: '准备镜像',
  starting: '启动中',
  serving: '服务中',
  training: '运行中',
  quiet: '静默',
  unreachable: '无法连接',
  stopping: '停止中',
  stopped: '已停止',
  done: '已完成',
  failed: '失败',
  imported: '已导入',
  withTime: '{{state}} {{time}}',
  service: {
    waiting: '等待',
    starting: '启动中',
    ready: '就绪',
    exited: '已结束',
    unknown: '未知'
  },
  exitCode: '退出码 {{code}}',
  exitSignal: '被 {{signal}} 结束',
  exitOom: '内存不足',
  exitUnknown: '没有看到它如何结束',
  damaged: '已损坏'
}
