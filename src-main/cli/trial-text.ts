import {
  givenName,
  isHidden,
  orderOf,
  type Tally,
  type Trial,
  type TrialAnswer,
  type TrialRow,
  type TrialSummary,
  type TrialVerdict
} from '../contract/behaviour'
import { table, words, type Io } from './output'

interface Naming {
  /** Name the sides of a blind trial before all is judged. */
  names?: boolean
}

/** Letter of a side by where it stands. */
export const letterOf = (index: number): string => String.fromCharCode(97 + index)

/** The sides a word names by their letters as they are shown; null takes a verdict back, undefined is no word of ours. */
export function verdictOf(
  word: string,
  trial: Trial,
  row: TrialRow
): TrialVerdict | null | undefined {
  const order = orderOf(trial, row)
  if (word === 'none') return null
  if (word === 'tie') return [...order]
  if (word === 'bad') return []
  const named = word.toLowerCase().split('+')
  const places = named.flatMap((letter) => order.find((_, at) => letterOf(at) === letter) ?? [])
  return places.length === named.length ? places : undefined
}

/** The word a verdict is given with; the best ones by name, once they are named: their letters differ from row to row. */
function verdictWord(
  verdict: TrialVerdict,
  order: readonly number[],
  nameOf: (place: number, at: number) => string
): string {
  if (verdict.length === 0) return 'bad'
  if (verdict.length === order.length) return 'tie'
  return order
    .flatMap((place, at) => (verdict.includes(place) ? [nameOf(place, at)] : []))
    .join(' + ')
}

const standing = ({ win, tie, loss }: Tally): string => `${win}/${tie}/${loss}`

/** How a trial stands, in a word: of two sides the second's wins, of more how often each was the best alone. */
function standingOf({ tallies, bests }: TrialSummary, io: Io): string {
  const [tally] = tallies
  if (tally !== undefined && tallies.length === 1)
    return words(io, {
      en: `${standing(tally)} won/tied/lost`,
      zh: `胜/平/负 ${standing(tally)}`
    })
  const alone = bests.map((best) => best.alone).join('/')
  return words(io, { en: `${alone} best alone`, zh: `唯一最佳 ${alone}` })
}

/** A table of trials. */
export function listText(all: readonly TrialSummary[], io: Io): string {
  const heads =
    io.language === 'zh' ? ['id', '名称', '已评', '结果'] : ['id', 'name', 'judged', 'outcome']
  return table([
    heads,
    ...all.map((one) => [one.id, one.name, `${one.judged}/${one.prompts}`, standingOf(one, io)])
  ])
}

const percent = (share: number): string => `${(share * 100).toFixed(0)} %`

type Share = Pick<Tally, 'share' | 'interval'>

/** A share with its interval; empty while there is none. */
function spanText({ share, interval }: Share): string {
  if (share === null || interval === null) return ''
  return `${percent(share)} (${percent(interval[0])} – ${percent(interval[1])})`
}

/** The same, and whether that proves nothing. */
function shareText(tally: Share & { proven: string }, io: Io): string {
  const span = spanText(tally)
  const open = span !== '' && tally.proven === 'no'
  return `${span}${open ? words(io, { en: ', not proven', zh: '，未获证实' }) : ''}`
}

function tallyText(name: string, tally: Tally, io: Io): string {
  const { win, tie, loss, proven } = tally
  const span = spanText(tally)
  const end = proven === 'no' ? words(io, { en: ' Not proven.', zh: '未获证实。' }) : ''
  return words(io, {
    en: `${name}: ${win} won, ${tie} tied, ${loss} lost.${span === '' ? '' : ` ${span}.`}${end}`,
    zh: `${name}：胜 ${win}，平 ${tie}，负 ${loss}。${span === '' ? '' : `${span}。`}${end}`
  })
}

/** What the verdicts come to; of a blind trial only how far one is, until all is judged. */
export function outcomeText(whole: Trial, options: Naming, io: Io): string {
  const { sides, tallies, bests, rows } = whole
  const judged = rows.filter(({ verdict }) => verdict !== null).length
  if (isHidden(whole, options.names === true))
    return words(io, {
      en: `${judged} of ${rows.length} judged. The sides are named when all is, or with --names.`,
      zh: `已评判 ${judged} / ${rows.length}。全部评判后显示名称，或使用 --names。`
    })
  const [tally] = tallies
  if (tally !== undefined && sides.length === 2) return tallyText(sides[1]?.label ?? '', tally, io)
  const first = sides[0]?.label ?? ''
  const heads =
    io.language === 'zh'
      ? ['一方', '唯一最佳', '占比', '并列最佳', `对 ${first} 胜/平/负`, '不计平局的胜率']
      : ['side', 'best alone', 'share', 'with others', `w/t/l against ${first}`, 'of the decided']
  return table([
    heads,
    ...sides.map(({ label }, place) => {
      const [best, pair] = [bests[place], place === 0 ? undefined : tallies[place - 1]]
      return [
        label,
        String(best?.alone ?? 0),
        best === undefined ? '-' : shareText(best, io) || '-',
        String(best?.together ?? 0),
        pair === undefined ? '-' : standing(pair),
        pair === undefined ? '-' : shareText(pair, io) || '-'
      ]
    })
  ])
}

function answerText(answer: TrialAnswer | null, io: Io): string {
  if (answer === null) return '-'
  return answer.kind === 'text' ? answer.text : `(${words(io, answer.why)})`
}

/** A trial with its answers, verdicts and what they come to. */
export function trialText(whole: Trial, options: Naming, io: Io): string {
  const { id, name, sides, rows } = whole
  const hidden = isHidden(whole, options.names === true)
  const notes = sides.flatMap(({ note }) => (note === null || hidden ? [] : [words(io, note)]))
  const blind = words(io, { en: 'Blind trial', zh: '盲评' })
  const given = givenName(whole)
  const title = !hidden ? name : given === null ? blind : `${blind}: ${given}`
  return [
    `${title} [${id}]`,
    ...notes,
    ...rows.flatMap((row, index) => {
      const order = orderOf(whole, row)
      const lines = order.map((place, at) => {
        const label = hidden ? '' : ` ${sides[place]?.label ?? ''}`
        return `${letterOf(at)}${label}: ${answerText(row.answers[place] ?? null, io)}`
      })
      const { verdict } = row
      const nameOf = (place: number, at: number): string =>
        hidden ? letterOf(at) : (sides[place]?.label ?? '')
      return [
        '',
        `${index + 1}. ${row.prompt}`,
        ...lines,
        ...(verdict === null ? [] : [`→ ${verdictWord(verdict, order, nameOf)}`])
      ]
    }),
    '',
    outcomeText(whole, options, io)
  ].join('\n')
}
