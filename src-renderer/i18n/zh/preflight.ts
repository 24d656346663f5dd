import type { preflight as en } from '../en/preflight'
import type { Same } from '../catalogue'

export const preflight: Same<typeof en> = {
  head: '预检',
  checking: '正在针对“{{target}}”检查配方、目标及其空闲资源，很快会显示首批结果。',
  running_one: '检查中，还剩 {{n}} 项',
  running_other: '检查中，还剩 {{n}} 项',
  done_one: '{{n}} 项检查，用时 {{time}}',
  done_other: '{{n}} 项检查，用时 {{time}}',
  again: '重新预检',
  groups: {
    fix: '启动前须解决',
    know: '值得留意',
    unknown: '无法确定',
    fine: '正常',
    skipped: '已跳过'
  },
  subs: {
    fix: '运行栈会拒绝启动、卡住或面临风险',
    know: '可以启动，但之后可能有影响',
    unknown: '不阻止启动',
    fine: '每项都附有依据',
    skipped: '此处无需检查'
  },
  counts: {
    fix_one: '{{n}} 项须解决',
    fix_other: '{{n}} 项须解决',
    know_one: '{{n}} 项值得留意',
    know_other: '{{n}} 项值得留意',
    fine_one: '{{n}} 项正常',
    fine_other: '{{n}} 项正常',
    unknown_one: '{{n}} 项未知',
    unknown_other: '{{n}} 项未知'
  },
  areas: {
    recipe: '配方',
    disk: '磁盘',
    shm: '共享内存',
    gpu: 'GPU',
    docker: '目标与容器',
    ports: '端口',
    model: '模型',
    state: '遗留状态',
    environment: '环境',
    nexrl: 'NexRL',
    oracle: '运行栈自身的回答'
  },
  sets: '仅为本次启动设置 {{path}}',
  edits: '修改配方；自带配方会先复制',
  makes: '创建该目录',
  removes: '清理你之前运行的残留',
  copies: '把权重复制到 {{path}}；优化器状态、记录与版本从头开始',
  judgement: '属于判断：你仍可启动',
  refusal: '运行栈自身会拒绝',
  whyTitle: '仍然启动',
  whyText: '剩下的问题属于判断。请说明为什么没有问题，理由会随运行保存。',
  whyLabel: '为什么没有问题'
}
