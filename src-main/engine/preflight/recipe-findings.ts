import type { Check } from '../../contract/preflight'
import type { Finding, RecipeCheck } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import type { CheckSpec } from './check-spec'

const verdictOf: Readonly<Record<Finding['severity'], Check['verdict']>> = {
  error: 'fail',
  warning: 'warn',
  hint: 'pass'
}

// Batch and loss agreement come first: they are what most failed launches die of.
const first = /batch|loss|grid|group/

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

/** The checker's findings as checks, hints left out: they are advice for the editor, not for a launch. */
export function findingChecks(recipe: RecipeCheck): CheckSpec<unknown>[] {
  const shown = recipe.findings.filter((finding) => finding.severity !== 'hint')
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
            evidence: {
              en: `No error and no warning; ${recipe.summary.hints} hints.`,
              zh: `没有错误和警告；${recipe.summary.hints} 条提示。`
            }
          })
      }
    ]
  return [...shown]
    .sort((a, b) => Number(first.test(b.rule)) - Number(first.test(a.rule)))
    .map(specOf)
}
