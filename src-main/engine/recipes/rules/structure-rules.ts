import type { Text } from '../../../contract/text'
import { canonical, declaringField, fieldFact, isFieldPrefix, SECTIONS } from '../fields'
import { fixOf, removeField, renameKey, setValue } from '../edit'
import { lastPart, type ReefRecipe } from '../reef-recipe'
import { REEF, V2, type Hit, type Rule } from '../rule'
import { atKey, atValue, type Value } from '../value'
import { entryOf } from '../yaml-tree'
import { nearestField } from '../near-names'
import { recipeFieldType } from '../families'
import { kindFault, rangeFault } from './field-faults'
import { decided } from './place'

const CONFIG = 'reef/service/deploy/deployment_config.py'
const PAGE = 'docs/reference/configuration.rst'

export const NEW_HANDLER = 'reef.inference.sglang.chat.SGLangInferenceHandler'
const OLD_INFERENCE_FIELDS: Readonly<Record<string, string>> = {
  'inference.backend-factory': 'handler-factory',
  'inference.backend-config': 'handler-config'
}

export const structureRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'v2/version',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'unsupported schema-version {value}; expected the integer 2',
      zh: '不支持的 schema-version {valueZh}，应为整数 2'
    },
    explanation: {
      en: 'Only the integer 2 is known. Text, true or another number is refused.',
      zh: '只接受整数 2；文本、true 或其他数字都会被拒绝。'
    },
    source: CONFIG,
    *check(recipe) {
      const version = recipe.fieldValue('schema-version')
      if (version === undefined || (version.kind === 'int' && version.text === '2')) return
      const fix = fixOf({ en: 'Set to 2', zh: '改为 2' }, [{ ...version.span, text: '2' }])
      const said = versionSaid(version)
      yield { at: atValue(version), args: { value: said.en, valueZh: said.zh }, fix }
    }
  },
  {
    id: 'v2/services',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'schema-version 2 does not accept {key}',
      zh: 'schema-version 2 不接受 {key}'
    },
    explanation: {
      en: 'Processes are assembled by Reef and the selected recipe. Move HTTP settings to `reef` and remove the section, even an empty one.',
      zh: '进程由 Reef 与所选 recipe 组装。请把 HTTP 设置移到 `reef`，并删除该段（空段也不行）。'
    },
    source: CONFIG,
    *check(recipe) {
      for (const key of ['service', 'services', 'execution.services']) {
        const value = recipe.fieldValue(key)
        if (value === undefined) continue
        const fix = fixOf({ en: `Remove ${key}`, zh: `删除 ${key}` }, removeField(recipe, value))
        yield { at: atKey(value), args: { key }, fix }
      }
    }
  },
  {
    id: 'v2/misspelt-section',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'unknown config section {name}: did you mean {meant}?',
      zh: '未知的配置段 {name}：是否指 {meant}？'
    },
    explanation: {
      en: 'Reef refuses a version 2 file with a section it does not know. The rest of the file is judged as if the name were right.',
      zh: 'version 2 文件中出现未知的段会被拒绝。其余内容按名称正确来检查。'
    },
    source: CONFIG,
    *check(recipe) {
      for (const value of recipe.children('')) {
        const meant = recipe.misspelt.get(value.path)
        if (meant === undefined) continue
        const title = { en: `Rename to ${meant}`, zh: `改名为 ${meant}` }
        const fix = fixOf(title, renameKey(value, meant))
        yield { at: atKey(value), args: { name: value.path, meant }, fix }
      }
    }
  },
  {
    id: 'v2/unknown-section',
    severity: 'error',
    dialects: V2,
    message: { en: 'unknown config section {name}', zh: '未知的配置段 {name}' },
    explanation: {
      en: 'Reef refuses a version 2 file with a section it does not know. `teacher` and `generator` exist in the newest generation only.',
      zh: 'version 2 文件中出现未知的段会被拒绝。`teacher` 与 `generator` 只存在于最新一代。'
    },
    source: CONFIG,
    *check(recipe) {
      for (const value of recipe.children('')) {
        const name = canonical(value.path)
        if (name === 'schema-version' || name === 'service' || name === 'services') continue
        const known = SECTIONS.find((one) => one.name === name)
        if (known?.generations.includes(recipe.generation) === true) continue
        if (!recipe.misspelt.has(value.path)) yield { at: atKey(value), args: { name: value.path } }
      }
    }
  },
  {
    id: 'v2/section-type',
    severity: 'error',
    dialects: V2,
    message: { en: '{path} must be an object', zh: '{path} 必须是对象' },
    explanation: {
      en: 'A section holds keys; a bare value or a list is refused.',
      zh: '配置段应由键组成，单个值或列表会被拒绝。'
    },
    source: CONFIG,
    *check(recipe) {
      for (const value of recipe.children('')) {
        const known = SECTIONS.some((one) => one.name === canonical(value.path))
        if (known && value.kind !== 'map') yield { at: atValue(value), args: { path: value.path } }
      }
    }
  },
  {
    id: 'v2/unknown-field',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'unknown config field {path}{meant}',
      zh: '未知的配置字段 {path}{meantZh}'
    },
    explanation: {
      en: 'Reef refuses fields it does not declare. Fields differ between generations: the newest one calls the class that captures tokens `inference.handler-factory`, the one before `inference.backend-factory`.',
      zh: '未声明的字段会被拒绝。各代字段不同：记录 token 的类在最新一代叫 `inference.handler-factory`，上一代叫 `inference.backend-factory`。'
    },
    source: CONFIG,
    check: unknownFields
  },
  {
    id: 'v2/duplicate-spelling',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'duplicate config field {path} (both spellings)',
      zh: '字段 {path} 以两种写法重复出现'
    },
    explanation: {
      en: '`a-b` and `a_b` are the same field; writing both is refused.',
      zh: '`a-b` 与 `a_b` 是同一字段，同时出现会被拒绝。'
    },
    source: CONFIG,
    *check(recipe) {
      const { source } = recipe
      const sections = source.root?.type === 'map' ? source.root.entries : []
      const inConfig = entryOf(entryOf(source.root, 'recipe')?.value, 'config')
      for (const section of inConfig === undefined ? sections : [...sections, inConfig]) {
        if (section.value.type !== 'map') continue
        const seen = new Map<string, string>()
        for (const entry of section.value.entries) {
          const before = seen.get(canonical(entry.key))
          const path = `${section === inConfig ? 'recipe.config' : section.key}.${entry.key}`
          if (before !== undefined && before !== entry.key) {
            yield { at: { path, span: entry.keySpan, source }, args: { path } }
          }
          seen.set(canonical(entry.key), entry.key)
        }
      }
    }
  },
  {
    id: 'v2/null',
    severity: 'error',
    dialects: V2,
    message: { en: '{path} does not accept null', zh: '{path} 不接受 null' },
    explanation: { en: 'Omit the field to get its default.', zh: '删除该字段即可使用默认值。' },
    source: CONFIG,
    *check(recipe) {
      for (const value of recipe.fields()) {
        if (value.kind !== 'null') continue
        const fact = fieldFact(value.path)
        if (fact === undefined || fact.nullable || fact.type === 'map') continue
        const fix = fixOf({ en: 'Remove the field', zh: '删除该字段' }, removeField(recipe, value))
        yield { at: atKey(value), args: { path: value.path }, fix }
      }
    }
  },
  {
    id: 'v2/field-type',
    severity: 'error',
    dialects: V2,
    message: {
      en: '{path} must be {wanted}, got {text}',
      zh: '{path} 应为{wantedZh}，实际为 {text}'
    },
    explanation: {
      en: 'Quoted numbers are fine. Booleans need true or false, numbers must be finite and within their range.',
      zh: '带引号的数字可以接受。布尔值须为 true 或 false；数字须有限且在范围内。'
    },
    source: PAGE,
    *check(recipe) {
      for (const value of recipe.fields()) {
        const fact = fieldFact(value.path)
        if (fact === undefined || value.kind === 'null' || value.missing.length > 0) continue
        if (value.text.trim() === '' && value.kind === 'string') continue
        const wanted = kindFault(fact.type, value) ?? rangeFault(fact, value)
        if (wanted === null) continue
        const args = { path: value.path, text: value.text === '' ? value.kind : value.text }
        yield { at: atValue(value), args: { ...args, wanted: wanted.en, wantedZh: wanted.zh } }
      }
    }
  },
  {
    id: 'v2/retention-days',
    severity: 'hint',
    dialects: V2,
    message: { en: '{path} has no effect', zh: '{path} 不起作用' },
    explanation: {
      en: 'Records are bounded by size: use storage.agent-record-retention-max-bytes.',
      zh: '记录按容量清理，请使用 storage.agent-record-retention-max-bytes。'
    },
    source: PAGE,
    *check(recipe) {
      const value = recipe.fieldValue('storage.agent-record-retention-days')
      if (value !== undefined) yield { at: atKey(value), args: { path: value.path } }
    }
  },
  {
    id: 'v2/record-database',
    severity: 'error',
    dialects: V2,
    message: {
      en: '{path} belongs to record-backend postgres',
      zh: '{path} 仅用于 record-backend postgres'
    },
    explanation: {
      en: 'The database address and schema are read only when storage.record-backend is postgres.',
      zh: '只有 storage.record-backend 为 postgres 时才使用数据库地址与 schema。'
    },
    source: PAGE,
    *check(recipe) {
      if (recipe.text('storage.record-backend') === 'postgres') return
      for (const path of ['storage.record-database-url', 'storage.record-database-schema']) {
        const value = recipe.given(path)
        if (value !== undefined) yield { at: atKey(value), args: { path: value.path } }
      }
    }
  },
  {
    id: 'v2/evaluation-module',
    severity: 'error',
    dialects: V2,
    message: { en: 'evaluation needs evaluation.module', zh: 'evaluation 需要 evaluation.module' },
    explanation: {
      en: 'A section `evaluation` without a module is refused.',
      zh: '`evaluation` 段必须给出 module。'
    },
    source: PAGE,
    *check(recipe) {
      const value = recipe.fieldValue('evaluation')
      if (value?.kind === 'map' && recipe.given('evaluation.module') === undefined)
        yield { at: atKey(value) }
    }
  },
  {
    id: 'v2/generator-tasks',
    severity: 'error',
    dialects: V2,
    generations: ['C'],
    message: {
      en: 'generator needs generator.tasks-root',
      zh: 'generator 需要 generator.tasks-root'
    },
    explanation: {
      en: 'The task generator has no default folder.',
      zh: '任务生成器没有默认目录。'
    },
    source: PAGE,
    *check(recipe) {
      const value = recipe.fieldValue('generator')
      if (value?.kind === 'map' && recipe.fieldValue('generator.tasks-root') === undefined)
        yield { at: atKey(value) }
    }
  },
  {
    id: 'v2/recipe-field',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'unknown recipe.config field {name} for {family}',
      zh: '{family} 没有 recipe.config 字段 {name}'
    },
    explanation: {
      en: 'The recipe class declares its fields; anything else stops the boot.',
      zh: 'recipe 类声明了自己的字段，其他字段会导致启动失败。'
    },
    source: CONFIG,
    *check(recipe) {
      const fields = recipe.family?.fields
      if (fields === null || fields === undefined) return
      for (const value of recipe.children('recipe.config')) {
        const name = canonical(lastPart(value.path))
        if (fields.includes(name) || name === 'evolution' || name === 'optimization') continue
        yield { at: atKey(value), args: { name, family: recipe.family?.label ?? '' } }
      }
    }
  },
  {
    id: 'recipe/field-type',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{path} must be {wanted}, got {text}',
      zh: '{path} 应为{wantedZh}，实际为 {text}'
    },
    explanation: {
      en: 'The recipe class declares the type of its fields, and the boot stops at another one. Quoted numbers are fine; a list of one number is no number.',
      zh: 'recipe 类声明了各字段的类型，类型不符时启动会中止。带引号的数字可以接受；只含一个数字的列表不是数字。'
    },
    source: PAGE,
    *check(recipe) {
      for (const name of recipe.family?.fields ?? []) {
        const value = recipe.given(`recipe.config.${name}`)
        if (!decided(value)) continue
        const wanted = kindFault(recipeFieldType(name), value)
        if (wanted === null) continue
        const text = value.kind === 'list' ? `[${value.text}]` : value.text || value.kind
        const args = { path: value.path, text, wanted: wanted.en, wantedZh: wanted.zh }
        yield { at: atValue(value), args }
      }
    }
  },
  {
    id: 'v2/sao-optimization',
    severity: 'error',
    dialects: V2,
    message: {
      en: 'SAO objective options belong in training.options',
      zh: 'SAO 的目标选项应写在 training.options'
    },
    explanation: {
      en: 'The objective is owned by the trainer: configure the Slime implementation with training.options.',
      zh: '优化目标由训练后端负责，请在 training.options 中设置。'
    },
    source: 'recipes/sao/recipe.py',
    *check(recipe) {
      if (recipe.family?.id !== 'sao') return
      const value = recipe.fieldValue('recipe.config.optimization')
      if (value !== undefined) yield { at: atKey(value) }
    }
  },
  {
    id: 'v2/required-field',
    severity: 'error',
    dialects: V2,
    message: { en: '{path} is required by {family}', zh: '{family} 需要 {path}' },
    explanation: {
      en: 'The recipe class has no default for this field.',
      zh: '该 recipe 类没有为此字段提供默认值。'
    },
    source: 'recipes/README.md',
    *check(recipe) {
      for (const name of recipe.family?.required ?? []) {
        const path = `recipe.config.${name}`
        if (recipe.given(path) !== undefined) continue
        yield { at: { path }, args: { path, family: recipe.family?.label ?? '' } }
      }
    }
  }
]

/** What stands there, so that nobody reads "2; expected 2". */
function versionSaid({ kind, text }: Value): Text {
  switch (kind) {
    case 'string':
      return {
        en: `${JSON.stringify(text)}, which is text`,
        zh: `${JSON.stringify(text)}（是文本）`
      }
    case 'list':
      return { en: `[${text}], which is a list`, zh: `[${text}]（是列表）` }
    case 'map':
      return { en: '{…}, which is an object', zh: '{…}（是对象）' }
    case 'null':
      return { en: 'without a value', zh: '（没有值）' }
    case 'float':
      return { en: `${text}, which is no integer`, zh: `${text}（不是整数）` }
    case 'bool':
    case 'int':
      return { en: text, zh: text }
  }
}

function* unknownFields(recipe: ReefRecipe): Generator<Hit> {
  for (const section of recipe.children('')) {
    const known = SECTIONS.find((one) => one.name === canonical(section.path))
    if (known?.generations.includes(recipe.generation) !== true) continue
    yield* unknownBelow(recipe, section.path)
  }
}

function* unknownBelow(recipe: ReefRecipe, path: string): Generator<Hit> {
  if (fieldFact(path)?.open === true) return
  for (const value of recipe.children(path)) {
    const fact = declaringField(value.path)
    if (fact?.generations.includes(recipe.generation) === true) continue
    if (fact === undefined && isFieldPrefix(value.path)) {
      yield* unknownBelow(recipe, value.path)
      continue
    }
    if (fact === undefined && canonical(value.path) === 'execution.services') continue
    const key = modernKey(recipe, value)
    const args = {
      path: value.path,
      // Elsewhere the fix says it.
      ...(key === undefined || value.origin.kind !== 'override'
        ? { meant: '', meantZh: '' }
        : { meant: `; did you mean ${key}?`, meantZh: `；是否指 ${key}？` })
    }
    yield { at: atKey(value), args, fix: modernName(recipe, value, key) }
  }
}

/** What the newest generation calls a field that older ones have under another name. */
export function renamedField(path: string): string | undefined {
  return OLD_INFERENCE_FIELDS[canonical(path)]
}

/** What a field nobody knows was meant to be called: Gen C renamed two of inference; any other name may be a slip. */
function modernKey(recipe: ReefRecipe, value: Value): string | undefined {
  const known = recipe.generation === 'C' ? renamedField(value.path) : undefined
  return known ?? absentField(recipe, value)
}

/** The class that captures tokens has a new home as well as a new name. */
function modernName(recipe: ReefRecipe, value: Value, key: string | undefined): Hit['fix'] {
  if (key === undefined) return undefined
  const title = { en: `Rename to ${key}`, zh: `改名为 ${key}` }
  const rename = renameKey(value, key)
  if (key !== 'handler-factory') return fixOf(title, rename)
  return fixOf(title, rename, setValue(recipe, value, NEW_HANDLER))
}

/** The field that a slip of the pen was meant to be, where the file does not have it besides. */
function absentField(recipe: ReefRecipe, { path, origin }: Value): string | undefined {
  const name = nearestField(path, recipe.generation)
  const whole = `${path.slice(0, path.lastIndexOf('.') + 1)}${name ?? ''}`
  // An override is there to give a field of the file another value.
  const taken = origin.kind !== 'override' && recipe.fieldValue(whole) !== undefined
  return name === undefined || taken ? undefined : name
}
