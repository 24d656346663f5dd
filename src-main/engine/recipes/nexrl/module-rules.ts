import { NEXRL, type Hit, type Rule } from '../rule'
import type { Span } from '../yaml-tree'
import { PythonOutline, type PythonBlock } from './python-outline'

/** A Python file of the person's own, and the class NexRL will take from it. */
export interface ModuleSubject {
  outline: PythonOutline
  role: 'worker' | 'trainer'
  /** Null: found by its base class. */
  className: string | null
}

type ModuleRule = Omit<Rule<ModuleSubject>, 'dialects'>

const WORKER = 'nexrl/rollout_worker/base_rollout_worker.py'
const TRAINER = 'nexrl/trainer/remote_api_trainer.py'
const CONVERT = 'nexrl/trainer/remote_api_trainer.py'

/** What a trajectory's extra fields must name beside the logprobs. */
const ORIGIN_FIELDS = ['run_id', 'model_tag']

/** The class the subject is about; undefined when the file has none such. */
export function classOf({ outline, role, className }: ModuleSubject): PythonBlock | undefined {
  if (className !== null) return outline.classes.find((one) => one.name === className)
  const base = role === 'worker' ? /RolloutWorker$/ : /Trainer$/
  return outline.classes.find((one) => one.bases.some((name) => base.test(name)))
}

function hit(subject: ModuleSubject, span: Span, args?: Hit['args']): Hit {
  const at = { path: '', span, source: subject.outline.source() }
  return args === undefined ? { at } : { at, args }
}

/** A rule about one role's class, where the file has it. */
function classRule(
  role: ModuleSubject['role'],
  rule: Omit<ModuleRule, 'check'>,
  check: (subject: ModuleSubject, block: PythonBlock) => Iterable<Hit>
): ModuleRule {
  return {
    ...rule,
    *check(subject) {
      const block = subject.role === role ? classOf(subject) : undefined
      if (block !== undefined) yield* check(subject, block)
    }
  }
}

/** The text of a block, strings included. */
function textOf({ outline }: ModuleSubject, { start, end }: Span): string {
  return outline.text.slice(start, end)
}

const rules: readonly ModuleRule[] = [
  {
    id: 'nexrl/module-class',
    severity: 'error',
    message: {
      en: 'there is no class {name} in this file',
      zh: '该文件中没有类 {name}'
    },
    explanation: {
      en: 'NexRL loads the class by its name (CustomRolloutWorker or CustomTrainer unless the recipe names another) and stops with "Module … does not have class …".',
      zh: 'NexRL 按类名加载（recipe 未指定时为 CustomRolloutWorker 或 CustomTrainer），找不到时以 "Module … does not have class …" 终止。'
    },
    source: 'nexrl/utils/path_utils.py',
    *check(subject) {
      if (classOf(subject) !== undefined) return
      const standard = subject.role === 'worker' ? 'CustomRolloutWorker' : 'CustomTrainer'
      yield hit(subject, { start: 0, end: 0 }, { name: subject.className ?? standard })
    }
  },
  classRule(
    'worker',
    {
      id: 'nexrl/worker-base',
      severity: 'error',
      message: {
        en: '{name} extends no rollout worker',
        zh: '{name} 没有继承任何 rollout worker'
      },
      explanation: {
        en: 'Extend BaseRolloutWorker: the controller calls methods that come from there.',
        zh: '请继承 BaseRolloutWorker：控制器会调用来自基类的方法。'
      },
      source: WORKER
    },
    function* (subject, block) {
      if (block.bases.length === 0) yield hit(subject, block.nameSpan, { name: block.name })
    }
  ),
  classRule(
    'worker',
    {
      id: 'nexrl/worker-rollout',
      severity: 'error',
      message: { en: '{name} has no method rollout', zh: '{name} 没有 rollout 方法' },
      explanation: {
        en: 'A worker is given one task at a time by rollout(task); the base class leaves it open.',
        zh: '任务逐个交给 rollout(task)，基类没有实现它。'
      },
      source: WORKER
    },
    function* (subject, block) {
      const open = block.bases.some((base) => base.endsWith('BaseRolloutWorker'))
      const has = subject.outline.functions(block).some((one) => one.name === 'rollout')
      if (open && !has) yield hit(subject, block.nameSpan, { name: block.name })
    }
  ),
  classRule(
    'worker',
    {
      id: 'nexrl/worker-put',
      severity: 'error',
      message: {
        en: 'the worker never puts a trajectory into the pool',
        zh: '该 worker 从未把轨迹放入 pool'
      },
      explanation: {
        en: 'Return self._put_trajectory(trajectory) from rollout; without it a batch never gets ready.',
        zh: '请在 rollout 中返回 self._put_trajectory(trajectory)，否则 batch 永远不会就绪。'
      },
      source: WORKER
    },
    function* (subject, block) {
      const rollout = subject.outline.functions(block).find((one) => one.name === 'rollout')
      const calls = subject.outline.calls('_put_trajectory', block).length
      const inherits = subject.outline.calls('super', block).length > 0
      if (rollout !== undefined && calls === 0 && !inherits) yield hit(subject, rollout.nameSpan)
    }
  ),
  classRule(
    'worker',
    {
      id: 'nexrl/worker-is-val',
      severity: 'error',
      message: {
        en: 'Trajectory without is_val',
        zh: 'Trajectory 缺少 is_val'
      },
      explanation: {
        en: 'is_val is required: pass is_val=task.get("is_val", False), so that validation is not trained on.',
        zh: 'is_val 是必填项：请传 is_val=task.get("is_val", False)，以免用验证样本训练。'
      },
      source: 'nexrl/nexrl_types.py'
    },
    function* (subject, block) {
      for (const call of subject.outline.calls('Trajectory', block)) {
        const spread = call.arguments.some((part) => part.startsWith('**'))
        const named = call.arguments.some((part) => /^is_val\s*=/.test(part))
        const positional = call.arguments.filter((part) => !/^(?:\w+\s*=|\*)/.test(part)).length
        if (!spread && !named && positional < 4) yield hit(subject, call)
      }
    }
  ),
  classRule(
    'worker',
    {
      id: 'nexrl/worker-logprobs',
      severity: 'error',
      message: {
        en: 'no logprobs are stored with the trajectory',
        zh: '轨迹中没有保存 logprobs'
      },
      explanation: {
        en: 'The remote trainers read extra_fields["logprobs"] of every trajectory, one number a token and 0.0 over the prompt, and fail at the first step without (KeyError "Key \'logprobs\' not found in Trajectory").',
        zh: '远程 trainer 会读取每条轨迹的 extra_fields["logprobs"]（每个 token 一个数，提示部分为 0.0），缺少时第一步即失败（KeyError "Key \'logprobs\' not found in Trajectory"）。'
      },
      source: CONVERT
    },
    function* (subject, block) {
      const [first] = subject.outline.calls('Trajectory', block)
      if (first === undefined) return
      const keyword = subject.outline
        .calls('dict', block)
        .some((call) => call.arguments.some((part) => /^logprobs\s*=/.test(part)))
      const stored = keyword || /["']logprobs["']\s*[:\]]/.test(textOf(subject, block))
      if (!stored) yield hit(subject, first)
    }
  ),
  classRule(
    'worker',
    {
      id: 'nexrl/worker-origin-fields',
      severity: 'warning',
      message: {
        en: 'extra_fields names no {names}',
        zh: 'extra_fields 中没有 {names}'
      },
      explanation: {
        en: 'Trajectories are grouped by group_id (or uid) and averaged by run_id; model_tag says which weights answered. Copy them from the task.',
        zh: '轨迹按 group_id（或 uid）分组、按 run_id 求均值，model_tag 表明由哪份权重作答。请从 task 中复制。'
      },
      source: 'nexrl/trainer/remote_api_grpo_trainer.py'
    },
    function* (subject, block) {
      const [first] = subject.outline.calls('Trajectory', block)
      if (first === undefined) return
      const text = textOf(subject, block)
      const said = (name: string): boolean => new RegExp(`["']${name}["']`).test(text)
      const missing = ORIGIN_FIELDS.filter((name) => !said(name))
      if (!said('group_id') && !said('uid')) missing.unshift('group_id')
      // Handing the whole task on names them all.
      if (missing.length > 0 && !/\*\*\s*task\b|\btask\.items\(\)/.test(text))
        yield hit(subject, first, { names: missing.join(', ') })
    }
  ),
  classRule(
    'worker',
    {
      id: 'nexrl/worker-truncate',
      severity: 'warning',
      message: {
        en: '_check_and_truncate is never called',
        zh: '没有调用 _check_and_truncate'
      },
      explanation: {
        en: 'A trajectory longer than max_sequence_length raises. Call tokens, loss_mask, logprobs = self._check_and_truncate(tokens, loss_mask, logprobs) before building it.',
        zh: '超过 max_sequence_length 的轨迹会报错。构造之前请先调用 self._check_and_truncate(tokens, loss_mask, logprobs)。'
      },
      source: WORKER
    },
    function* (subject, block) {
      const [first] = subject.outline.calls('Trajectory', block)
      if (first !== undefined && subject.outline.calls('_check_and_truncate', block).length === 0)
        yield hit(subject, first)
    }
  ),
  classRule(
    'worker',
    {
      id: 'nexrl/worker-completion',
      severity: 'error',
      message: {
        en: '{name}["{key}"] is a KeyError: the tokens are below "nexrl_train"',
        zh: '{name}["{key}"] 会引发 KeyError：token 位于 "nexrl_train" 之下'
      },
      explanation: {
        en: 'completion and generate answer like OpenAI, plus nexrl_train with prompt_tokens, response_tokens and response_logprobs. Write {name}["nexrl_train"]["{key}"]. The sample of the vendor’s page has this mistake.',
        zh: 'completion 与 generate 的应答与 OpenAI 相同，另有 nexrl_train（含 prompt_tokens、response_tokens、response_logprobs）。请写 {name}["nexrl_train"]["{key}"]。官方页面的示例有此错误。'
      },
      source: 'nexrl/inference_service_client/base_inference_service_client.py'
    },
    completionKeys
  ),
  classRule(
    'trainer',
    {
      id: 'nexrl/trainer-prepare',
      severity: 'error',
      message: {
        en: '{name} has no method _prepare_trajectories',
        zh: '{name} 没有 _prepare_trajectories 方法'
      },
      explanation: {
        en: 'RemoteApiTrainer leaves _prepare_trajectories(trajectories, metrics) to the class that extends it.',
        zh: 'RemoteApiTrainer 把 _prepare_trajectories(trajectories, metrics) 留给子类实现。'
      },
      source: TRAINER
    },
    function* (subject, block) {
      const open = block.bases.some((base) => /(?:^|\.)RemoteApiTrainer$/.test(base))
      const has = subject.outline
        .functions(block)
        .some((one) => one.name === '_prepare_trajectories')
      if (open && !has) yield hit(subject, block.nameSpan, { name: block.name })
    }
  ),
  classRule(
    'trainer',
    {
      id: 'nexrl/trainer-attribute',
      severity: 'error',
      message: {
        en: '{name}.advantage is an attribute nobody reads: set {name}["advantage"]',
        zh: '{name}.advantage 是不会被读取的属性：请设置 {name}["advantage"]'
      },
      explanation: {
        en: 'The conversion to training data looks the advantage up as an item of the trajectory, or extra_fields["token_advantages"]. The sample of the vendor’s page sets the attribute.',
        zh: '转换训练数据时以下标读取优势值，或读取 extra_fields["token_advantages"]。官方页面的示例设置的是属性。'
      },
      source: CONVERT
    },
    function* (subject, block) {
      for (const found of textMatches(subject, block, /\b(\w+)\.advantage\s*=(?!=)/g))
        yield hit(subject, found.span, { name: found.groups[0] ?? '' })
    }
  ),
  classRule(
    'trainer',
    {
      id: 'nexrl/trainer-advantage',
      severity: 'error',
      message: {
        en: 'no advantage is set on the trajectories',
        zh: '没有给轨迹设置优势值'
      },
      explanation: {
        en: 'Set trajectory["advantage"], one number, or extra_fields["token_advantages"], one a token. A trajectory whose advantages are all 0 is dropped.',
        zh: '请设置 trajectory["advantage"]（一个数）或 extra_fields["token_advantages"]（每 token 一个）。优势全为 0 的轨迹会被丢弃。'
      },
      source: CONVERT
    },
    function* (subject, block) {
      const prepare = subject.outline
        .functions(block)
        .find((one) => one.name === '_prepare_trajectories')
      if (prepare === undefined) return
      const text = textOf(subject, block)
      const set =
        /["'](?:advantage|token_advantages)["']/.test(text) || /\.advantage\s*=/.test(text)
      if (!set && subject.outline.calls('super', prepare).length === 0)
        yield hit(subject, prepare.nameSpan)
    }
  )
]

export const moduleRules: readonly Rule<ModuleSubject>[] = rules.map((rule) => ({
  ...rule,
  dialects: NEXRL
}))

function* textMatches(
  { outline }: ModuleSubject,
  within: Span,
  pattern: RegExp
): Generator<{ span: Span; groups: string[] }> {
  for (const match of outline.text.slice(within.start, within.end).matchAll(pattern)) {
    const start = within.start + match.index
    // Only code counts: in a string or a comment the same place is blank.
    if (outline.code.charAt(start) !== outline.text.charAt(start)) continue
    yield { span: { start, end: start + match[0].length }, groups: match.slice(1) }
  }
}

function* completionKeys(subject: ModuleSubject, block: PythonBlock): Generator<Hit> {
  const text = textOf(subject, block)
  const answers = new Set<string>()
  const asked = /\b(\w+)\s*=\s*(?:await\s+)?[\w.]*\.?(?:completion|generate)\s*\(/g
  for (const match of textMatches(subject, block, asked)) answers.add(match.groups[0] ?? '')
  const pattern = /\b(\w+)\[\s*["'](prompt_tokens|response_tokens|response_logprobs)["']\s*\]/g
  for (const { span, groups } of textMatches(subject, block, pattern)) {
    const [name = '', key = ''] = groups
    const part = new RegExp(`\\b${name}\\s*=[^\\n]*nexrl_train`).test(text)
    if (answers.has(name) && !part) yield hit(subject, span, { name, key })
  }
}

/** Reads a Python file on its own: what it is for is told from the classes in it. */
export function moduleSubject(file: string, text: string): ModuleSubject {
  const outline = new PythonOutline(file, text)
  const trains = outline.classes.some(
    ({ name, bases }) => name === 'CustomTrainer' || bases.some((base) => /Trainer$/.test(base))
  )
  const role = trains ? 'trainer' : 'worker'
  const standard = role === 'worker' ? 'CustomRolloutWorker' : 'CustomTrainer'
  const named = outline.classes.some((one) => one.name === standard)
  return { outline, role, className: named ? standard : null }
}
