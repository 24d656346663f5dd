import { writeFile } from 'node:fs/promises'
import { dirname, isAbsolute, join } from 'node:path'
import type { Command } from 'commander'
import type { Override } from '../contract/launch'
import type { Finding, RecipeCheck, Severity } from '../contract/recipes'
import { Dialect, Generation } from '../contract/recipes'
import type { Text } from '../contract/text'
import { FailureError } from '../engine/lib'
import {
  checkModule,
  checkRecipe,
  gatherInput,
  migrateRecipe,
  nearestRules,
  parseEnvFile,
  readRecipeText,
  refuseBroken,
  refuseEmpty,
  ruleBook,
  ruleById,
  ruleFix,
  type CheckInput
} from '../engine/recipes'
import { EXIT, label, table, words, type Io } from './output'
import { addSetOption, overridesOf } from './set-pairs'

interface Options {
  dialect?: string
  generation?: string
  env?: string
  json?: boolean
  strict?: boolean
  set?: string[]
  write?: boolean
}

/** `slipway check`, `explain`, `resolve` and `migrate`: recipes without a window and without an engine. */
export function registerRecipeCommands(program: Command, io: Io): void {
  const reading = (name: string, description: string): Command =>
    addSetOption(
      program
        .command(name)
        .description(description)
        .argument('<file>', 'recipe file')
        .option('--dialect <dialect>', 'reef-unversioned, reef-v2 or nexrl (default: detected)')
        .option('--generation <generation>', 'A, B or C (default: detected)')
        .option('--env <file>', 'NAME=value lines to use instead of the own environment')
        .option('--json', 'print JSON')
    )
  reading(
    'check',
    'find mistakes in a recipe, or in a Python worker or trainer for NexRL; exit 0 without errors, 1 with errors, 2 unreadable'
  )
    .option('--strict', 'exit 3 when there are warnings but no errors')
    .action(async (file: string, _options: Options, command: Command) => {
      io.exit(await check(file, command.optsWithGlobals<Options>(), io))
    })
  reading('resolve', 'print every field with its value and where that comes from').action(
    async (file: string, _options: Options, command: Command) => {
      io.exit(await resolve(file, command.optsWithGlobals<Options>(), io))
    }
  )
  program
    .command('migrate')
    .description('print the recipe in the newest form')
    .argument('<file>', 'recipe file')
    .option('--write', 'replace the file instead of printing')
    .option('--json', 'print JSON')
    .action(async (file: string, _options: Options, command: Command) => {
      io.exit(await migrate(file, command.optsWithGlobals<Options>(), io))
    })
  program
    .command('explain')
    .description('explain a rule, or list all rules')
    .argument('[rule]', 'rule id, e.g. batch/agreement')
    .option('--json', 'print JSON')
    .action((rule: string | undefined, _options: Options, command: Command) => {
      io.exit(explain(rule, command.optsWithGlobals<Options>(), io))
    })
}

async function check(file: string, options: Options, io: Io): Promise<number> {
  const result = await checked(file, options, io)
  if (result === null) return EXIT.unreadable
  if (options.json === true) io.out(JSON.stringify(checkJson(result, io), null, 2))
  else printFindings(file, result, io)
  if (result.summary.errors > 0) return EXIT.failed
  return options.strict === true && result.summary.warnings > 0 ? EXIT.strict : EXIT.ok
}

/** A recipe with what lies beside it, or a Python worker or trainer on its own. */
async function checked(file: string, options: Options, io: Io): Promise<RecipeCheck | null> {
  if (file.endsWith('.py')) {
    const text = await textOf(file, options, io)
    return text === null ? null : checkModule(file, text)
  }
  const input = await inputOf(file, options, io)
  return input === null ? null : checkRecipe(input)
}

function checkJson(result: RecipeCheck, io: Io): object {
  const { dialect, generation, summary } = result
  return {
    dialect,
    generation,
    findings: result.findings.map((one) => findingJson(one, io)),
    summary
  }
}

/** Sentences in the asked language under the short names, both languages beside them. */
function findingJson(finding: Finding, io: Io): object {
  const { rule, severity, path, file, line, column, endLine, endColumn, source, fix } = finding
  return {
    rule,
    severity,
    path,
    ...(file === undefined ? {} : { file }),
    line,
    column,
    endLine,
    endColumn,
    message: words(io, finding.message),
    texts: { message: finding.message, explanation: finding.explanation },
    source,
    ...(finding.generations === undefined ? {} : { generations: finding.generations }),
    ...(fix === undefined ? {} : { fix: { title: words(io, fix.title), edits: fix.edits } })
  }
}

function printFindings(file: string, result: RecipeCheck, io: Io): void {
  for (const finding of result.findings) {
    const named = finding.file === undefined ? file : beside(file, finding.file)
    const place = finding.line === 0 ? named : `${named}:${finding.line}:${finding.column}`
    const severity = label(io, severityNames[finding.severity])
    io.out(`${place}: ${severity}${words(io, finding.message)} [${finding.rule}]`)
    if (finding.fix !== undefined)
      io.out(`    ${label(io, { en: 'fix', zh: '修复' })}${words(io, finding.fix.title)}`)
  }
  const { errors, warnings, hints } = result.summary
  const kind =
    result.generation === null ? result.dialect : `${result.dialect}, ${result.generation}`
  io.out(
    words(io, {
      en: `${kind}: ${counted(errors, 'error')}, ${counted(warnings, 'warning')}, ${counted(hints, 'hint')}`,
      zh: `${kind}：${errors} 个错误，${warnings} 个警告，${hints} 个提示`
    })
  )
}

/** A file beside the recipe as a terminal finds it: counted from the working folder, as the recipe's own path is. */
function beside(recipe: string, file: string): string {
  return isAbsolute(file) ? file : join(dirname(recipe), file)
}

function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? '' : 's'}`
}

const severityNames: Readonly<Record<Severity, Text>> = {
  error: { en: 'error', zh: '错误' },
  warning: { en: 'warning', zh: '警告' },
  hint: { en: 'hint', zh: '提示' }
}

async function resolve(file: string, options: Options, io: Io): Promise<number> {
  const input = await inputOf(file, options, io)
  if (input === null || broken(input, options, io)) return EXIT.unreadable
  const { dialect, generation, resolved, facts, findings, summary } = checkRecipe(input)
  if (options.json === true) {
    io.out(JSON.stringify({ dialect, generation, resolved, facts, summary }, null, 2))
    return EXIT.ok
  }
  io.out(table(resolved.map((row) => [row.path, row.value, originWord(row.origin, file)])))
  for (const sentence of facts.sentences) io.out(words(io, sentence))
  // The stack would refuse these values: whoever reads them must not take them for what will be.
  for (const { severity, message, rule } of findings)
    if (severity === 'error')
      io.err(`${label(io, severityNames.error)}${words(io, message)} [${rule}]`)
  return EXIT.ok
}

function originWord(origin: RecipeCheck['resolved'][number]['origin'], recipe: string): string {
  switch (origin.kind) {
    case 'file':
      return origin.file === ''
        ? `line ${origin.line}`
        : `${beside(recipe, origin.file)}:${origin.line}`
    case 'environment':
      return `environment ${origin.name} (${origin.set})`
    case 'derived':
      return `from ${origin.from.join(', ')}`
    case 'override':
    case 'default':
      return origin.kind
  }
}

async function migrate(file: string, options: Options, io: Io): Promise<number> {
  const text = await textOf(file, options, io)
  if (text === null || broken({ path: file, text }, options, io)) return EXIT.unreadable
  const result = migrateRecipe({ path: file, text })
  if (result.refused !== undefined) {
    sayFailure(
      new FailureError({ code: 'recipe-not-migrated', what: result.refused, where: file }),
      options,
      io
    )
    return EXIT.failed
  }
  if (options.json === true) io.out(JSON.stringify(result, null, 2))
  else for (const change of result.changes) io.err(words(io, change))
  const changed = result.text !== text
  if (options.write === true && changed) await writeFile(file, result.text)
  if (options.json === true) return EXIT.ok
  io.out(
    options.write === true ? words(io, written(file, changed)) : result.text.replace(/\n$/, '')
  )
  return EXIT.ok
}

function written(file: string, changed: boolean): Text {
  return changed
    ? { en: `${file} is now in the newest form.`, zh: `${file} 已改为最新格式。` }
    : {
        en: `${file} is in the newest form already; nothing was changed.`,
        zh: `${file} 已是最新格式，未作改动。`
      }
}

/** True when the text is no recipe at all, which has been said. */
function broken(input: CheckInput, options: Options, io: Io): boolean {
  try {
    refuseBroken(input)
    return false
  } catch (thrown) {
    if (!(thrown instanceof FailureError)) throw thrown
    sayFailure(thrown, options, io)
    return true
  }
}

function explain(id: string | undefined, options: Options, io: Io): number {
  if (id === undefined) {
    const rows = ruleBook.map((rule) => [rule.id, rule.severity, words(io, inShort(rule))])
    io.out(options.json === true ? JSON.stringify(ruleBook.map(ruleJson), null, 2) : table(rows))
    return EXIT.ok
  }
  const rule = ruleById(id)
  if (rule === undefined) {
    sayFailure(unknownRule(id), options, io)
    return EXIT.unreadable
  }
  if (options.json === true) {
    io.out(JSON.stringify(ruleJson(rule), null, 2))
    return EXIT.ok
  }
  const fix = ruleFix(rule.id)
  const generations = rule.generations?.join(', ') ?? words(io, { en: 'all', zh: '全部' })
  const none = { en: 'none that can be made for you', zh: '没有可自动完成的修复' }
  io.out(`${rule.id} (${words(io, severityNames[rule.severity])})`)
  io.out(words(io, inShort(rule)))
  io.out('')
  io.out(words(io, rule.explanation))
  io.out('')
  io.out(`${label(io, { en: 'Dialects', zh: '格式' })}${rule.dialects.join(', ')}`)
  io.out(`${label(io, { en: 'Generations', zh: '代际' })}${generations}`)
  io.out(`${label(io, { en: 'Fix', zh: '修复' })}${words(io, fix ?? none)}`)
  io.out(`${label(io, { en: 'Source', zh: '来源' })}${rule.source}`)
  return EXIT.ok
}

/** What a rule says without the text it is said of; one that only quotes says what it is about. */
function inShort({ message, explanation }: (typeof ruleBook)[number]): Text {
  const short = (text: string, more: string): string => {
    const shown = text.replace(/\{\w+\}/g, '…')
    return /\p{L}{2}/u.test(shown) ? shown : (/^.*?[.。](?=\s|$|[^\d.])/.exec(more)?.[0] ?? more)
  }
  return {
    en: short(message.en, explanation.en),
    zh: short(message.zh, explanation.zh)
  }
}

function unknownRule(id: string): FailureError {
  if (id.trim() === '')
    return new FailureError({
      code: 'rule-not-found',
      what: { en: 'The name of the rule is empty.', zh: '规则名称为空。' },
      remedy: {
        en: 'Give one such as batch/agreement; "slipway explain" alone lists all rules.',
        zh: '请给出规则名称，例如 batch/agreement；单独运行 “slipway explain” 可列出全部规则。'
      }
    })
  const near = nearestRules(id)
  const list = near.join(', ')
  return new FailureError({
    code: 'rule-not-found',
    what: { en: `There is no rule ${id}.`, zh: `没有规则 ${id}。` },
    where: id,
    remedy:
      near.length === 0
        ? {
            en: '"slipway explain" lists all rules.',
            zh: '“slipway explain” 可列出全部规则。'
          }
        : {
            en: `Did you mean ${list}? "slipway explain" lists all rules.`,
            zh: `是否指 ${list}？“slipway explain” 可列出全部规则。`
          }
  })
}

function ruleJson(rule: (typeof ruleBook)[number]): object {
  const { id, severity, dialects, generations = null, message, explanation, source } = rule
  const fix = ruleFix(id) ?? null
  return { id, severity, dialects, generations, message, explanation, fix, source }
}

async function inputOf(file: string, options: Options, io: Io): Promise<CheckInput | null> {
  const text = await textOf(file, options, io)
  const dialect = parsed(Dialect, 'dialect', options.dialect, options, io)
  const generation = parsed(Generation, 'generation', options.generation, options, io)
  if (text === null || dialect === null || generation === null) return null
  const envText =
    options.env === undefined ? undefined : await textOf(options.env, options, io, 'may be empty')
  if (envText === null) return null
  const overrides = pairsOf(options, io)
  if (overrides === null) return null
  const environment = envText === undefined ? process.env : parseEnvFile(envText)
  const base: CheckInput = { path: file, text, environment, overrides, dialect, generation }
  const model = checkRecipe(base).facts.model
  return gatherInput(base, model)
}

/** Null: one of them is no pair, which has been said. */
function pairsOf(options: Options, io: Io): Override[] | null {
  try {
    return overridesOf(options.set ?? [])
  } catch (thrown) {
    if (!(thrown instanceof FailureError)) throw thrown
    sayFailure(thrown, options, io)
    return null
  }
}

/** Undefined: not asked for; null: asked for and not known, which has been said. */
function parsed<T extends string>(
  words: { options: readonly T[] },
  what: string,
  asked: string | undefined,
  options: Options,
  io: Io
): T | undefined | null {
  if (asked === undefined) return undefined
  const known = words.options
  const found = known.find((one) => one === asked)
  if (found !== undefined) return found
  sayFailure(
    new FailureError({
      code: 'usage',
      what: { en: `unknown ${what} ${asked}`, zh: `未知的 ${what}：${asked}` },
      remedy: { en: `Known: ${known.join(', ')}.`, zh: `可用：${known.join('、')}。` }
    }),
    options,
    io
  )
  return null
}

/** Null: the file is no recipe, which has been said: what, where, why and what to do, as JSON where that was asked for. */
async function textOf(
  file: string,
  options: Options,
  io: Io,
  empty?: 'may be empty'
): Promise<string | null> {
  try {
    const { text } = await readRecipeText(file)
    if (empty === undefined) refuseEmpty(file, text)
    return text
  } catch (thrown) {
    if (!(thrown instanceof FailureError)) throw thrown
    sayFailure(thrown, options, io)
    return null
  }
}

function sayFailure({ failure }: FailureError, options: Options, io: Io): void {
  if (options.json === true) {
    io.err(JSON.stringify({ error: failure }))
    return
  }
  const { what, where, detail, remedy } = failure
  io.err(where === undefined ? words(io, what) : `${words(io, what)} [${where}]`)
  if (detail !== undefined) io.err(detail)
  if (remedy !== undefined) io.err(words(io, remedy))
}
