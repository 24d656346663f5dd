import type { Dialect } from '../../../contract/recipes'
import { isExponentText, isNorwayWord } from '../py-scalar'
import type { Hit, Rule } from '../rule'
import type { MapEntry, ScalarNode, YamlNode, YamlSource } from '../yaml-tree'

/** A text before anything is known about its meaning. */
export interface YamlSubject {
  source: YamlSource
  dialect: Dialect
  /** The text unfolds into more fields than are read; none was looked at. */
  cut: boolean
}

const EVERY: readonly Dialect[] = ['reef-unversioned', 'reef-v2', 'nexrl', 'unknown']
const PYYAML = 'PyYAML lib/yaml/resolver.py'

export const yamlRules: readonly Rule<YamlSubject>[] = [
  {
    id: 'yaml/syntax',
    severity: 'error',
    dialects: EVERY,
    message: { en: 'not valid YAML: {detail}', zh: 'YAML 无效：{detail}' },
    explanation: {
      en: 'The stack cannot read the file past this point. Usually a missing colon, an unclosed quote or bracket, or a line that is indented differently from its neighbours.',
      zh: '从这里开始无法读取文件。常见原因：缺少冒号、引号或括号没有闭合、缩进与相邻行不一致。'
    },
    source: 'reef/service/deploy/config_utils.py',
    *check({ source }) {
      for (const problem of source.problems) {
        if (problem.code !== 'syntax') continue
        yield { at: { path: '', span: problem, source }, args: { detail: problem.detail } }
      }
    }
  },
  {
    id: 'yaml/tab',
    severity: 'error',
    dialects: EVERY,
    message: { en: 'a tab cannot indent YAML', zh: 'YAML 缩进不能使用制表符' },
    explanation: {
      en: 'YAML counts spaces only. Replace each tab at the start of the line by spaces.',
      zh: 'YAML 只认空格缩进，请把行首的制表符换成空格。'
    },
    source: 'YAML 1.1 §5.5',
    *check({ source }) {
      for (const problem of source.problems) {
        if (problem.code === 'tab')
          yield { at: { path: '', span: problem, source }, fix: tabFix(source) }
      }
    }
  },
  {
    id: 'yaml/alias',
    severity: 'error',
    dialects: EVERY,
    message: { en: 'the aliases of this file unfold without end', zh: '文件中的别名会无限展开' },
    explanation: {
      en: 'An anchor contains itself, or anchors are nested so that a few lines become millions. No stack reads such a file.',
      zh: '锚点引用了自身，或层层嵌套使几行文本展开成数百万项，任何运行栈都无法读取。'
    },
    source: 'YAML 1.1 §7.1',
    *check({ source }) {
      for (const problem of source.problems)
        if (problem.code === 'alias') yield { at: { path: '', span: problem, source } }
    }
  },
  {
    id: 'yaml/too-deep',
    severity: 'error',
    dialects: EVERY,
    message: {
      en: 'nested too deeply: more than 100 lists or maps inside each other',
      zh: '嵌套过深：列表或映射超过 100 层'
    },
    explanation: {
      en: 'A recipe needs about ten levels. The readers of the stacks are recursive and give up on such a text too. Usually brackets that were never closed.',
      zh: '一个 recipe 约十层就够了。运行栈的读取器是递归的，遇到这样的文本同样会放弃。常见原因是括号没有闭合。'
    },
    source: 'PyYAML lib/yaml/composer.py',
    *check({ source }) {
      for (const problem of source.problems)
        if (problem.code === 'too-deep') yield { at: { path: '', span: problem, source } }
    }
  },
  {
    id: 'yaml/too-large',
    severity: 'error',
    dialects: EVERY,
    message: {
      en: 'too large to be a recipe, so nothing was checked: more than 1,000,000 characters or 20,000 fields',
      zh: '对 recipe 而言过大，因此没有检查：超过 1,000,000 个字符或 20,000 个字段'
    },
    explanation: {
      en: 'A recipe is a few hundred lines. The place is where the bound was passed; reading ended there. Keep data in files of their own and name those.',
      zh: '一个 recipe 只有几百行。此处超出界限，读取到此为止。请把数据放在单独的文件里并引用它。'
    },
    source: 'a bound of this checker itself',
    *check({ source, cut }) {
      const long = source.problems.find((problem) => problem.code === 'too-large')
      if (long !== undefined) yield { at: { path: '', source, span: long } }
      // Few lines may still stand for many fields through their aliases: no one place is to blame.
      else if (cut) yield { at: { path: '', source, span: { start: 0, end: 0 } } }
    }
  },
  {
    id: 'yaml/several-documents',
    severity: 'error',
    dialects: EVERY,
    message: { en: 'the file holds more than one YAML document', zh: '文件包含多个 YAML 文档' },
    explanation: {
      en: 'A recipe is one document. Remove the `---` between the parts or keep only one of them.',
      zh: '一个 recipe 只能是一个文档，请删除中间的 `---` 或只保留其中一份。'
    },
    source: 'PyYAML lib/yaml/composer.py',
    *check({ source }) {
      for (const problem of source.problems) {
        if (problem.code === 'several-documents') yield { at: { path: '', span: problem, source } }
      }
    }
  },
  {
    id: 'yaml/root',
    severity: 'error',
    dialects: EVERY,
    message: {
      en: 'a recipe must be a YAML object at the root',
      zh: 'recipe 的根必须是 YAML 对象'
    },
    explanation: {
      en: 'The file is empty, a list or a single value. It must start with keys such as `reef:` or `schema-version:`.',
      zh: '文件为空、是列表或单个值。应以 `reef:`、`schema-version:` 等键开头。'
    },
    source: 'reef/service/deploy/config_utils.py',
    *check({ source }) {
      if (source.root?.type !== 'map' && source.problems.length === 0) {
        yield { at: { path: '', source, span: { start: 0, end: 0 } } }
      }
    }
  },
  {
    id: 'yaml/unknown-layout',
    severity: 'error',
    dialects: ['unknown'],
    message: {
      en: 'not a recipe of a known layout: neither schema-version nor reef nor the sections of NexRL',
      zh: '不是已知布局的 recipe：既没有 schema-version 或 reef，也没有 NexRL 的各段'
    },
    explanation: {
      en: 'A Reef file starts with `schema-version: 2`, or has a `reef` section in the older layout. A NexRL recipe has sections such as `data`, `rollout_worker` and `trainer`.',
      zh: 'Reef 文件以 `schema-version: 2` 开头，旧布局则有 `reef` 段；NexRL recipe 含有 `data`、`rollout_worker`、`trainer` 等段。'
    },
    source: 'reef/service/deploy/deployment_config.py, nexrl/utils/config_utils.py',
    *check({ source }) {
      if (source.root?.type === 'map')
        yield { at: { path: '', source, span: { start: 0, end: 0 } } }
    }
  },
  {
    id: 'yaml/duplicate-key',
    severity: 'error',
    dialects: ['reef-unversioned', 'reef-v2', 'nexrl'],
    message: {
      en: '{path} is written twice (lines {first} and {again})',
      zh: '{path} 写了两次（第 {first} 行与第 {again} 行）'
    },
    explanation: {
      en: 'A version 2 file and a NexRL recipe are refused. An unversioned file is read with the last one winning, silently.',
      zh: 'version 2 文件与 NexRL recipe 会被拒绝；旧布局文件则以最后一个为准，且没有提示。'
    },
    source: 'reef/service/deploy/config_utils.py',
    *check({ source, dialect }) {
      for (const one of source.repeated) {
        const args = {
          path: one.path,
          first: source.positionOf(one.first.start).line,
          again: source.positionOf(one.again.start).line
        }
        const severity = dialect === 'reef-unversioned' ? 'warning' : 'error'
        yield { at: { path: one.path, span: one.again, source }, args, severity }
      }
    }
  },
  {
    id: 'yaml/exponent',
    severity: 'hint',
    dialects: ['reef-unversioned', 'reef-v2'],
    message: {
      en: '{text} is text to PyYAML, not a number',
      zh: 'PyYAML 会把 {text} 当作文本而非数字'
    },
    explanation: {
      en: 'PyYAML wants a dot in a number with an exponent (1.0e-4). As a trainer flag the text is passed on and works; as a recipe field or inside a JSON value it stays text.',
      zh: 'PyYAML 要求科学计数带小数点（1.0e-4）。作为训练参数原样传递没有问题；作为 recipe 字段或 JSON 值时则保持为文本。'
    },
    source: PYYAML,
    check: ({ source }) => exponentHits(source)
  },
  {
    id: 'yaml/norway',
    severity: 'hint',
    dialects: ['reef-unversioned', 'reef-v2', 'nexrl'],
    message: { en: '{text} is read as {value}', zh: '{text} 会被读作 {value}' },
    explanation: {
      en: 'YAML 1.1 takes yes, no, on and off for booleans. Write true or false when you mean that, or quote the word.',
      zh: 'YAML 1.1 把 yes、no、on、off 当作布尔值。若确为布尔请写 true/false，否则请加引号。'
    },
    source: PYYAML,
    check: ({ source }) => norwayHits(source)
  }
]

function tabFix(source: YamlSource): Hit['fix'] {
  const edits = [...source.text.matchAll(/^[ \t]*\t[ \t]*/gm)].map((match) => ({
    start: match.index,
    end: match.index + match[0].length,
    text: match[0].replaceAll('\t', '  ')
  }))
  return { title: { en: 'Replace tabs by spaces', zh: '把制表符换成空格' }, edits }
}

function* exponentHits(source: YamlSource): Generator<Hit> {
  for (const { path, node } of plainScalars(source)) {
    if (path.startsWith('training.options.') || !isExponentText(node.text)) continue
    const dotted = node.text.replace(/^([-+]?[0-9_]+)(?=[eE])/, '$1.0').replace(/e(?=[0-9])/i, 'e+')
    yield {
      at: { path, span: node, source },
      args: { text: node.text },
      fix: {
        title: { en: `Write ${dotted}`, zh: `改为 ${dotted}` },
        edits: [{ start: node.start, end: node.end, text: dotted }]
      }
    }
  }
}

function* norwayHits(source: YamlSource): Generator<Hit> {
  for (const { path, node } of plainScalars(source)) {
    if (node.kind !== 'bool' || !isNorwayWord(node.text)) continue
    const value = /^(?:yes|on)$/i.test(node.text) ? 'true' : 'false'
    yield { at: { path, span: node, source }, args: { text: node.text, value } }
  }
}

function* plainScalars(source: YamlSource): Generator<{ path: string; node: ScalarNode }> {
  const seen = new Set<YamlNode>()
  const stack: { path: string; node: YamlNode; entry?: MapEntry }[] =
    source.root === null ? [] : [{ path: '', node: source.root }]
  while (stack.length > 0) {
    const top = stack.pop()
    if (top === undefined || seen.has(top.node)) continue
    seen.add(top.node)
    if (top.node.type === 'scalar') {
      if (top.node.style === 'plain') yield { path: top.path, node: top.node }
    } else if (top.node.type === 'seq') {
      for (const item of top.node.items) stack.push({ path: top.path, node: item })
    } else {
      for (const entry of top.node.entries) {
        const path = top.path === '' ? entry.key : `${top.path}.${entry.key}`
        stack.push({ path, node: entry.value })
      }
    }
  }
}
