import type { Check, PreflightReport, Verdict } from '../contract/preflight'
import type { Text } from '../contract/text'
import { words, type Io } from './output'

const marks: Readonly<Record<Verdict, Text>> = {
  fail: { en: 'FIX', zh: '须解决' },
  warn: { en: 'KNOW', zh: '留意' },
  unknown: { en: '?', zh: '未知' },
  pass: { en: 'ok', zh: '正常' },
  skip: { en: '-', zh: '跳过' }
}

/** By what to do next: one's own click or command first, then what only a reason can pass, and so on. */
const groups: readonly { title: Text; holds: (check: Check) => boolean }[] = [
  {
    title: { en: 'Change first: the stack would refuse', zh: '先解决：否则运行栈会拒绝启动' },
    holds: ({ verdict, judgement }) => verdict === 'fail' && !judgement
  },
  {
    title: {
      en: 'Change, or say why it may stay (launch --because)',
      zh: '解决，或说明为何可以保留（launch --because）'
    },
    holds: ({ verdict, judgement }) => verdict === 'fail' && judgement
  },
  { title: { en: 'Worth knowing', zh: '值得留意' }, holds: ({ verdict }) => verdict === 'warn' },
  {
    title: { en: 'Could not be found out', zh: '无法判断' },
    holds: ({ verdict }) => verdict === 'unknown'
  },
  { title: { en: 'Fine', zh: '正常' }, holds: ({ verdict }) => verdict === 'pass' },
  { title: { en: 'Does not arise here', zh: '不适用' }, holds: ({ verdict }) => verdict === 'skip' }
]

/** One check as lines of a terminal; what needs nothing takes one line. */
export function checkLines(check: Check, io: Io): string[] {
  const head = `${words(io, marks[check.verdict])}  ${words(io, check.title)} [${check.id}]`
  const said = words(io, check.evidence)
  if (check.verdict === 'pass' || check.verdict === 'skip') return [`${head}: ${said}`]
  const rest = [check.why, check.remedy].flatMap((text) =>
    text === undefined ? [] : [words(io, text)]
  )
  const command = check.command === undefined ? [] : [`$ ${check.command}`]
  return [head, ...[said, ...rest, ...command].map((line) => `    ${line}`)]
}

/** A whole report as lines of a terminal, grouped by what to do next. */
export function reportLines(report: PreflightReport, io: Io): string[] {
  const lines = groups.flatMap(({ title, holds }) => {
    const own = report.checks.filter(holds)
    if (own.length === 0) return []
    return [`${words(io, title)} (${own.length})`, ...own.flatMap((one) => checkLines(one, io)), '']
  })
  return [...lines, words(io, summary(report))]
}

function summary({ checks, took }: PreflightReport): Text {
  const count = (verdict: Verdict): number =>
    checks.filter((check) => check.verdict === verdict).length
  const seconds = (took / 1000).toFixed(1)
  return {
    en: `${count('fail')} to fix, ${count('warn')} worth knowing, ${count('unknown')} unknown, ${count('pass')} fine; ${seconds} s`,
    zh: `${count('fail')} 项须解决，${count('warn')} 项值得留意，${count('unknown')} 项未知，${count('pass')} 项正常；用时 ${seconds} 秒`
  }
}
