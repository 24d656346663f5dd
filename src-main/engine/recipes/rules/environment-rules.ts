import { holdsCredential } from '../../lib'
import { sourceHoldsCredential } from '../credentials'
import { flagFact } from '../flags'
import { lastPart, type ReefRecipe } from '../reef-recipe'
import { REEF, type Hit, type Rule } from '../rule'
import { atValue, isSecretName, secretValues, type Value } from '../value'
import { fieldFact } from '../fields'

const PAGE = 'docs/reference/configuration.rst'
const UTILS = 'reef/service/deploy/config_utils.py'

export const environmentRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'env/required',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'required environment variable {name} is not set',
      zh: '必需的环境变量 {name} 未设置'
    },
    explanation: {
      en: '`${NAME:?}` marks a variable that must hold something; the launcher stops before anything starts.',
      zh: '`${NAME:?}` 表示该变量必须有值，否则启动器会在一切开始前停止。'
    },
    source: UTILS,
    *check(recipe) {
      for (const value of texts(recipe)) {
        for (const problem of recipe.problemsOf(value)) {
          if (problem.kind === 'required')
            yield { at: atValue(value), args: { name: problem.name } }
        }
      }
    }
  },
  {
    id: 'env/path-from-root',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: '{name} is not set, so this becomes {text}, a path from the root',
      zh: '{name} 未设置，此处变成从根目录开始的路径 {text}'
    },
    explanation: {
      en: 'An unset variable is an empty string. A path that begins with it starts at /, which usually fails for want of permission, or fills the wrong disk.',
      zh: '未设置的变量为空字符串。以它开头的路径会从 / 开始，通常因没有权限而失败，或写满错误的磁盘。'
    },
    source: UTILS,
    *check(recipe) {
      for (const value of texts(recipe)) {
        const name = /^\$\{(\w+)(?::\?)?\}\//.exec(value.raw)?.[1]
        if (name === undefined || !value.missing.includes(name)) continue
        yield { at: atValue(value), args: { name, text: value.text } }
      }
    }
  },
  {
    id: 'env/empty-number',
    severity: 'error',
    dialects: REEF,
    message: {
      en: '{name} is not set, so {flag} is empty and not a number',
      zh: '{name} 未设置，{flag} 为空而不是数字'
    },
    explanation: {
      en: 'The flag is handed over as `--flag=` and the trainer stops with "invalid int value".',
      zh: '参数会以 `--flag=` 的形式传入，训练进程以 "invalid int value" 停止。'
    },
    source: UTILS,
    *check(recipe) {
      if (recipe.trainer !== 'slime') return
      for (const [flag, value] of recipe.flags()) {
        const type = flagFact(flag)?.type
        const numeric = type === 'int' || type === 'float'
        const name = value.missing[0]
        if (numeric && name !== undefined && value.text.trim() === '')
          yield { at: atValue(value), args: { name, flag } }
      }
    }
  },
  {
    id: 'env/unset',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: '{name} is not set; this field counts as omitted',
      zh: '{name} 未设置，该字段视为省略'
    },
    explanation: {
      en: 'An empty service field is omitted and its default holds; anywhere else the text is simply empty.',
      zh: '服务字段为空即视为省略并使用默认值；其他位置则就是空文本。'
    },
    source: PAGE,
    *check(recipe) {
      for (const value of texts(recipe)) {
        const name = /^\$\{(\w+)\}$/.exec(value.raw.trim())?.[1]
        if (
          name === undefined ||
          !value.missing.includes(name) ||
          value.path.startsWith('training.options.')
        )
          continue
        if (fieldFact(value.path) === undefined && !value.path.startsWith('reef.')) continue
        yield { at: atValue(value), args: { name } }
      }
    }
  },
  {
    id: 'env/unknown-reference',
    severity: 'error',
    dialects: REEF,
    message: { en: '${{name}} refers to no field of this file', zh: '${{name}} 没有对应的字段' },
    explanation: {
      en: 'A dotted name is the path of another field, with either spelling; a name without a dot is an environment variable.',
      zh: '带点的名称是其他字段的路径（两种写法皆可）；不带点的是环境变量。'
    },
    source: UTILS,
    check: (recipe) => problems(recipe, 'unknown-reference')
  },
  {
    id: 'env/reference-loop',
    severity: 'error',
    dialects: REEF,
    message: { en: '${{name}} refers back to itself', zh: '${{name}} 循环引用自身' },
    explanation: { en: 'Two fields take their value from each other.', zh: '两个字段互相引用。' },
    source: UTILS,
    check: (recipe) => problems(recipe, 'loop')
  },
  {
    id: 'env/too-long',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'more than 200 references in one text, or they unfold to more than 64 KiB',
      zh: '一段文本中的引用超过 200 处，或展开后超过 64 KiB'
    },
    explanation: {
      en: 'Fields that refer to each other several times double with every link. The text was not read past this bound.',
      zh: '多次相互引用的字段每一层都会翻倍。超出界限的文本没有读取。'
    },
    source: UTILS,
    check: (recipe) => problems(recipe, 'too-long')
  },
  {
    id: 'env/shell-default',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: '{name} is shell syntax; Reef leaves it as it stands',
      zh: '{name} 是 shell 语法，Reef 不会处理'
    },
    explanation: {
      en: 'Reef knows `${NAME}` and `${NAME:?}` only; defaults after `:-` are not applied.',
      zh: 'Reef 只识别 `${NAME}` 与 `${NAME:?}`，`:-` 之后的默认值不会生效。'
    },
    source: UTILS,
    check: (recipe) => problems(recipe, 'shell-default')
  },
  {
    id: 'secret/in-file',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'a secret is written in the file at {path}',
      zh: '文件中 {path} 处直接写有密钥'
    },
    explanation: {
      en: 'Anyone who reads the recipe, its repository or a copy of the run can use it. Put it into the environment and write ${NAME} here. For a service that listens on loopback only, a made-up token is usual.',
      zh: '任何能读到该文件、仓库或运行副本的人都能使用它。请放入环境变量并在此写 ${NAME}。仅监听本机回环地址的服务，使用自拟的令牌是常见做法。'
    },
    source: 'docs/user-guide/operate.rst',
    check: writtenSecrets
  },
  {
    id: 'secret/in-path',
    severity: 'error',
    dialects: REEF,
    message: {
      en: 'the value of a secret becomes part of {path}',
      zh: '密钥的值会成为 {path} 的一部分'
    },
    explanation: {
      en: 'Paths stand in logs, in listings and in the records of a run, so the secret would be written there in clear text. Slipway does not launch it. Name the folder without the secret.',
      zh: '路径会出现在日志、目录列表与运行记录中，密钥会因此以明文写入。Slipway 不会启动它。请改用不含密钥的路径。'
    },
    source: 'docs/user-guide/operate.rst',
    check: secretsInPaths
  }
]

const IS_PATH = /(?:dir|path|repository|root|folder|save|load|save[-_]hf)$/i

function* secretsInPaths(recipe: ReefRecipe): Generator<Hit> {
  const secrets = secretValues(recipe.environment)
  if (secrets.length === 0) return
  for (const value of recipe.fields()) {
    const name = lastPart(value.path)
    if (!IS_PATH.test(name) || isSecretName(name)) continue
    if (secrets.some((secret) => value.text.includes(secret) && !value.raw.includes(secret)))
      yield { at: atValue(value), args: { path: value.path } }
  }
}

/** Names under `training.options` that are credentials: others end in the same words and name columns and tokens. */
const OPTION_SECRET = /(?:(?:api|access|secret|wandb)[-_]?key|hf[-_]token|secret|password|passwd)$/i

function* writtenSecrets(recipe: ReefRecipe): Generator<Hit> {
  const host = recipe.value('reef.host')?.text ?? (recipe.versioned ? '127.0.0.1' : '0.0.0.0')
  const loopback = ['127.0.0.1', 'localhost', '::1'].includes(host)
  // Most files hold none: looked at as a whole first.
  const some = sourceHoldsCredential(recipe.source)
  const holds = (raw: string): boolean => some && holdsCredential(raw)
  for (const value of recipe.fields()) {
    const name = lastPart(value.path)
    if (
      !(isSecretName(name) || holds(value.raw)) ||
      value.kind === 'map' ||
      value.kind === 'list' ||
      value.raw.trim() === '' ||
      value.raw.includes('${')
    )
      continue
    if (
      ['null', 'bool', 'int', 'float'].includes(value.kind) ||
      (value.path.startsWith('training.options.') && !OPTION_SECRET.test(name) && !holds(value.raw))
    )
      continue
    const service = /^reef\.tokens?$/.test(value.path)
    yield {
      at: atValue(value),
      args: { path: value.path },
      severity: service && loopback ? 'hint' : 'warning'
    }
  }
}

function* problems(
  recipe: ReefRecipe,
  kind: 'unknown-reference' | 'loop' | 'too-long' | 'shell-default'
): Generator<Hit> {
  for (const value of texts(recipe)) {
    for (const problem of recipe.problemsOf(value)) {
      if (problem.kind === kind) yield { at: atValue(value), args: { name: problem.name } }
    }
  }
}

const memo = new WeakMap<ReefRecipe, readonly Value[]>()

/** Fields with a reference in them, found once. Flags of a folded string are looked at one by one, not as a whole. */
function texts(recipe: ReefRecipe): readonly Value[] {
  const done = memo.get(recipe)
  if (done !== undefined) return done
  const found: Value[] = []
  for (const value of recipe.fields()) {
    const folded = value.path === 'training.slime_flags'
    if (!folded && value.kind !== 'map' && value.raw.includes('${')) found.push(value)
  }
  for (const service of recipe.services) {
    for (const flag of service.flags) {
      if (flag.value.raw.includes('${')) found.push(flag.value)
    }
  }
  memo.set(recipe, found)
  return found
}
