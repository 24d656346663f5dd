import { canonical, fieldFact } from '../fields'
import { legacyNames, modernHome } from '../legacy-map'
import { numberOf } from '../py-scalar'
import { lastPart, type ReefRecipe } from '../reef-recipe'
import { UNVERSIONED, type Rule } from '../rule'
import { atKey, atValue } from '../value'
import { at } from './place'
import { kindFault } from './field-faults'
import { NEW_HANDLER } from './structure-rules'

const LEGACY_REEF_FIELDS: ReadonlySet<string> = new Set([
  'recipe',
  'inference-url',
  'prm',
  'evolution'
])

export const legacyRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'legacy/handler-missing',
    severity: 'warning',
    dialects: UNVERSIONED,
    message: {
      en: 'no inference_backend_factory: tokens of what is served are not captured',
      zh: '未设置 inference_backend_factory：不会记录服务时的 token'
    },
    explanation: {
      en: 'An unversioned stack that trains weights must name the class that captures tokens; the plain proxy serves but nothing can be learnt from it, and it cannot stream.',
      zh: '训练权重的旧布局必须指定记录 token 的类；普通代理只能服务，无法学习，也不能流式输出。'
    },
    source: 'docs/user-guide/recipes/openclawrl.rst',
    *check(recipe) {
      if (recipe.trainer === 'slime' && recipe.given('inference.handler-factory') === undefined)
        yield { at: { path: 'reef.inference_backend_factory' } }
    }
  },
  {
    id: 'legacy/old-handler',
    severity: 'warning',
    dialects: UNVERSIONED,
    generations: ['C'],
    message: {
      en: 'the class {text} has another name in the newest generation',
      zh: '类 {text} 在最新一代中已改名'
    },
    explanation: {
      en: `The newest generation calls it ${NEW_HANDLER}. Migrate the file to schema-version 2.`,
      zh: `最新一代为 ${NEW_HANDLER}。请将文件迁移到 schema-version 2。`
    },
    source: 'reef/inference/sglang/chat.py',
    *check(recipe) {
      const value = recipe.given('inference.handler-factory')
      if (value?.text.includes('slime_backend.reef_adapters.sglang') === true)
        yield { at: atValue(value), args: { text: lastPart(value.text.trim()) } }
    }
  },
  {
    id: 'legacy/old-driver',
    severity: 'warning',
    dialects: UNVERSIONED,
    generations: ['C'],
    message: {
      en: 'the driver module {module} has another name in the newest generation',
      zh: '驱动模块 {module} 在最新一代中已改名'
    },
    explanation: {
      en: 'The newest generation runs reef.service.training_driver and starts it itself. Migrate the file to schema-version 2.',
      zh: '最新一代使用 reef.service.training_driver 并自行启动。请将文件迁移到 schema-version 2。'
    },
    source: 'reef/service/training_driver.py',
    *check(recipe) {
      for (const service of recipe.services) {
        if (
          service.role !== 'driver' ||
          service.module === null ||
          service.module === 'reef.service.training_driver'
        )
          continue
        if (service.moduleSpan !== null)
          yield {
            at: { path: 'services', span: service.moduleSpan, source: recipe.source },
            args: { module: service.module }
          }
      }
    }
  },
  {
    id: 'legacy/recipe-field',
    severity: 'error',
    dialects: UNVERSIONED,
    message: { en: 'unknown reef field {name} for {family}', zh: '{family} 没有 reef 字段 {name}' },
    explanation: {
      en: 'Keys of `reef` that the service does not own go to the recipe, which refuses those it does not declare. With the core recipe they are ignored.',
      zh: '`reef` 中不属于服务的键会交给 recipe，未声明的会被拒绝；使用核心 recipe 时则被忽略。'
    },
    source: 'reef/service/deploy/service_config.py',
    *check(recipe) {
      const fields = recipe.family?.fields
      if (fields === null || fields === undefined) return
      for (const value of recipe.children('reef')) {
        const name = canonical(lastPart(value.path))
        if (
          modernHome(`reef.${name}`) !== undefined ||
          fields.includes(name) ||
          LEGACY_REEF_FIELDS.has(name)
        )
          continue
        yield {
          at: atKey(value),
          args: { name: lastPart(value.path), family: recipe.family?.label ?? '' }
        }
      }
    }
  },
  {
    id: 'legacy/field-type',
    severity: 'error',
    dialects: UNVERSIONED,
    message: {
      en: '{path} must be {wanted}, got {text}',
      zh: '{path} 应为{wantedZh}，实际为 {text}'
    },
    explanation: {
      en: 'Both layouts go through one typed parser, which refuses a value of another kind. Quoted numbers are fine.',
      zh: '两种布局使用同一个带类型的解析器，类型不符即被拒绝。带引号的数字可以接受。'
    },
    source: 'reef/service/deploy/service_config.py',
    *check(recipe) {
      for (const [legacy, modern] of legacyNames()) {
        const fact = fieldFact(modern)
        const value = recipe.fieldValue(legacy)
        if (fact === undefined || value === undefined) continue
        const single = value.kind !== 'list' && value.kind !== 'map'
        // Null and blank count as omitted; what an unset variable leaves open is not judged.
        if (value.missing.length > 0 || (single && value.text.trim() === '')) continue
        // Here the deadline of every service, which may be a fraction.
        if (legacy === 'ready-timeout' && single && numberOf(value.text) !== undefined) continue
        const wanted = kindFault(fact.type, value)
        if (wanted === null) continue
        const text = single ? value.text : value.kind
        const args = { path: value.path, text, wanted: wanted.en, wantedZh: wanted.zh }
        yield { at: atValue(value), args }
      }
    }
  },
  {
    id: 'legacy/command-quotes',
    severity: 'error',
    dialects: UNVERSIONED,
    message: {
      en: '{what}, so the command of {service} cannot be split into words',
      zh: '{whatZh}，因此无法拆分 {service} 的命令'
    },
    explanation: {
      en: 'A command written as text is split as a shell would, after its references were filled in. An apostrophe counts as a quote, also in what looks like a comment. Close the quote, or write the command as a list.',
      zh: '文本形式的命令会在填入引用之后按 shell 规则拆分。撇号也算引号，看似注释的部分同样如此。请补全引号，或把命令写成列表。'
    },
    source: 'reef/service/deploy/orchestrator.py',
    *check(recipe) {
      for (const { name, fault } of recipe.services) {
        if (fault === null) continue
        const what =
          fault.kind === 'quote'
            ? { what: 'this quote is never closed', whatZh: '此处的引号没有闭合' }
            : { what: 'nothing follows this backslash', whatZh: '此处的反斜杠之后没有字符' }
        yield {
          at: { path: fault.path, span: fault.span, source: recipe.source },
          args: { ...what, service: name }
        }
      }
    }
  },
  {
    id: 'legacy/recipe-missing',
    severity: 'hint',
    dialects: UNVERSIONED,
    message: {
      en: 'reef.recipe is omitted: traffic is only recorded',
      zh: '未写 reef.recipe：只记录流量'
    },
    explanation: {
      en: 'Without a class the core recipe records inferences and reports and trains nothing.',
      zh: '没有指定类时，核心 recipe 只记录推理与反馈。'
    },
    source: 'recipes/README.md',
    *check(recipe) {
      if (recipe.given('recipe.implementation') === undefined)
        yield { at: at(recipe, 'recipe.implementation') }
    }
  },
  {
    id: 'legacy/dependency',
    severity: 'error',
    dialects: UNVERSIONED,
    message: {
      en: 'service {service} depends on {name}, which is not defined',
      zh: '服务 {service} 依赖未定义的 {name}'
    },
    explanation: {
      en: 'The launcher starts services in the order of depends_on and stops at an unknown name.',
      zh: '启动器按 depends_on 的顺序启动服务，遇到未知名称即停止。'
    },
    source: 'reef/service/deploy/orchestrator.py',
    *check(recipe: ReefRecipe) {
      const names = new Set(recipe.services.map((service) => service.name))
      for (const service of recipe.services) {
        for (const dependency of service.dependsOn) {
          if (!names.has(dependency.text))
            yield {
              at: { path: 'services', span: dependency, source: recipe.source },
              args: { service: service.name, name: dependency.text }
            }
        }
      }
    }
  }
]
