import type { recipes as en } from '../en/recipes'
import type { Same } from '../catalogue'

export const recipes: Same<typeof en> = {
  title: '配方',
  count_one: '{{n}} 个配方',
  count_other: '{{n}} 个配方',
  filter: '筛选配方',
  next: '下一行',
  previous: '上一行',
  name: '名称',
  description: '做什么',
  family: '类型',
  dialect: '适用于',
  kind: '来源',
  kinds: { template: 'Slipway', own: '你', recent: '最近使用' },
  dialects: {
    'reef-unversioned': 'Reef，无版本号',
    'reef-v2': 'Reef 2',
    nexrl: 'NexRL',
    unknown: '未知'
  },
  emptyWhat: '没有配方',
  emptyWhy: '在应用和你的文件夹中都没有找到配方。',
  noMatchWhat: '没有匹配的配方',
  noMatchWhy: '{{n}} 个配方的名称、类型和说明中都没有“{{filter}}”。',
  text: '文本',
  path: '文件',
  readOnly: '随 Slipway 提供：只读',
  launch: '用它新建运行',
  nothing: '无'
}
