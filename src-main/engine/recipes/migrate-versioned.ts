import type { Fix, Finding } from '../../contract/recipes'
import type { Text } from '../../contract/text'
import { canonical } from './fields'
import { checkRecipe, readReef } from './check'
import { applyEdits, setField } from './edit'
import { recipeBatch } from './arithmetic'
import { renamedField } from './rules/structure-rules'

export interface Migration {
  text: string
  changes: Text[]
  /** Why nothing was changed although something should have been; it is among the changes too. */
  refused?: Text
}

/** Rules whose fixes together carry a version 2 file into the newest generation. */
const GENERATION_RULES: ReadonlySet<string> = new Set([
  'v2/unknown-field',
  'reef/engine-flag',
  'reef/placement-flag'
])

/** Each fix is made against the text the one before left, so this many bounds a file that never settles. */
const MOST_FIXES = 200

/** Carries a `schema-version: 2` file into the newest generation, in place: comments, order and quoting stay. */
export function migrateVersioned(text: string): Migration & { touched: ReadonlySet<string> } {
  const changes: Text[] = []
  const touched = new Set<string>()
  let current = keepBatch(text, changes)
  for (let round = 0; round < MOST_FIXES; round += 1) {
    const found = nextFix(current)
    if (found === undefined) break
    current = applyEdits(current, found.fix.edits)
    touched.add(canonical(found.finding.path))
    changes.push({
      en: `${found.finding.path}: ${found.fix.title.en}`,
      zh: `${found.finding.path}：${found.fix.title.zh}`
    })
  }
  changes.push(...leftAlone(current))
  return { text: current, changes, touched }
}

/** What the newest generation refuses and nobody can change here without knowing more. */
function leftAlone(text: string): Text[] {
  return checkRecipe({ path: '', text, generation: 'C' })
    .findings.filter((one) => GENERATION_RULES.has(one.rule) && !carries(one))
    .map(({ message, line }) => ({
      en: `line ${line} is left as it is: ${message.en}`,
      zh: `第 ${line} 行保持原样：${message.zh}`
    }))
}

/** Whether a finding's fix is a step to the newest generation; a slip of the pen is mended by whoever wrote it. */
function carries({ rule, path, fix }: Finding): boolean {
  if (fix === undefined || !GENERATION_RULES.has(rule)) return false
  return rule !== 'v2/unknown-field' || renamedField(path) !== undefined
}

function nextFix(text: string): { finding: Finding; fix: Fix } | undefined {
  for (const finding of checkRecipe({ path: '', text, generation: 'C' }).findings) {
    if (finding.fix !== undefined && carries(finding)) return { finding, fix: finding.fix }
  }
  return undefined
}

/** SAO's default batch grew from 1 to 128: an older file that relied on it gets the number written down. */
function keepBatch(text: string, changes: Text[]): string {
  const before = readReef({ path: '', text })
  if (before === null || before.generation === 'C') return text
  const batch = recipeBatch(before)
  if (batch?.omitted !== true || before.family?.batch?.C === batch.size) return text
  const edits = setField(before, 'recipe.config.batch-size', String(batch.size))
  if (before.family?.shape === 'grid' || edits === null) return text
  changes.push({
    en: `recipe.config.batch-size: ${batch.size}, the default so far, is written down`,
    zh: `recipe.config.batch-size：写明此前的默认值 ${batch.size}`
  })
  return applyEdits(text, edits)
}
