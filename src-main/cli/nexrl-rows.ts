import type { NexrlPipeline } from '../contract/nexrl'

const verdictsZh: Readonly<Record<NexrlPipeline['verdict'], string>> = {
  starting: '启动中',
  running: '运行中',
  done: '已完成',
  'ended-early': '提前结束',
  failed: '失败',
  crashed: '崩溃',
  unknown: '未知'
}

/** The pipeline of a NexRL driver for `slipway show`, in place of Reef's four stages. */
export function pipelineRows(
  pipeline: NexrlPipeline,
  say: (en: string, zh: string) => string
): string[][] {
  const { loader, workers, rewards, pool, trainer, sync, exported, exportedCount } = pipeline
  const of = (have: number | null, need: number | null): string =>
    say(`${have ?? '?'} of ${need ?? '?'}`, `${have ?? '?'}/${need ?? '?'}`)
  const last = exported.at(-1)
  const until =
    last === undefined || last.expiresAt === null ? null : new Date(last.expiresAt).toISOString()
  const life =
    last === undefined
      ? ''
      : until === null
        ? say(`, ${last.path} kept`, `，${last.path} 已保留`)
        : say(`, ${last.path} until ${until}`, `，${last.path} 保留至 ${until}`)
  const usedUp = loader.exhausted ? say(', data used up', '，数据已用尽') : ''
  const mean = rewards.mean === null ? '–' : String(Number(rewards.mean.toPrecision(4)))
  return [
    [say('verdict', '判断'), say(pipeline.verdict, verdictsZh[pipeline.verdict])],
    [say('batch', '批次'), of(loader.done, loader.of) + usedUp],
    [say('workers', 'worker'), of(workers.active, workers.of)],
    [
      say('rewards', '奖励'),
      say(
        `mean ${mean}, ${rewards.groups} groups, ${rewards.equalGroups} all equal`,
        `平均 ${mean}，${rewards.groups} 组，其中 ${rewards.equalGroups} 组全部相同`
      )
    ],
    [say('trajectories', '轨迹'), String(pool.finished ?? '–')],
    [
      say('trainer', '训练器'),
      of(trainer.steps, trainer.of) +
        say(` steps, ${trainer.skipped} skipped`, ` 步，跳过 ${trainer.skipped} 步`)
    ],
    [
      say('weights', '权重'),
      say(
        `v${sync.version ?? '–'}, mode ${sync.mode}, lag ${sync.lag}`,
        `v${sync.version ?? '–'}，模式 ${sync.mode}，落后 ${sync.lag}`
      )
    ],
    [say('exported', '已导出'), `${exportedCount}${life}`],
    [say('model', '模型'), pipeline.model ?? '–']
  ]
}
