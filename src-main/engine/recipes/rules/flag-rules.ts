import { fixOf, renameKey } from '../edit'
import { flagFact, hasOpenPrefix, similarFlags } from '../flags'
import type { ReefRecipe } from '../reef-recipe'
import { REEF, UNVERSIONED, type Hit, type Rule } from '../rule'
import { atKey } from '../value'

const SLIME = 'slime/utils/arguments.py'

/** Unknown flags beyond this are not compared with the catalogue: a file that long is not a recipe. */
const MOST_COMPARED = 60

export const flagRules: readonly Rule<ReefRecipe>[] = [
  {
    id: 'flags/misspelt',
    severity: 'warning',
    dialects: REEF,
    message: {
      en: 'unknown flag {flag}; did you mean {known}?',
      zh: '未知参数 {flag}，是否想写 {known}？'
    },
    explanation: {
      en: 'The trainer ignores flags it does not know, silently, so a typing error means the default holds.',
      zh: '训练进程会静默忽略不认识的参数，因此拼写错误意味着使用默认值。'
    },
    source: SLIME,
    check: misspelt
  },
  {
    id: 'flags/unknown',
    severity: 'hint',
    dialects: REEF,
    message: {
      en: 'flag {flag} is in no list of Slime, Megatron or Reef',
      zh: '参数 {flag} 不在 Slime、Megatron 或 Reef 的列表中'
    },
    explanation: {
      en: 'The trainer ignores unknown flags silently. A newer checkout may know it; otherwise it does nothing.',
      zh: '训练进程会静默忽略未知参数。较新的代码可能认识它，否则不起作用。'
    },
    source: SLIME,
    *check(recipe) {
      for (const unknown of unknownFlags(recipe)) {
        if (unknown.known === null) yield unknown.hit
      }
    }
  },
  {
    id: 'flags/comment',
    severity: 'warning',
    dialects: UNVERSIONED,
    message: {
      en: 'a comment inside a folded string becomes part of the command',
      zh: '折叠字符串中的注释会成为命令的一部分'
    },
    explanation: {
      en: 'In a `>-` block `#` is text. The words behind it are handed to the trainer, which ignores them or takes a flag you meant to switch off.',
      zh: '在 `>-` 块中 `#` 只是文本，其后的内容会传给训练进程：要么被忽略，要么本想关掉的参数仍然生效。'
    },
    source: 'docs/user-guide/troubleshooting.rst',
    *check(recipe) {
      for (const service of recipe.services) {
        for (const token of service.loose) {
          if (!token.text.startsWith('#')) continue
          yield { at: { path: 'services', span: token, source: recipe.source } }
        }
      }
    }
  },
  {
    id: 'flags/loose-words',
    severity: 'hint',
    dialects: UNVERSIONED,
    message: { en: '{word} belongs to no flag', zh: '{word} 不属于任何参数' },
    explanation: {
      en: 'A word without a flag in front is ignored by the trainer.',
      zh: '前面没有参数名的词会被训练进程忽略。'
    },
    source: SLIME,
    *check(recipe) {
      for (const service of recipe.services) {
        if (service.role !== 'driver') continue
        const known = (text: string): boolean =>
          text.startsWith('${') || text === '-m' || text === service.module || text.startsWith('#')
        for (const token of service.loose.slice(1)) {
          if (!known(token.text))
            yield {
              at: { path: 'services', span: token, source: recipe.source },
              args: { word: token.text }
            }
        }
      }
    }
  }
]

function* misspelt(recipe: ReefRecipe): Generator<Hit> {
  for (const unknown of unknownFlags(recipe)) {
    if (unknown.known !== null) yield unknown.hit
  }
}

interface UnknownFlag {
  known: string | null
  hit: Hit
}

const memo = new WeakMap<ReefRecipe, readonly UnknownFlag[]>()

function unknownFlags(recipe: ReefRecipe): readonly UnknownFlag[] {
  const done = memo.get(recipe)
  if (done !== undefined) return done
  const found: UnknownFlag[] = []
  let compared = 0
  for (const [name, value] of recipe.flags()) {
    if (recipe.trainer !== 'slime' || flagFact(name) !== undefined || hasOpenPrefix(name)) continue
    compared += 1
    const similar = compared > MOST_COMPARED ? [] : similarFlags(name)
    const known = similar.find((candidate) => recipe.flag(candidate) === undefined) ?? null
    const spelt = recipe.versioned ? known : `--${known ?? ''}`
    const fix =
      known === null || spelt === null
        ? undefined
        : fixOf({ en: `Rename to ${known}`, zh: `改名为 ${known}` }, renameKey(value, spelt))
    found.push({ known, hit: { at: atKey(value), args: { flag: name, known: known ?? '' }, fix } })
  }
  memo.set(recipe, found)
  return found
}
