import type { cluster as en } from '../en/cluster'
import type { Same } from '../catalogue'

export const cluster: Same<typeof en> = {
  ray: 'Ray',
  raySub_one: '{{n}} 个节点，Ray {{version}}',
  raySub_other: '{{n}} 个节点，Ray {{version}}',
  dashboard: '仪表板',
  resource: '{{name}} 已占用 {{used}}/{{total}}',
  waiting: '正在等待 {{n}} 块 GPU：{{what}}',
  waitingElse: '正在等待：{{what}}',
  actors: 'Actor',
  actor: '类',
  state: '状态',
  count: '数量',
  noActors: '无',
  actorsUntold: '此 Ray 不提供 actor 信息。',
  jobs: '作业',
  sglang: 'SGLang',
  sglangSub: '各引擎当前的情况',
  engine: '引擎',
  running: '运行中',
  queued: '排队',
  throughput: 'Token/秒',
  cacheUse: '缓存占用',
  cacheHits: '缓存命中',
  noEngines: '没有引擎应答。',
  gpus: 'GPU',
  gpusSub: '目标机器上的',
  noGpus: 'nvidia-smi 未列出 GPU，或此连接方式无法查询。',
  looking: '正在查看…'
}
