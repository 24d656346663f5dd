import type { Check } from '../../contract/preflight'
import type { Finding, RecipeCheck } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import type { CheckSpec } from './check-spec'

const verdictOf: Readonly<Record<Finding['severity'], Check['verdict']>> = {
  error: 'fail',
  warning: 'warn',
  hint: 'pass'
}

// A misspelt section comes before what is said of its fields; then batch and loss agreement, which most failed launches die of.
const pressing: readonly RegExp[] = [/^v2\/misspelt-section$/, /batch|loss|grid|group/]

function rankOf({ rule }: Finding): number {
  const at = pressing.findIndex((pattern) => pattern.test(rule))
  return at === -1 ? pressing.length : at
}

function place(finding: Finding): Text {
  if (finding.line === 0) return { en: '', zh: '' }
  const { file, line } = finding
  const en = file === undefined ? `line ${line}` : `${file}, line ${line}`
  const zh = file === undefined ? `第 ${line} 行` : `${file} 第 ${line} 行`
  return { en: ` (${en})`, zh: `（${zh}）` }
}

function specOf(finding: Finding, index: number): CheckSpec<unknown> {
  const where = place(finding)
  return {
    id: `recipe/${finding.rule}/${index}`,
    group: 'recipe',
    title: { en: finding.path || finding.rule, zh: finding.path || finding.rule },
    deadline: 1000,
    run: () =>
      Promise.resolve({
        verdict: verdictOf[finding.severity],
        evidence: { en: finding.message.en + where.en, zh: finding.message.zh + where.zh },
        why: finding.explanation,
        ...(finding.fix === undefined
          ? {}
          : {
              remedy: finding.fix.title,
              fix: { kind: 'edit' as const, title: finding.fix.title, rule: finding.rule }
            })
      })
  }
}

/** What has a check of its own, which knows the keys that the launch really gets. */
const JUDGED_ELSEWHERE: ReadonlySet<string> = new Set(['service/open', 'nexrl/missing-variable'])

/** The editor marks every place; for a launch the same words once are enough. */
function once(findings: readonly Finding[]): Finding[] {
  const said = new Set<string>()
  return findings.filter(({ rule, message }) => {
    const key = `${rule} ${message.en}`
    if (JUDGED_ELSEWHERE.has(rule) || said.has(key)) return false
    said.add(key)
    return true
  })
}

/** The checker's findings as checks, hints left out: they are advice for the editor, not for a launch. */
export function findingChecks(recipe: RecipeCheck): CheckSpec<unknown>[] {
  const shown = once(recipe.findings.filter(({ severity }) => severity !== 'hint'))
  if (shown.length === 0)
    return [
      {
        id: 'recipe',
        group: 'recipe',
        title: { en: 'Recipe', zh: '配方' },
        deadline: 1000,
        run: () =>
          Promise.resolve({
            verdict: 'pass',
            evidence:
              recipe.summary.errors + recipe.summary.warnings === 0
                ? {
                    en: `No error and no warning; ${recipe.summary.hints} hints.`,
                    zh: `没有错误和警告；${recipe.summary.hints} 条提示。`
                  }
                : {
                    en: `Nothing but what other checks here judge; ${recipe.summary.hints} hints.`,
                    zh: `除由其他检查项判断的以外没有问题；${recipe.summary.hints} 条提示。`
                  }
          })
      }
    ]
  return [...shown].sort((a, b) => rankOf(a) - rankOf(b)).map(specOf)
}
