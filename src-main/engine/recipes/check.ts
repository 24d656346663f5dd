import { basename } from 'node:path'
import type { Override } from '../../contract/launch'
import type {
  Dialect,
  Finding,
  Generation,
  RecipeCheck,
  ResolvedValue,
  Severity
} from '../../contract/recipes'
import { sourceHoldsCredential } from './credentials'
import { detectDialect, detectGeneration, flavourOf } from './dialect'
import { emptyFacts, reefFacts } from './facts'
import { modelByName, type ModelFacts } from './models'
import {
  moduleRules,
  moduleSubject,
  NexrlRecipe,
  nexrlFacts,
  nexrlResolved,
  nexrlRules,
  recipeModules
} from './nexrl'
import { lastPart, ReefRecipe } from './reef-recipe'
import { resolvedTable } from './resolved-table'
import { fillText, type Hit, type Rule } from './rule'
import { reefRules } from './rule-book'
import { modelRules } from './rules/model-rules'
import { shapeRules } from './rules/shape-rules'
import { yamlRules } from './rules/yaml-rules'
import { holdsCredential, redactDeep, redactor } from '../lib'
import { isSecretName, secretValues, type Value } from './value'
import { parseYaml } from './yaml-parse'
import { type YamlSource } from './yaml-tree'

export type Environment = Readonly<Record<string, string | undefined>>

/** Everything a check looks at. Nothing else is read: same input, same findings. */
export interface CheckInput {
  /** Path of the recipe; its name is shown, the file is not read. */
  path: string
  text: string
  /** Texts of files beside the recipe, by file name (for `defaults` of NexRL). */
  siblings?: Readonly<Record<string, string>>
  /** Texts of Python files a NexRL recipe names, by the path written there; null: not there. */
  modules?: Readonly<Record<string, string | null>>
  /** Environment the stack will be started with. */
  environment?: Environment
  overrides?: readonly Override[]
  dialect?: Dialect | undefined
  generation?: Generation | undefined
  /** From the model's own files where they could be read; otherwise its name is looked at. */
  model?: ModelFacts | null
}

/** Findings of one rule in one text; who has mended so many sees the next ones then. */
const MOST_OF_ONE_RULE = 1_000

/** A section nobody knows by its name comes before what is said about its fields. */
const MISSPELT = 'v2/misspelt-section'

const RANK: Readonly<Record<Severity, number>> = { error: 0, warning: 1, hint: 2 }

/** Reads, resolves and judges one recipe. Never throws on any text. */
export function checkRecipe(input: CheckInput): RecipeCheck {
  const started = performance.now()
  const source = parseYaml(input.text, flavourOf(input.text, input.dialect))
  const dialect = input.dialect ?? detectDialect(source)
  const generation = generationOf(source, dialect, input.generation)
  const findings = new Findings(dialect, generation)
  const parts = judge(input, source, { dialect, generation, findings })
  findings.run(yamlRules, { source, dialect, cut: parts.cut })
  const { summary, findings: told } = findings.counted()
  const { resolved, facts } = parts
  const took = performance.now() - started
  const check = { dialect, generation, findings: told, summary, resolved, facts, took }
  return holdsCredentials(input, source, parts) ? masked(check, input, parts) : check
}

/** Whether anything a check says could show a credential: what it says comes from these texts and the environment. */
function holdsCredentials(input: CheckInput, source: YamlSource, { secrets }: Judged): boolean {
  const siblings = Object.values(input.siblings ?? {})
  const texts = [input.text, ...siblings]
  return (
    secrets.length > 0 ||
    sourceHoldsCredential(source) ||
    siblings.some(holdsCredential) ||
    (texts.some((text) => text.includes('${')) && secretValues(input.environment ?? {}).length > 0)
  )
}

/** The same without a secret that became part of another text, or stands where nobody looks for one. */
function masked(check: RecipeCheck, input: CheckInput, { secrets }: Judged): RecipeCheck {
  const mask = redactor([...secretValues(input.environment ?? {}), ...secrets])
  return {
    ...check,
    findings: check.findings.map((one) => ({
      ...one,
      message: redactDeep(one.message, mask),
      explanation: redactDeep(one.explanation, mask)
    })),
    resolved: check.resolved.map((row) => ({ ...row, value: mask(row.value) })),
    facts: redactDeep(check.facts, mask)
  }
}

/** Judges a Python worker or trainer for NexRL by its text; nothing is executed. Never throws. */
export function checkModule(path: string, text: string): RecipeCheck {
  const started = performance.now()
  const findings = new Findings('nexrl', null)
  findings.run(moduleRules, moduleSubject(basename(path), text))
  return {
    dialect: 'nexrl',
    generation: null,
    ...findings.counted(),
    resolved: [],
    facts: emptyFacts(path),
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

/** The recipe composed with what lies beside it; null when it is no NexRL recipe. */
export function readNexrl(input: CheckInput): NexrlRecipe | null {
  const source = parseYaml(input.text, flavourOf(input.text, input.dialect))
  if ((input.dialect ?? detectDialect(source)) !== 'nexrl') return null
  const { siblings = {}, environment = {}, overrides = [] } = input
  const name = basename(input.path)
  return new NexrlRecipe({ source, name, siblings, environment, overrides })
}

/** The layout of a text, told from what it says. */
export function dialectOf(text: string): Dialect {
  return detectDialect(parseYaml(text, flavourOf(text)))
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
  /** Credentials that the text itself holds. */
  secrets: string[]
  resolved: ResolvedValue[]
  facts: RecipeCheck['facts']
  cut: boolean
}

function judge(
  input: CheckInput,
  source: YamlSource,
  known: { dialect: Dialect; generation: Generation | null; findings: Findings }
): Judged {
  const { dialect, generation, findings } = known
  const { environment = {}, overrides = [] } = input
  if (source.problems.some((problem) => problem.code === 'too-large')) return unjudged(input, false)
  if ((dialect === 'reef-v2' || dialect === 'reef-unversioned') && generation !== null) {
    const recipe = new ReefRecipe({ source, dialect, generation, environment, overrides })
    if (recipe.tooManyFields) return unjudged(input, true)
    const model = input.model ?? modelByName(recipe.text('inference.model-path') ?? '')
    findings.run(reefRules, recipe)
    findings.run(modelRules, { recipe, model })
    findings.run(shapeRules, { recipe, model })
    return {
      secrets: writtenIn(recipe.fields()),
      resolved: resolvedTable(recipe),
      facts: reefFacts(recipe, input.path),
      cut: false
    }
  }
  if (dialect === 'nexrl') {
    const recipe = new NexrlRecipe({
      source,
      name: basename(input.path),
      siblings: input.siblings ?? {},
      modules: input.modules ?? {},
      environment,
      overrides
    })
    // What cannot be read there is missing here.
    for (const beside of recipe.beside)
      findings.run(yamlRules, { source: beside, dialect, cut: false })
    if (recipe.tooManyFields) return unjudged(input, true)
    findings.run(nexrlRules, recipe)
    for (const module of recipeModules(recipe)) findings.run(moduleRules, module)
    return {
      secrets: writtenIn(recipe.fields()),
      resolved: nexrlResolved(recipe),
      facts: nexrlFacts(recipe, input.path),
      cut: false
    }
  }
  return unjudged(input, false)
}

/** What is too large, or of no known layout, is not looked at any further. */
function unjudged(input: CheckInput, cut: boolean): Judged {
  return { secrets: [], resolved: [], facts: emptyFacts(input.path), cut }
}

/** Made-up words of a few letters are no secret worth tearing sentences for. */
const SHORTEST_WRITTEN = 8

function writtenIn(fields: Iterable<Value>): string[] {
  const found: string[] = []
  for (const { path, kind, text } of fields)
    if (kind === 'string' && text.length >= SHORTEST_WRITTEN && isSecretName(lastPart(path)))
      found.push(text)
  return found
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
      let left = MOST_OF_ONE_RULE
      for (const hit of rule.check(subject) ?? []) {
        this.add(rule, hit)
        left -= 1
        if (left === 0) break
      }
    }
  }

  /** All of them in order, and how many of each severity. */
  counted(): Pick<RecipeCheck, 'findings' | 'summary'> {
    const findings = this.sorted()
    const count = (severity: Severity): number =>
      findings.filter((one) => one.severity === severity).length
    const summary = { errors: count('error'), warnings: count('warning'), hints: count('hint') }
    return { findings, summary }
  }

  private sorted(): Finding[] {
    return [...this.found.values()].sort(
      (a, b) =>
        Number(a.file !== undefined) - Number(b.file !== undefined) ||
        Number(b.rule === MISSPELT) - Number(a.rule === MISSPELT) ||
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
    const mends = source?.file === undefined && hit.at.overridden !== true
    if (hit.fix !== undefined && hit.fix !== null && mends) finding.fix = hit.fix
    const key = `${finding.rule} ${finding.file ?? ''} ${finding.line} ${finding.column} ${finding.message.en}`
    if (!this.found.has(key)) this.found.set(key, finding)
  }
}
