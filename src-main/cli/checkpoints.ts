import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { Checkpoint, CheckpointCatalogue } from '../contract/checkpoints'
import type { Text } from '../contract/text'
import { fail } from '../engine/lib'
import { EXIT, table, words, type Io } from './output'
import type { Context } from './runs'
import type { ReleaseTools } from './ways-back'

interface Options {
  keep?: string
  letGo?: string
  verify?: string
  export?: string
  to?: string
}

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'] as const

/** A size in bytes with the decimal unit that leaves one to three figures before the point. */
export function sizeWords(bytes: number): string {
  const power = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3))
  const value = bytes / 1000 ** power
  return `${power === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${UNITS[power] ?? 'B'}`
}

function row(io: Io, checkpoint: Checkpoint, fate: Text): string[] {
  const { rolloutId, export: saved, trainer, critic, kept, reward } = checkpoint
  const bytes = [saved, trainer, critic].reduce((sum, part) => sum + (part?.bytes ?? 0), 0)
  const holds = [
    saved === null ? null : 'export',
    trainer === null ? null : 'optimizer',
    critic === null ? null : 'critic',
    kept === null ? null : words(io, { en: 'kept', zh: '已保留' })
  ].filter((one) => one !== null)
  return [
    String(rolloutId),
    holds.join(' '),
    sizeWords(bytes),
    reward === null ? '–' : reward.toFixed(3),
    words(io, fate)
  ]
}

const HEAD: readonly Text[] = [
  { en: 'rollout', zh: 'rollout' },
  { en: 'holds', zh: '内容' },
  { en: 'size', zh: '大小' },
  { en: 'reward', zh: '奖励' },
  { en: 'what becomes of it', zh: '去留' }
]

const FATES: Readonly<Record<Checkpoint['fate'], Text>> = {
  protected: { en: 'protected', zh: '受保护' },
  'while-space-lasts': { en: 'while space lasts', zh: '空间足够时保留' },
  'being-deleted': { en: 'being deleted', zh: '正在删除' },
  unrecorded: { en: 'not recorded', zh: '无记录' }
}

/** What becomes of each, in the order given; a sentence that several share is a word there, explained once. */
export function fatesOf(checkpoints: readonly Pick<Checkpoint, 'fate' | 'fateWhy'>[]): {
  cells: Text[]
  explained: Text[]
} {
  const explained = new Map<string, Text>()
  const cells = checkpoints.map(({ fate, fateWhy }) => {
    const sharing = checkpoints.filter((other) => other.fateWhy.en === fateWhy.en).length
    if (sharing === 1) return fateWhy
    const { en, zh } = FATES[fate]
    explained.set(fateWhy.en, { en: `${en}: ${fateWhy.en}`, zh: `${zh}：${fateWhy.zh}` })
    return FATES[fate]
  })
  return { cells, explained: [...explained.values()] }
}

function listing(io: Io, { checkpoints, restart, strays }: CheckpointCatalogue): string {
  const place =
    restart.kind === 'offered'
      ? words(io, {
          en: `can restart in place from rollout ${restart.rolloutId}`,
          zh: `可从 rollout ${restart.rolloutId} 原地重启`
        })
      : words(io, restart.why)
  const { cells, explained } = fatesOf(checkpoints)
  const rows = checkpoints.map((one, index) => row(io, one, cells[index] ?? one.fateWhy))
  const head = HEAD.map((text) => words(io, text))
  return [
    ...(rows.length === 0 ? [] : [table([head, ...rows])]),
    ...explained.map((text) => words(io, text)),
    ...strays.map((stray) => `! ${stray}`),
    place
  ].join('\n')
}

function rolloutOf(text: string): number {
  if (/^\d{1,15}$/.test(text)) return Number(text)
  return fail({
    code: 'rollout-number',
    what: { en: `“${text}” is no rollout number.`, zh: `“${text}”不是 rollout 编号。` },
    remedy: {
      en: '“slipway checkpoints RUN” lists them in its first column.',
      zh: '“slipway checkpoints RUN”的第一列列出了编号。'
    }
  })
}

/** `slipway checkpoints`: what a run saved, and keeping, checking and copying one of it. */
export function registerCheckpoints(program: Command, context: Context, tools: ReleaseTools): void {
  const { io } = context
  program
    .command('checkpoints <run>')
    .description('what a run saved: size, reward, what becomes of it')
    .option('--keep <rollout>', 'keep it whatever the stack cleans up')
    .option('--let-go <rollout>', 'no longer keep it')
    .option('--verify <rollout>', 'check shards and digests of its export')
    .option('--export <rollout>', 'copy its export to a new folder, named by --to')
    .option('--to <folder>', 'new folder that --export copies into')
    .action((wanted: string, { keep, letGo, verify, export: exported, to }: Options) =>
      tools.act(context, async (engine) => {
        const { id: run } = await tools.find(engine, wanted)
        if (keep !== undefined) {
          const data = await engine.checkpoints.keep({ run, rolloutId: rolloutOf(keep) })
          tools.print(context, data, () => data.path)
        } else if (letGo !== undefined) {
          const rolloutId = rolloutOf(letGo)
          await engine.checkpoints.letGo({ run, rolloutId })
          tools.print(context, { run, rolloutId }, () =>
            words(io, { en: 'No longer kept.', zh: '不再保留。' })
          )
        } else if (verify !== undefined) {
          const data = await engine.checkpoints.verify({ run, rolloutId: rolloutOf(verify) })
          tools.print(context, data, () =>
            [
              words(io, {
                en: `${data.tensors} tensors in ${data.shards} files`,
                zh: `${data.shards} 个文件，共 ${data.tensors} 个张量`
              }),
              ...data.problems.map(({ file, why }) => `${file}: ${words(io, why)}`)
            ].join('\n')
          )
          return data.problems.length > 0 ? EXIT.failed : EXIT.ok
        } else if (exported !== undefined) {
          if (to === undefined)
            fail({
              code: 'export-target',
              what: { en: '--export needs --to FOLDER.', zh: '--export 需要 --to 文件夹。' }
            })
          const asked = { run, rolloutId: rolloutOf(exported), to: resolve(to ?? '') }
          const data = await engine.checkpoints.export(asked)
          tools.print(context, data, () => data.path)
        } else {
          const data = await engine.checkpoints.list({ run })
          tools.print(context, data, () => listing(io, data))
        }
        return EXIT.ok
      })
    )
}
