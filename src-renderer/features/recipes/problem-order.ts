import type { Finding, Severity } from '@contract/recipes'

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 }

/** Whether the YAML itself is wrong here, so that other findings may only follow from it. */
export const breaksText = (finding: Pick<Finding, 'rule' | 'severity'>): boolean =>
  finding.severity === 'error' && finding.rule.startsWith('yaml/')

/** What is wrong with the YAML itself first, then what keeps the stack from starting; of a kind in the text's order. */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  const rank = (finding: Finding): number => (breaksText(finding) ? -1 : RANK[finding.severity])
  return [...findings].sort((a, b) => rank(a) - rank(b) || a.line - b.line)
}

/** Whether the list needs to say what to mend first: there is something else that may follow from it. */
export const saysFirst = (findings: readonly Finding[]): boolean =>
  findings.some(breaksText) && !findings.every(breaksText)
