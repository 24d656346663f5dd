import type { Command } from 'commander'
import type {
  HarnessDiff,
  HarnessFile,
  HarnessRelease,
  LearntFrom,
  LearntRecord,
  ReleaseCost
} from '../contract/release-detail'
import type { Release } from '../contract/releases'
import type { RunEvent } from '../contract/run'
import type { Text } from '../contract/text'
import { table, words, type Io } from './output'
import type { Context } from './runs'
import { findRelease } from './names'
import type { ReleaseTools } from './ways-back'

interface Options {
  scenario?: string
  diff?: string
}

const MINUTE_MS = 60_000

/** A time in milliseconds as a person says it: seconds until they are two minutes. */
export function tookWords(took: number): Text {
  const seconds = took / 1000
  if (took >= 2 * MINUTE_MS) {
    const minutes = (took / MINUTE_MS).toFixed(1)
    return { en: `${minutes} min`, zh: `${minutes} 分钟` }
  }
  const said = seconds < 1 ? seconds.toFixed(1) : String(Math.round(seconds))
  return { en: `${said} s`, zh: `${said} 秒` }
}

/** What a rollback or promotion republishes and, where it was given, why. */
function republishLines(io: Io, release: Release, events: readonly RunEvent[]): string[] {
  const { rollbackTargetStep: step } = release
  if (step === null) return []
  const act = events.find(({ data }) => data?.['as'] === `r${release.step}`)
  const why = act?.data?.['why']
  const republishes = words(io, { en: `republishes r${step}`, zh: `重新发布 r${step}` })
  return [
    typeof why === 'string' && why !== ''
      ? `${republishes}${io.language === 'zh' ? '：' : ': '}${why}`
      : republishes
  ]
}

function costLines(io: Io, { took, gpus, gpuHours, samples, dropped }: ReleaseCost): string[] {
  const facts = [
    took === null ? null : words(io, tookWords(took)),
    gpuHours === null || gpus === null || gpus === 0
      ? null
      : words(io, {
          en: `${gpuHours.toFixed(3)} GPU hours (${gpus} planned)`,
          zh: `${gpuHours.toFixed(3)} GPU 小时（计划 ${gpus} 张）`
        }),
    samples === null ? null : words(io, { en: `${samples} samples`, zh: `${samples} 个样本` }),
    dropped === null || dropped === 0
      ? null
      : words(io, { en: `${dropped} dropped`, zh: `丢弃 ${dropped} 个` })
  ].filter((fact) => fact !== null)
  return facts.length === 0 ? [] : [facts.join(', ')]
}

function learntLines(io: Io, { receipts, records, why, scores }: LearntFrom): string[] {
  if (records === null || records.length === 0) {
    const named = receipts.length === 0 ? [] : [receipts.join(' ')]
    return [...named, ...(why === null ? [] : [words(io, why)])]
  }
  const mean = scores?.mean.toFixed(3)
  return [
    ...(scores === null
      ? []
      : [
          words(io, {
            en: `score ${mean} on average, ${scores.least} to ${scores.most}, n = ${scores.n}`,
            zh: `平均得分 ${mean}，范围 ${scores.least} 至 ${scores.most}，n = ${scores.n}`
          })
        ]),
    ...recordLines(io, records, scores?.n ?? 0)
  ]
}

/** Records printed one by one; the rest is counted. */
const MOST_RECORDS = 8

/** What each of the first records was about; `reports`: how many there are, also of those that are not listed. */
function recordLines(io: Io, records: readonly LearntRecord[], reports: number): string[] {
  const told = records.filter(({ type }) => type === 'report')
  const all = told.length > 0 ? told : records
  const shown = all.slice(0, MOST_RECORDS)
  const more = Math.max(all.length, told.length > 0 ? reports : 0) - shown.length
  return [
    table(
      shown.map(({ id, score, said, words: given }) => [
        score === null ? '–' : String(score),
        said === null ? id : `${said.question} → ${said.answer}`,
        given ?? ''
      ])
    ),
    ...(more > 0 ? [words(io, { en: `and ${more} more`, zh: `另有 ${more} 条` })] : [])
  ]
}

const CHANGES: Record<HarnessFile['change'], string> = {
  same: ' ',
  added: 'A',
  changed: 'M',
  removed: 'D'
}

function harnessLines(io: Io, harness: HarnessRelease): string[] {
  const { verdict, request, proposal, mutations, notes, setup, files, noFiles } = harness
  const lines: string[] = []
  if (verdict !== null) {
    const told = [
      verdict.selected === null
        ? null
        : words(
            io,
            verdict.selected ? { en: 'selected', zh: '已选用' } : { en: 'rejected', zh: '被拒' }
          ),
      verdict.reason,
      verdict.policy,
      verdict.candidate === null ? null : `${verdict.candidate} / ${verdict.current ?? '–'}`,
      verdict.wins === null
        ? null
        : `${verdict.wins} : ${verdict.losses ?? 0} : ${verdict.ties ?? 0}`
    ].filter((fact) => fact !== null)
    lines.push(told.join(', '))
  }
  if (request !== null) lines.push(`> ${request.text}`)
  if (proposal?.reason !== null && proposal !== null) lines.push(`- ${proposal.reason}`)
  lines.push(...mutations.map(({ op, id }) => `- ${op}${id === null ? '' : ` ${id}`}`))
  lines.push(...notes.map(({ name, text }) => `- ${name}: ${text}`))
  lines.push(...setup.map(({ name, kind, check }) => `! ${[name, kind, check].join(' ').trim()}`))
  if (noFiles !== null) lines.push(words(io, noFiles))
  if (files !== null)
    lines.push(
      table(
        files.map(({ path, change, added, removed }) => [
          CHANGES[change],
          path,
          change === 'same' || added === null ? '' : `+${added}`,
          change === 'same' || removed === null ? '' : `-${removed}`
        ])
      )
    )
  return lines
}

function diffText(io: Io, { lines, cut }: HarnessDiff): string {
  if (lines === null)
    return words(io, {
      en: 'This is no text, or it is kept elsewhere (LFS).',
      zh: '这不是文本，或内容存放在别处（LFS）。'
    })
  const shown = lines.map(({ sign, text }) => (sign === '@' ? `@@ ${text} @@` : sign + text))
  return [...shown, ...(cut ? ['…'] : [])].join('\n')
}

/** `slipway release`: one release in full. */
export function registerReleaseDetail(
  program: Command,
  context: Context,
  tools: ReleaseTools
): void {
  program
    .command('release <run> <release>')
    .description('what one release cost, what it learnt from, and, of a harness, its files')
    .option('--scenario <name>', 'which scenario; default the run’s first')
    .option('--diff <file>', 'a harness file against the release it was made from')
    .action((wanted: string, which: string, { scenario, diff }: Options) =>
      tools.act(context, async (engine) => {
        const { id: run } = await tools.find(engine, wanted)
        const of = { run, ...(scenario === undefined ? {} : { scenario }) }
        const { releases } = await engine.releases.chain(of)
        const release = findRelease(releases, which)
        const asked = { ...of, step: release.step }
        if (diff !== undefined) {
          const data = await engine.releases.harnessDiff({ ...asked, path: diff })
          tools.print(context, data, () => diffText(context.io, data))
          return
        }
        const data = await engine.releases.detail(asked)
        const { events } = await engine.runs.get({ run })
        tools.print(context, { release, ...data }, () =>
          [
            `r${release.step}  ${release.operation}  ${release.result}  ${release.releaseId}`,
            ...republishLines(context.io, release, events),
            ...costLines(context.io, data.cost),
            ...learntLines(context.io, data.learnt),
            ...(data.harness === null ? [] : harnessLines(context.io, data.harness))
          ].join('\n')
        )
      })
    )
}
