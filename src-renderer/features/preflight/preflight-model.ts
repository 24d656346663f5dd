import type { Check, PreflightReport, Verdict } from '@contract/preflight'

/** What a person does about a check. */
export type NextStep = 'fix' | 'know' | 'unknown' | 'fine' | 'skipped'

const steps: Record<Verdict, NextStep> = {
  fail: 'fix',
  warn: 'know',
  unknown: 'unknown',
  pass: 'fine',
  skip: 'skipped'
}

/** Checks by what to do next, the most pressing first; empty groups are left out. */
export function byNextStep(
  checks: readonly Check[]
): { step: NextStep; checks: readonly Check[] }[] {
  const order: readonly NextStep[] = ['fix', 'know', 'unknown', 'fine', 'skipped']
  return order
    .map((step) => ({ step, checks: checks.filter((one) => steps[one.verdict] === step) }))
    .filter((group) => group.checks.length > 0)
}

/** Checks by what they are about, in the order they stand. */
export function byArea(
  checks: readonly Check[]
): { area: Check['group']; checks: readonly Check[] }[] {
  const areas = [...new Set(checks.map((check) => check.group))]
  return areas.map((area) => ({ area, checks: checks.filter((check) => check.group === area) }))
}

/** Whether a launch may go on, as far as preflight has come. */
export type Gate =
  | { kind: 'running' }
  /** Something the stack itself refuses. */
  | { kind: 'blocked'; count: number }
  /** Only judgements are left, and nobody has said why they are all right. */
  | { kind: 'ask-why'; count: number }
  | { kind: 'clear' }

/** `failed`: preflight itself could not be asked; the engine looks once more at the launch. */
export function gateOf(report: PreflightReport | null, because: string, failed = false): Gate {
  if (failed) return { kind: 'clear' }
  if (report === null) return { kind: 'running' }
  const fails = report.checks.filter((check) => check.verdict === 'fail')
  const refused = fails.filter((check) => !check.judgement)
  if (refused.length > 0) return { kind: 'blocked', count: refused.length }
  if (report.running.length > 0) return { kind: 'running' }
  if (fails.length > 0 && because.trim() === '') return { kind: 'ask-why', count: fails.length }
  return { kind: 'clear' }
}
