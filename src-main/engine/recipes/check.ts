import type { Override } from '../../contract/launch'
import type {
  Dialect,
  Finding,
  Generation,
  RecipeCheck,
  ResolvedValue,
  Severity
} from '../../contract/recipes'
import { detectDialect, detectGeneration, flavourOf } from './dialect'
import { emptyFacts, reefFacts } from './facts'
import { modelByName, type ModelFacts } from './models'
import { NexrlRecipe, nexrlFacts, nexrlResolved, nexrlRules } from './nexrl'
import { ReefRecipe } from './reef-recipe'
import { resolvedTable } from './resolved-table'
import { fillText, type Hit, type Rule } from './rule'
import { reefRules } from './rule-book'
import { modelRules } from './rules/model-rules'
import { yamlRules } from './rules/yaml-rules'
import { parseYaml, type YamlSource } from './yaml-tree'

export type Environment = Readonly<Record<string, string | undefined>>

/** Everything a check looks at. Nothing else is read: same input, same findings. */
export interface CheckInput {
  /** Path of the recipe; its name is shown, the file is not read. */
  path: string
  text: string
  /** Texts of files beside the recipe, by file name (for `defaults` of NexRL). */
  siblings?: Readonly<Record<string, string>>
  /** Environment the stack will be started with. */
  environment?: Environment
  overrides?: readonly Override[]
  dialect?: Dialect | undefined
  generation?: Generation | undefined
  /** From the model's own files where they could be read; otherwise its name is looked at. */
  model?: ModelFacts | null
}

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 }

/** Reads, resolves and judges one recipe. Never throws on any text. */
export function checkRecipe(input: CheckInput): RecipeCheck {
  const started = performance.now()
  const source = parseYaml(input.text, flavourOf(input.text, input.dialect))
  const dialect = input.dialect ?? detectDialect(source)
  const generation = generationOf(source, dialect, input.generation)
  const findings = new Findings(dialect, generation)
  const parts = judge(input, source, { dialect, generation, findings })
  findings.run(yamlRules, { source, dialect, unfolds: parts.unfolds })
  const sorted = findings.sorted()
  const count = (severity: Severity): number =>
    sorted.filter((one) => one.severity === severity).length
  return {
    dialect,
    generation,
    findings: sorted,
    resolved: parts.resolved,
    facts: parts.facts,
    summary: { errors: count('error'), warnings: count('warning'), hints: count('hint') },
    took: performance.now() - started
  }
}

/** The recipe as a resolved tree; null when it is not a Reef recipe. */
export function readReef(input: CheckInput): ReefRecipe | null {
  const source = parseYaml(input.text, flavourOf(input.text, input.dialect))
  const dialect = input.dialect ?? detectDialect(source)
  const generation = generationOf(source, dialect, input.generation)
  if ((dialect !== 'reef-v2' && dialect !== 'reef-unversioned') || generation === null) return null
  const { environment = {}, overrides = [] } = input
  return new ReefRecipe({ source, dialect, generation, environment, overrides })
}

function generationOf(
  source: YamlSource,
  dialect: Dialect,
  asked: Generation | undefined
): Generation | null {
  if (dialect !== 'reef-v2' && dialect !== 'reef-unversioned') return null
  return asked ?? detectGeneration(source, dialect)
}

interface Judged {
  resolved: ResolvedValue[]
  facts: RecipeCheck['facts']
  unfolds: boolean
}

function judge(
  input: CheckInput,
  source: YamlSource,
  known: { dialect: Dialect; generation: Generation | null; findings: Findings }
): Judged {
  const { dialect, generation, findings } = known
  const { environment = {}, overrides = [] } = input
  if ((dialect === 'reef-v2' || dialect === 'reef-unversioned') && generation !== null) {
    const recipe = new ReefRecipe({ source, dialect, generation, environment, overrides })
    const model = input.model ?? modelByName(recipe.text('inference.model-path') ?? '')
    findings.run(reefRules, recipe)
    findings.run(modelRules, { recipe, model })
    return {
      resolved: resolvedTable(recipe),
      facts: reefFacts(recipe, input.path),
      unfolds: recipe.tooManyFields
    }
  }
  if (dialect === 'nexrl') {
    const recipe = new NexrlRecipe({
      source,
      siblings: input.siblings ?? {},
      environment,
      overrides
    })
    findings.run(nexrlRules, recipe)
    return {
      resolved: nexrlResolved(recipe),
      facts: nexrlFacts(recipe, input.path),
      unfolds: recipe.tooManyFields
    }
  }
  return { resolved: [], facts: emptyFacts(input.path), unfolds: false }
}

/** Collects findings, each once. */
class Findings {
  private readonly found = new Map<string, Finding>()

  constructor(
    private readonly dialect: Dialect,
    private readonly generation: Generation | null
  ) {}

  run<Subject>(rules: readonly Rule<Subject>[], subject: Subject): void {
    for (const rule of rules) {
      if (!rule.dialects.includes(this.dialect)) continue
      const generations = rule.generations
      if (
        generations !== undefined &&
        this.generation !== null &&
        !generations.includes(this.generation)
      )
        continue
      for (const hit of rule.check(subject) ?? []) this.add(rule, hit)
    }
  }

  sorted(): Finding[] {
    return [...this.found.values()].sort(
      (a, b) =>
        Number(a.file !== undefined) - Number(b.file !== undefined) ||
        a.line - b.line ||
        RANK[a.severity] - RANK[b.severity] ||
        a.column - b.column
    )
  }

  private add<Subject>(rule: Rule<Subject>, hit: Hit): void {
    const { span, source } = hit.at
    const start = span === undefined ? undefined : source?.positionOf(span.start)
    const end = span === undefined ? undefined : source?.positionOf(Math.max(span.end, span.start))
    const finding: Finding = {
      rule: rule.id,
      severity: hit.severity ?? rule.severity,
      path: hit.at.path,
      line: start?.line ?? 0,
      column: start?.column ?? 0,
      endLine: end?.line ?? 0,
      endColumn: end?.column ?? 0,
      message: fillText(rule.message, hit.args),
      explanation: fillText(rule.explanation, hit.args),
      source: rule.source
    }
    if (source?.file !== undefined) finding.file = source.file
    if (rule.generations !== undefined) finding.generations = [...rule.generations]
    if (hit.fix !== undefined && hit.fix !== null && source?.file === undefined)
      finding.fix = hit.fix
    const key = `${finding.rule} ${finding.file ?? ''} ${finding.line} ${finding.column} ${finding.message.en}`
    if (!this.found.has(key)) this.found.set(key, finding)
  }
}
