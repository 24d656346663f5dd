import type { Command } from 'commander'
import type { ClusterLook } from '../contract/cluster'
import { table, words, type Io } from './output'
import { act, find, type Context } from './runs'

const share = (value: number | null): string =>
  value === null ? '–' : `${Math.round(value * 100)} %`
const whole = (value: number | null): string => (value === null ? '–' : String(Math.round(value)))

function rayRows(io: Io, ray: ClusterLook['ray']): string[][] {
  if (ray.kind === 'unseen') return [['Ray', words(io, ray.why)]]
  const say = (en: string, zh: string): string => words(io, { en, zh })
  return [
    ['Ray', `${ray.version ?? '?'}  ${ray.dashboard}`],
    [say('nodes', '节点'), String(ray.nodes)],
    ...ray.resources.map(({ name, used, total }) => [name, `${used} / ${total}`]),
    ...ray.pending.map(({ demand, what }) => [say('waits', '等待'), `${demand}: ${what}`]),
    ...(ray.actors ?? []).map(({ className, state, count }) => [
      say('actor', 'actor'),
      `${className} ${state} × ${count}`
    ]),
    ...ray.jobs.map(({ id, status }) => [say('job', '作业'), `${id} ${status}`])
  ]
}

function sglangRows(io: Io, engines: ClusterLook['sglang']): string[][] {
  return engines.map((one) => [
    `SGLang ${one.name}`,
    one.why === null
      ? words(io, {
          en: `running ${whole(one.running)}, queued ${whole(one.queued)}, ${whole(one.throughput)} tokens/s, cache ${share(one.cacheUse)}`,
          zh: `运行中 ${whole(one.running)}，排队 ${whole(one.queued)}，${whole(one.throughput)} token/秒，缓存 ${share(one.cacheUse)}`
        })
      : words(io, one.why)
  ])
}

/** `slipway cluster RUN`: Ray, SGLang and the GPUs below a run's stack, at this moment. */
export function registerClusterCommand(program: Command, context: Context): void {
  program
    .command('cluster <run>')
    .description('what stands below a running stack: Ray, SGLang and GPUs, now')
    .action((wanted: string) =>
      act(context, async (engine) => {
        const { id: run } = await find(engine, wanted)
        const look = await engine.cluster.look({ run })
        const { io } = context
        const gpus = look.gpus.map(({ index, name, usedBytes, memoryBytes, utilisation }) => [
          `GPU ${index}`,
          `${name}  ${(usedBytes / 1e9).toFixed(1)} / ${(memoryBytes / 1e9).toFixed(1)} GB  ${utilisation ?? '–'} %`
        ])
        io.out(
          context.json()
            ? JSON.stringify(look)
            : table([...rayRows(io, look.ray), ...sglangRows(io, look.sglang), ...gpus])
        )
      })
    )
}
