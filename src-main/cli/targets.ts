import type { Command } from 'commander'
import type { TargetStatus } from '../contract/targets'
import { table, words, type Io } from './output'
import { act, type Context } from './runs'

function reachable(io: Io, { reachable: seen }: TargetStatus): string {
  const say = {
    yes: { en: 'yes', zh: '是' },
    no: { en: 'no', zh: '否' },
    checking: { en: 'checking', zh: '检查中' },
    unknown: { en: 'not asked', zh: '未询问' }
  }
  return words(io, say[seen])
}

function rowOf(io: Io, status: TargetStatus): string[] {
  const { spec, engine, version, gpus, why } = status
  return [
    spec.id,
    spec.name,
    reachable(io, status),
    [engine, version].filter(Boolean).join(' ') || '–',
    String(gpus.length),
    why === null ? '' : words(io, why)
  ]
}

/** `slipway targets`: where a stack can run. Remote ones are asked only with `--ask`. */
export function registerTargetsCommand(program: Command, context: Context): void {
  program
    .command('targets')
    .description('list where a stack can run, with the ids that --target takes')
    .option('--ask', 'ask remote ones, too')
    .action(({ ask }: { ask?: boolean }) =>
      act(context, async (engine) => {
        const seen = await engine.targets.list()
        const list =
          ask === true
            ? await Promise.all(seen.map(({ spec }) => engine.targets.probe({ id: spec.id })))
            : seen
        const { io } = context
        const head = [
          { en: 'id', zh: '标识' },
          { en: 'name', zh: '名称' },
          { en: 'reachable', zh: '可连接' },
          { en: 'engine', zh: '引擎' },
          { en: 'GPUs', zh: 'GPU' },
          { en: 'why not', zh: '原因' }
        ].map((one) => words(io, one))
        io.out(
          context.json()
            ? JSON.stringify({ targets: list })
            : table([head, ...list.map((status) => rowOf(io, status))])
        )
      })
    )
}
