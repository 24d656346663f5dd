import type { Finding, Severity } from '@contract/recipes'

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 }

/** Whether the YAML itself is wrong here, so that other findings may only follow from it. */
export const breaksText = (finding: Pick<Finding, 'rule' | 'severity'>): boolean =>
  finding.severity === 'error' && finding.rule.startsWith('yaml/')

function rankOf(finding: Finding): number {
  if (breaksText(finding)) return -2
  // A section whose name is wrong: whatever is said of its fields comes after it.
  return finding.rule === 'v2/misspelt-section' ? -1 : RANK[finding.severity]
}

/**
 * What is wrong with the YAML itself first, then a misspelt section, then what keeps the stack from starting; of a kind in
 * the text's order.
 */
export function worstFirst(findings: readonly Finding[]): Finding[] {
  return [...findings].sort((a, b) => rankOf(a) - rankOf(b) || a.line - b.line)
}

/** Whether the list needs to say what to mend first: there is something else that may follow from it. */
export const saysFirst = (findings: readonly Finding[]): boolean =>
  findings.some(breaksText) && !findings.every(breaksText)
