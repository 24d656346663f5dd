import type { CheckInput } from '../../../../src-main/engine/recipes'
import { modelFromConfig } from '../../../../src-main/engine/recipes'
import {
  nexrlBase,
  practiceRecipe,
  saoRecipe,
  soundTrainer,
  soundWorker,
  tttdRecipe,
  unversionedRecipe,
  withLine
} from './recipe-texts'

type Base = 'sao' | 'tttd' | 'old' | 'practice' | 'nexrl'

/** One way to break one rule: changes to a sound recipe. Without the changes the rule must be silent. */
export interface RuleCase {
  rule: string
  base: Base
  /** Texts replaced in the base. */
  change?: readonly (readonly [string, string])[]
  /** Lines added to `training.options` (or flags added to the folded string). */
  options?: readonly string[]
  /** Fields removed from `training.options`. */
  without?: readonly string[]
  more?: Partial<CheckInput>
  /** The whole text instead of a base. */
  text?: string
}

const bases: Readonly<Record<Base, () => string>> = {
  sao: saoRecipe,
  tttd: tttdRecipe,
  old: unversionedRecipe,
  practice: practiceRecipe,
  nexrl: () => nexrlBase().text
}

export function baseInput(base: Base): CheckInput {
  const siblings = base === 'nexrl' ? nexrlBase().siblings : {}
  const environment = {
    REEF_TOKEN: 'a-token-for-tests',
    WEAVER_API_KEY: 'k-1',
    WANDB_HOST: 'h',
    WANDB_KEY: 'k',
    DATA: '/data'
  }
  return { path: `${base}.yaml`, text: bases[base](), siblings, environment }
}

export function brokenInput(one: RuleCase): CheckInput {
  const input = baseInput(one.base)
  let text = one.text ?? input.text
  for (const [from, to] of one.change ?? []) text = withLine(text, from, to)
  for (const name of one.without ?? [])
    text = text.replace(new RegExp(`^ {4}${name}:.*\n`, 'm'), '')
  for (const line of one.options ?? []) {
    text =
      one.base === 'old'
        ? withLine(text, '    --lr=1e-5', `    ${line}\n    --lr=1e-5`)
        : withLine(
            text,
            '    megatron-to-hf-mode: "bridge"\n',
            `    megatron-to-hf-mode: "bridge"\n    ${line}\n`
          )
  }
  return { ...input, text, ...one.more }
}

const family = (implementation: string): readonly [string, string] => [
  'recipes.sao.recipe:SAORecipe',
  implementation
]
const sao = (rule: string, ...options: string[]): RuleCase => ({ rule, base: 'sao', options })
const saoChange = (rule: string, from: string, to: string): RuleCase => ({
  rule,
  base: 'sao',
  change: [[from, to]]
})
const saoWithout = (rule: string, ...without: string[]): RuleCase => ({
  rule,
  base: 'sao',
  without
})
const tttd = (rule: string, ...options: string[]): RuleCase => ({ rule, base: 'tttd', options })
const tttdChange = (rule: string, from: string, to: string): RuleCase => ({
  rule,
  base: 'tttd',
  change: [[from, to]]
})
const old = (rule: string, from: string, to: string): RuleCase => ({
  rule,
  base: 'old',
  change: [[from, to]]
})
const oldC = (rule: string): RuleCase => ({ rule, base: 'old', more: { generation: 'C' } })
const nexrl = (rule: string, from: string, to: string): RuleCase => ({
  rule,
  base: 'nexrl',
  change: [[from, to]]
})

/** A NexRL recipe that names a Python file of its own, with this text (null: the file is not there). */
function module(rule: string, role: 'worker' | 'trainer', text: string | null): RuleCase {
  const change: readonly [string, string] =
    role === 'worker'
      ? [
          '  type: agent',
          '  type: nexau\n  tokenizer: tok\n  custom_rollout_worker_module_path: own.py'
        ]
      : ['  type: remote_api_grpo', '  type: custom\n  custom_trainer_module_path: own.py']
  return { rule, base: 'nexrl', change: [change], more: { modules: { 'own.py': text } } }
}

const worker = (rule: string, ...changes: string[]): RuleCase =>
  module(rule, 'worker', changed(soundWorker, changes))
const trainer = (rule: string, ...changes: string[]): RuleCase =>
  module(rule, 'trainer', changed(soundTrainer, changes))

function changed(text: string, changes: readonly string[]): string {
  let result = text
  for (let at = 0; at < changes.length; at += 2)
    result = withLine(result, changes[at] ?? '', changes[at + 1] ?? '')
  return result
}

const practice = (rule: string, from: string, to: string): RuleCase => ({
  rule,
  base: 'practice',
  change: [[from, to]]
})

const qwen = modelFromConfig(
  'Qwen2.5-1.5B-Instruct',
  {
    hidden_size: 1536,
    num_hidden_layers: 28,
    num_attention_heads: 12,
    num_key_value_heads: 2,
    vocab_size: 151936,
    tie_word_embeddings: true,
    max_position_embeddings: 2048
  },
  ['model.layers.0.self_attn.q_proj.bias']
)

export const ruleCases: readonly RuleCase[] = [
  { rule: 'yaml/syntax', base: 'sao', text: 'reef: {a: [1\n' },
  { rule: 'yaml/tab', base: 'sao', text: 'schema-version: 2\nreef:\n\tport: 8900\n' },
  { rule: 'yaml/alias', base: 'sao', text: 'schema-version: 2\nreef: &a\n  x: *a\n' },
  { rule: 'yaml/too-deep', base: 'sao', text: `reef: ${'['.repeat(200)}${']'.repeat(200)}\n` },
  { rule: 'yaml/too-large', base: 'sao', text: `reef: {}\n# ${'x'.repeat(1_000_000)}\n` },
  { rule: 'yaml/unknown-layout', base: 'sao', text: 'apiVersion: v1\nkind: Pod\n' },
  { rule: 'yaml/several-documents', base: 'sao', text: 'schema-version: 2\n---\nreef: {}\n' },
  { rule: 'yaml/root', base: 'sao', text: '- a\n' },
  saoChange('yaml/duplicate-key', '  port: 8900', '  port: 8900\n  port: 8901'),
  saoChange(
    'yaml/exponent',
    '    global_batch_size: 128',
    '    global_batch_size: 128\n    rate: 1e-4'
  ),
  saoChange('yaml/norway', 'enabled: false', 'enabled: off'),
  saoChange('v2/version', 'schema-version: 2', 'schema-version: 3'),
  saoChange('v2/services', 'recipe:\n', 'services: []\nrecipe:\n'),
  saoChange('v2/misspelt-section', '\ntraining:\n', '\ntrainning:\n'),
  saoChange('v2/unknown-section', 'recipe:\n', 'sglang: {}\nrecipe:\n'),
  saoChange('v2/section-type', 'recipe:\n', 'evaluation: []\nrecipe:\n'),
  saoChange('v2/unknown-field', '  port: 8900', '  prot: 8900'),
  saoChange(
    'v2/duplicate-spelling',
    '  run-dir: /srv/run/stack',
    '  run-dir: /srv/run/stack\n  run_dir: /srv/x'
  ),
  saoChange('v2/null', '  port: 8900', '  port: null'),
  saoChange('v2/field-type', '  port: 8900', '  port: none'),
  saoChange('v2/retention-days', 'storage:', 'storage:\n  agent-record-retention-days: 3'),
  saoChange('v2/record-database', 'storage:', 'storage:\n  record-database-schema: x'),
  saoChange('v2/evaluation-module', 'recipe:\n', 'evaluation:\n  config: {}\nrecipe:\n'),
  saoChange('v2/generator-tasks', 'recipe:\n', 'generator:\n  port: 8910\nrecipe:\n'),
  saoChange('recipe/field-type', 'max-staleness: 18', 'max-staleness: "eighteen"'),
  saoChange('v2/recipe-field', 'max-staleness: 18', 'max-stale: 18'),
  saoChange('v2/sao-optimization', 'max-staleness: 18', 'optimization: {}'),
  { rule: 'v2/required-field', base: 'sao', change: [family('recipes.sft.recipe:SFTRecipe')] },
  {
    rule: 'reef/engine-flag',
    base: 'sao',
    options: ['sglang-context-length: "4096"'],
    more: { generation: 'C' }
  },
  tttd('reef/placement-flag', 'colocate: true'),
  saoChange('reef/sglang-prefix', 'router-port: "30000"', 'sglang-router-port: "30000"'),
  saoChange('reef/reserved-engine-option', 'router-port: "30000"', 'tp: 1'),
  saoChange('reef/model-path', '  model-path: /models/Qwen2.5-1.5B-Instruct\n', ''),
  practice('reef/model-path', '  model-path: practice/tiny-policy\n', ''),
  ...['Qwen/Qwen3 8B', 'a/b/c', 'Qwen/', '-x/y', 'x/y?', 'Qwen\\Qwen3'].map((id) =>
    saoChange('reef/model-id', '/models/Qwen2.5-1.5B-Instruct', id)
  ),
  sao('reef/hf-checkpoint', 'hf-checkpoint: /models/other'),
  saoChange(
    'reef/upstream-with-training',
    '  timeout-s: 7200\nrecipe',
    '  timeout-s: 7200\n  upstream-url: http://x\nrecipe'
  ),
  saoChange('reef/execution-backend', 'recipe:\n', 'execution:\n  training: local\nrecipe:\n'),
  saoChange(
    'reef/handler',
    '  timeout-s: 7200\nrecipe',
    '  timeout-s: 7200\n  handler-factory: my.Handler\nrecipe'
  ),
  saoChange('batch/agreement', 'batch-size: 128 #', 'batch-size: 32 #'),
  saoChange('batch/positive', 'batch-size: 128 #', 'batch-size: 0 #'),
  {
    rule: 'batch/smoke',
    base: 'sao',
    change: [
      ['batch-size: 128 #', 'batch-size: 1 #'],
      ['global_batch_size: 128', 'global_batch_size: 1']
    ]
  },
  saoChange('batch/omitted', '    batch-size: 128 # reports per step\n', ''),
  tttdChange('batch/grid-minimum', 'rollouts-per-group: 64', 'rollouts-per-group: 1'),
  tttdChange(
    'batch/grid-flags',
    'rollout-batch-size: "${recipe.config.groups-per-step}"',
    'rollout-batch-size: "4"'
  ),
  { rule: 'batch/grid-of-agent', base: 'tttd' },
  {
    rule: 'batch/groups',
    base: 'sao',
    change: [
      family('recipes.sao.recipe:SAOGrpoControlRecipe'),
      ['n-samples-per-prompt: "1"', 'n-samples-per-prompt: "3"']
    ]
  },
  {
    rule: 'batch/single-sample-group',
    base: 'sao',
    change: [family('recipes.sao.recipe:SAOGrpoControlRecipe')]
  },
  {
    rule: 'batch/coral-grid',
    base: 'tttd',
    change: [['recipes.tttd.recipe:TTTDRecipe', 'recipes.beta.coral.recipe:CoralRecipe']]
  },
  sao('batch/slime-formula', 'num-steps-per-rollout: "2"'),
  {
    rule: 'batch/steps-remainder',
    base: 'sao',
    without: ['global-batch-size'],
    options: ['num-steps-per-rollout: "3"']
  },
  saoWithout('batch/silent-fallback', 'global-batch-size'),
  saoWithout('batch/rollout-required', 'rollout-batch-size'),
  saoChange('batch/micro-divides', 'micro-batch-size: "1"', 'micro-batch-size: "3"'),
  saoChange('batch/num-rollout', 'num-rollout: "100000000"', 'num-rollout: "0"'),
  saoChange('batch/run-ends', 'num-rollout: "100000000"', 'num-rollout: "50"'),
  saoChange('gpu/engine-split', '  tensor-parallel-size: "1"', '  tensor-parallel-size: "2"'),
  {
    rule: 'gpu/standalone-split',
    base: 'sao',
    change: [family('recipe'), ['  num-gpus: "1"', '  num-gpus: "2"']]
  },
  saoChange('gpu/world-size', 'tensor-model-parallel-size: "1"', 'tensor-model-parallel-size: "2"'),
  sao('gpu/expert-world-size', 'expert-model-parallel-size: "2"'),
  saoChange('gpu/per-node', 'num-gpus-per-node: "2"', 'num-gpus-per-node: "1"'),
  saoWithout('gpu/node-default', 'actor-num-gpus-per-node'),
  old('gpu/legacy-total', '  global_batch_size: 16', '  global_batch_size: 16\n  num_gpus: 9'),
  old(
    'gpu/visible-devices',
    '  global_batch_size: 16',
    '  global_batch_size: 16\n  num_gpus: 5\n  cuda_visible_devices: "0,1"'
  ),
  tttd('gpu/colocate-offload', 'no-offload-train: true'),
  sao('gpu/offload-alone', 'offload-rollout: true'),
  old('gpu/rollout-gpus', '--rollout-num-gpus=1', ''),
  sao('gpu/debug-only', 'debug-train-only: true'),
  sao('gpu/sequence-parallel', 'sequence-parallel: true'),
  tttd('gpu/moe-sequence-parallel', 'moe-grouped-gemm: true'),
  {
    rule: 'gpu/context-length',
    base: 'sao',
    options: ['context-parallel-size: "2"'],
    change: [['seq-length: "4096"', 'seq-length: "4098"']]
  },
  sao('gpu/uneven-pipeline', 'decoder-first-pipeline-num-layers: "2"'),
  sao('gpu/experts-divide', 'num-experts: "9"', 'moe-router-num-groups: "2"'),
  saoChange('family/loss-type', 'loss-type: "policy_loss"', 'loss-type: "custom_loss"'),
  saoWithout('family/rollout-logprobs', 'use-rollout-logprobs'),
  { rule: 'family/advantages-off', base: 'sao', change: [family('recipes.opd.recipe:OPDRecipe')] },
  tttd('family/advantages-kept', 'disable-compute-advantages-and-returns: true'),
  tttdChange('tttd/kl-coef', 'kl-coef: "0.1"', 'kl-coef: "0"'),
  saoWithout('sao/critic', 'use-critic'),
  saoWithout('sao/eps-clip-high-set', 'eps-clip-high'),
  saoChange('sao/eps-clip', 'eps-clip: "0.3"', 'eps-clip: "1.3"'),
  saoChange('sao/eps-clip-high', 'eps-clip-high: "5.0"', 'eps-clip-high: "-1"'),
  saoChange('sao/critic-steps', 'critic-steps-per-actor: "2"', 'critic-steps-per-actor: "0"'),
  saoChange('sao/critic-only', 'num-critic-only-steps: "0"', 'num-critic-only-steps: "-1"'),
  sao('sao/critic-lambda', 'sao-critic-lambda: "2"'),
  saoChange('sao/lambda-alpha', 'sao-lambda-alpha: "1.5"', 'sao-lambda-alpha: "0"'),
  saoChange('sao/critic-warm-up', 'num-critic-only-steps: "0"', 'num-critic-only-steps: "10"'),
  {
    rule: 'grpo/estimator',
    base: 'sao',
    change: [family('recipes.sao.recipe:SAOGrpoControlRecipe')],
    options: ['advantage-estimator: gspo']
  },
  {
    rule: 'grpo/no-critic',
    base: 'sao',
    change: [family('recipes.sao.recipe:SAOGrpoControlRecipe')]
  },
  { rule: 'opd/teacher', base: 'sao', change: [family('recipes.opd.recipe:OPDRecipe')] },
  old('openclawrl/judge-tokenizer', '  prm_tokenizer_path: ${judge.model_path}\n', ''),
  old('openclawrl/no-judge', '  prm_url: ${endpoints.judge}\n', ''),
  { rule: 'sdft/teacher-moves', base: 'sao', change: [family('recipes.sdft.recipe:SDFTRecipe')] },
  sao('score-centering/refused', 'score-centering: true', 'use-opsm: true'),
  sao('score-centering/top-k', 'score-centering: true'),
  saoChange('checkpoint/template', '/hf/{rollout_id}"', '/hf"'),
  saoWithout('checkpoint/save', 'save'),
  saoChange('checkpoint/siblings', '/hf/{rollout_id}"', '/megatron/{rollout_id}"'),
  sao('checkpoint/critic-sibling', 'critic-save: /elsewhere/critic'),
  old('checkpoint/first-start', '      --hf-checkpoint=${reef.model_path}\n', ''),
  saoChange(
    'checkpoint/load-save',
    'load: "${training.config.checkpoint_dir}/megatron"',
    'load: "/other"'
  ),
  saoChange('checkpoint/save-interval', 'save-interval: "100"', 'save-interval: "0"'),
  sao('checkpoint/critic-save-interval', 'critic-save-interval: "0"'),
  sao('checkpoint/policy', 'reef-checkpoint-policy: best'),
  sao('checkpoint/fractions', 'reef-checkpoint-max-storage-fraction: "0.95"'),
  sao('checkpoint/size-unit', 'reef-checkpoint-max-storage: "600"'),
  sao('checkpoint/adapter-only', 'reef-checkpoint-adapter-only: true'),
  saoChange(
    'checkpoint/cadence',
    'checkpoint-every-n-versions: 1',
    'checkpoint-every-n-versions: 4'
  ),
  saoChange(
    'checkpoint/cadence-positive',
    'checkpoint-every-n-versions: 1',
    'checkpoint-every-n-versions: 0'
  ),
  tttdChange('lora/rank', 'megatron-lora-rank: "32"', 'megatron-lora-rank: "-1"'),
  tttdChange('lora/dropout', 'megatron-lora-dropout: "0"', 'megatron-lora-dropout: "1"'),
  tttdChange('lora/alpha', 'megatron-lora-alpha: "32"', 'megatron-lora-alpha: "0"'),
  tttd('lora/slots', 'max-loaded-loras: "0"'),
  tttd('lora/verify-interval', 'verify-lora-base-weights-interval: "0"'),
  sao('lora/needs-rank', 'megatron-lora-alpha: "8"'),
  tttdChange('lora/bridge-mode', 'megatron-to-hf-mode: "bridge"', 'megatron-to-hf-mode: "raw"'),
  tttd('lora/param-lists', 'freeze-params-name-list: [a]'),
  tttdChange('lora/colocated-engine', '  tensor-parallel-size: 1', '  tensor-parallel-size: 2'),
  {
    rule: 'lora/base-resident',
    base: 'tttd',
    change: [['  colocate: true\n', '']],
    options: ['keep-lora-base-resident: true']
  },
  tttdChange('lora/learning-rate', 'lr: "4e-5"', 'lr: "1e-7"'),
  tttdChange('slime/dynamic-tokens', '    max-tokens-per-gpu: "30000"\n', ''),
  sao('slime/balance-by-flops', 'balance-by-flops: true'),
  sao('slime/logprobs-or-tis', 'use-tis: true'),
  sao('slime/mismatch-metrics', 'get-mismatch-metrics: true'),
  sao('slime/mtp', 'enable-mtp-training: true'),
  sao('slime/param-lists', 'only-train-params-name-list: [a]', 'freeze-params-name-list: [b]'),
  sao('slime/opd-type', 'use-opd: true'),
  sao('slime/opd-load', 'opd-teacher-load: /x'),
  sao('slime/warm-up', 'lr-warmup-fraction: "0.1"', 'lr-warmup-iters: "5"'),
  saoWithout('slime/save-needs-interval', 'save-interval'),
  sao('slime/disk-transport', 'update-weight-local-checkpoint-dir: /x'),
  saoChange('slime/choice', 'loss-type: "policy_loss"', 'loss-type: "policy"'),
  saoChange('slime/number', 'seq-length: "4096"', 'seq-length: "many"'),
  sao('slime/json', "train-env-vars: '{a'"),
  sao('slime/tokens-without-dynamic', 'max-tokens-per-gpu: "4096"'),
  tttd('slime/one-kl', 'kl-loss-coef: "0.1"', 'use-kl-loss: true'),
  sao('slime/kl-without-loss', 'kl-loss-coef: "0.1"'),
  sao('slime/kl-only-watched', 'use-kl-loss: true'),
  sao('slime/kl-reference', 'kl-coef: "0.1"'),
  sao('slime/normalize-advantages', 'advantage-estimator: reinforce_plus_plus'),
  sao('slime/cispo-clip', 'advantage-estimator: cispo'),
  tttdChange('slime/temperature', 'rollout-temperature: "1"', 'rollout-temperature: "0"'),
  tttd('slime/prompt-length', 'rollout-max-prompt-len: "30000"'),
  sao('slime/over-sampling', 'over-sampling-batch-size: "8"'),
  tttdChange('slime/recompute', '    recompute-method: "uniform"\n', ''),
  sao('slime/min-lr', 'min-lr: "1e-3"'),
  sao('slime/custom-config', 'custom-config-path: /x.yaml'),
  sao('slime/health-first-wait', 'use-fault-tolerance: true'),
  sao('slime/update-weight', 'update-weight-transport: disk'),
  sao('slime/opd-teacher', 'use-opd: true', 'opd-type: megatron'),
  sao('flags/misspelt', 'hiden-size: "1536"'),
  sao('flags/unknown', 'frobnicate-everything: true'),
  old('flags/comment', '    --lr=1e-5', '    # slower\n    --lr=1e-5'),
  old('flags/loose-words', '      --save-interval=100', '      --save-interval=100 --bf16 -q'),
  saoChange('env/required', 'token: ${REEF_TOKEN}', 'token: ${NOT_THERE:?}'),
  saoChange('env/path-from-root', 'run-dir: /srv/run/stack', 'run-dir: ${NOT_THERE}/stack'),
  saoChange('env/empty-number', 'seq-length: "4096"', 'seq-length: "${NOT_THERE}"'),
  saoChange('env/unset', 'token: ${REEF_TOKEN}', 'token: ${NOT_THERE}'),
  saoChange(
    'env/unknown-reference',
    'seq-length: "4096"',
    'seq-length: "${training.config.nothing}"'
  ),
  saoChange(
    'env/reference-loop',
    'checkpoint_dir: /srv/run/checkpoints',
    'checkpoint_dir: ${training.config.checkpoint_dir}'
  ),
  saoChange(
    'env/too-long',
    '    global_batch_size: 128',
    `    a: ${'x'.repeat(9_000)}\n    b: "${'${training.config.a}'.repeat(10)}"\n    global_batch_size: 128`
  ),
  saoChange('env/shell-default', 'run-dir: /srv/run/stack', 'run-dir: ${STATE:-/srv}/stack'),
  saoChange('secret/in-file', 'token: ${REEF_TOKEN}', 'token: hunter2hunter2'),
  saoChange('secret/in-path', 'run-dir: /srv/run/stack', 'run-dir: /srv/${reef.token}/stack'),
  {
    rule: 'service/open',
    base: 'sao',
    change: [
      ['host: 127.0.0.1', 'host: 0.0.0.0'],
      ['  token: ${REEF_TOKEN}\n', '']
    ]
  },
  saoChange('service/port-range', '  port: 8900', '  port: 10500'),
  saoChange('service/port-clash', 'router-port: "30000"', 'router-port: "8900"'),
  saoChange('service/origin', '  port: 8900', '  port: 8900\n  console-origins: ["http://a/b"]'),
  old('service/engine-open', '--host 127.0.0.1 --port', '--host 0.0.0.0 --port'),
  saoChange('time/training-timeout', 'timeout-s: 14400', 'timeout-s: 600'),
  {
    rule: 'time/inference-timeout',
    base: 'tttd',
    change: [['  timeout-s: 7200\nrecipe', 'recipe']]
  },
  tttdChange(
    'length/context',
    'rollout-max-response-len: "26000"',
    'rollout-max-response-len: "30000"'
  ),
  tttdChange('length/engine-context', 'context-length: "30000"', 'context-length: "8192"'),
  saoChange(
    'length/sequence',
    'rollout-max-response-len: "2048"',
    'rollout-max-response-len: "8192"'
  ),
  tttdChange('length/tokens-per-gpu', 'max-tokens-per-gpu: "30000"', 'max-tokens-per-gpu: "3000"'),
  { rule: 'train/dropout', base: 'sao', without: ['attention-dropout'], more: { generation: 'B' } },
  sao('wandb/flags', 'use-wandb: true'),
  saoChange('wandb/key', 'enabled: false', 'enabled: true'),
  saoChange('path/relative-state', 'run-dir: /srv/run/stack', 'run-dir: work/stack'),
  { rule: 'tinker/staleness', base: 'sao', change: [['backend: slime', 'backend: tinker']] },
  { rule: 'tinker/state-dir', base: 'sao', change: [['backend: slime', 'backend: tinker']] },
  { rule: 'tinker/key', base: 'sao', change: [['backend: slime', 'backend: tinker']] },
  { rule: 'practice/backend', base: 'practice' },
  { rule: 'recipe/records-only', base: 'sao', change: [family('recipe')] },
  saoChange(
    'recipe/big-model-cadence',
    '/models/Qwen2.5-1.5B-Instruct',
    '/models/Qwen2.5-32B-Instruct'
  ),
  old(
    'legacy/handler-missing',
    '  inference_backend_factory: reef.train.slime_backend.reef_adapters.sglang.chat.SGLangChatTrainingInferenceBackend\n',
    ''
  ),
  oldC('legacy/old-handler'),
  oldC('legacy/old-driver'),
  old('legacy/recipe-field', '  batch_size: 16', '  batch_size: 16\n  batch_sise: 16'),
  old('legacy/recipe-missing', '  recipe: recipes.openclawrl.recipe:OpenClawRLRecipe\n', ''),
  old('legacy/field-type', '  port: 28900', '  port: [28900]'),
  old('legacy/command-quotes', '    --lr=1e-5', '    --lr="1e-5'),
  old('legacy/dependency', 'depends_on: [judge]', 'depends_on: [nobody]'),
  saoWithout('model/qkv-bias', 'add-qkv-bias'),
  sao('model/qk-norm', 'qk-layernorm: true'),
  saoChange('model/figures', 'padded-vocab-size: "151936"', 'padded-vocab-size: "32000"'),
  saoWithout('model/vocab-missing', 'padded-vocab-size'),
  sao('model/tied', 'untie-embeddings-and-output-weights: true'),
  {
    rule: 'model/heads',
    base: 'sao',
    change: [['tensor-model-parallel-size: "1"', 'tensor-model-parallel-size: "5"']],
    more: { model: qwen }
  },
  {
    rule: 'model/pipeline',
    base: 'sao',
    options: ['pipeline-model-parallel-size: "3"'],
    more: { model: qwen }
  },
  { rule: 'model/positions', base: 'sao', more: { model: qwen } },
  { rule: 'nexrl/defaults-missing', base: 'nexrl', more: { siblings: {} } },
  nexrl('nexrl/defaults-self', '  - common\n', '  - common\n  - nexrl\n'),
  nexrl('nexrl/self-order', '  - common\n  - _self_', '  - _self_\n  - common'),
  nexrl('nexrl/missing-variable', 'tokenizer_path: tok', 'tokenizer_path: ${oc.env:NOT_THERE}'),
  nexrl('nexrl/unknown-reference', 'tokenizer_path: tok', 'tokenizer_path: ${data.nothing}'),
  nexrl('nexrl/reference-loop', 'tokenizer_path: tok', 'tokenizer_path: ${data.tokenizer_path}'),
  nexrl('nexrl/key-in-file', '${oc.env:WEAVER_API_KEY}', 'abcdefghijk'),
  {
    rule: 'nexrl/placeholder-key',
    base: 'nexrl',
    more: { environment: { WEAVER_API_KEY: 'put-your-key-here' } }
  },
  { rule: 'nexrl/keys-in-clear', base: 'nexrl' },
  nexrl('nexrl/experiment-in-base', 'experiment_name: mine\n', ''),
  {
    rule: 'nexrl/experiment-shared',
    base: 'nexrl',
    more: { siblings: { ...nexrlBase().siblings, 'other.yaml': 'experiment_name: mine\n' } }
  },
  nexrl('nexrl/pool-size', 'batch_size: 32 # prompts', 'batch_size: 512 # prompts'),
  nexrl('nexrl/pool-agreement', 'rollout_repeat_n: 8', 'rollout_repeat_n: 4'),
  nexrl('nexrl/batch-order', 'keep_batch_order: true', 'keep_batch_order: false'),
  nexrl('nexrl/batch-order-ready', 'keep_batch_order: true', 'keep_batch_order: false'),
  nexrl(
    'nexrl/ready-function',
    'weight:\n',
    'trajectory_pool:\n  check_batch_ready_function: soon\nweight:\n'
  ),
  nexrl('nexrl/response-length', 'max_tokens: 8192', 'max_tokens: 4096'),
  nexrl('nexrl/sequence-length', 'max_sequence_length: 12288', 'max_sequence_length: 4096'),
  nexrl('nexrl/repeat-n', 'rollout_repeat_n: 8', 'rollout_repeat_n: 1'),
  nexrl('nexrl/workers', 'num_workers: 256 #', 'num_workers: 999 #'),
  nexrl('nexrl/data-files', '.parquet', '.arrow'),
  nexrl('nexrl/validation-mock', 'weight:\n', 'validate:\n  data:\n    type: mock\nweight:\n'),
  nexrl(
    'nexrl/health-interval',
    'weight:\n',
    'runtime_monitor:\n  health_check:\n    check_interval: 2.5\nweight:\n'
  ),
  nexrl('nexrl/trainer-type', 'remote_api_grpo', 'remote_api_ppo_grpo'),
  nexrl('nexrl/worker-type', 'type: agent', 'type: other'),
  nexrl('nexrl/data-type', 'tokenizer_path: tok', 'tokenizer_path: tok\n  type: disk'),
  nexrl('nexrl/launch-mode', 'weight:\n', 'launch_mode: k8s\nweight:\n'),
  nexrl('nexrl/sync-mode', 'sync_mode: sync', 'sync_mode: never'),
  nexrl('nexrl/logger-backend', 'weight:\n', 'logger:\n  backend: [console, paper]\nweight:\n'),
  {
    rule: 'nexrl/wandb-environment',
    base: 'nexrl',
    change: [['weight:\n', 'logger:\n  backend: [wandb]\nweight:\n']],
    more: { environment: { WEAVER_API_KEY: 'k' } }
  },
  nexrl('nexrl/setup-script', 'weight:\n', 'environment:\n  require_setup_script: true\nweight:\n'),
  nexrl('nexrl/resume-ignored', 'weight:\n', 'resume:\n  mode: auto\nweight:\n'),
  nexrl('nexrl/inference-identifier', '    identifier: default # inference\n', ''),
  nexrl('nexrl/one-actor', 'role: actor', 'role: teacher'),
  nexrl('nexrl/actor-identifier', 'identifier: default # inference', 'identifier: student'),
  {
    rule: 'nexrl/flat-train-service',
    base: 'nexrl',
    change: [
      [
        '    main_actor:\n      identifier: default\n      role: actor\n      backend: weaver\n      config:\n        loss_fn: importance_sampling\n        learning_rate: 1e-4\n',
        '    identifier: default\n    backend: weaver\n'
      ]
    ]
  },
  nexrl('nexrl/backend-agreement', 'sync_method: weaver', 'sync_method: disk'),
  nexrl('nexrl/self-hosted-sync', 'remote_api_grpo', 'self_hosted_grpo'),
  nexrl('nexrl/network-sync', 'sync_method: weaver', 'sync_method: network'),
  nexrl('nexrl/fully-async', 'sync_mode: sync', 'sync_mode: fully-async'),
  nexrl('nexrl/worker-resource', 'agents_per_worker: 32', 'agents_per_worker: many'),
  nexrl('nexrl/model', 'model: Qwen/Qwen3-8B', 'model: ""'),
  nexrl('nexrl/loss-trainer', 'loss_fn: importance_sampling', 'loss_fn: cross_entropy'),
  nexrl('nexrl/teachers', 'remote_api_grpo', 'remote_api_opd'),
  nexrl('nexrl/pig-latin', 'type: agent', 'type: pig_latin'),
  nexrl('nexrl/nexau-tokenizer', 'type: agent', 'type: nexau'),
  nexrl(
    'nexrl/ray-custom-trainer',
    'type: remote_api_grpo',
    'type: remote_api_grpo\n  custom_trainer_module_path: t.py\nlaunch_mode: ray'
  ),
  practice('practice/option', '    speed: 1', '    sped: 1'),
  practice('practice/value', 'task: letters', 'task: sums'),
  practice('practice/batch', '    speed: 1', '    speed: 1\n    global-batch-size: 5'),
  practice('practice/loss', '    speed: 1', '    speed: 1\n    loss-type: sft_loss'),
  practice('practice/recipe', 'recipes.sao.recipe:SAORecipe', 'recipes.opd.recipe:OPDRecipe'),
  practice(
    'practice/cadence',
    '    batch-size: 16',
    '    batch-size: 16\n    checkpoint-every-n-versions: 4'
  ),
  { rule: 'nexrl/weights-expire', base: 'nexrl' },
  nexrl('nexrl/save-freq', 'type: remote_api_grpo', 'type: remote_api_grpo\n  save_freq: 0'),
  nexrl('nexrl/lora-rank', '    lora_rank: 32', '    lora_rank: 32\n    training_mode: full_ft'),
  nexrl('nexrl/learning-rate', '    lora_rank: 32', '    training_mode: full_ft'),
  nexrl(
    'nexrl/kl-ctrl',
    'type: remote_api_grpo',
    'type: remote_api_grpo\n  algorithm:\n    kl_ctrl: {}'
  ),
  nexrl(
    'nexrl/continue-policy',
    'weight:\n',
    'runtime_monitor:\n  exception_handling:\n    policy: continue\nweight:\n'
  ),
  {
    rule: 'slime/engine-pipeline',
    base: 'old',
    options: ['--sglang-pp-size=2']
  },
  { rule: 'slime/dp-attention', base: 'old', options: ['--sglang-dp-size=2'] },
  {
    rule: 'slime/engine-exclusive',
    base: 'old',
    options: ['--sglang-config=/srv/c.yaml', '--prefill-num-servers=1']
  },
  sao('slime/release-train', 'release-train: true'),
  sao('slime/stateless-adam', 'use-stateless-adam: true'),
  sao('slime/eval-data', 'eval-interval: "10"'),
  sao('slime/eval-pairs', 'eval-prompt-data: [aime, /data/aime.jsonl, more]'),
  sao('slime/group-rm-eval', 'group-rm: true', 'eval-interval: "10"', 'eval-config: /srv/e.yaml'),
  sao('slime/rm-type', 'rm-type: maths'),
  sao(
    'slime/endless-filter',
    'dynamic-sampling-filter-path: slime.rollout.filter_hub.dynamic_sampling_filters.check_reward_nonzero_std'
  ),
  sao('slime/num-epoch', 'num-epoch: "3"'),
  sao('slime/debug-dumps', 'save-debug-train-data: /srv/d', 'save-debug-rollout-data: /srv/d'),
  sao('slime/tensorboard', 'use-tensorboard: true'),
  sao('gpu/virtual-pipeline', 'num-layers: "28"', 'num-layers-per-virtual-pipeline-stage: "5"'),
  sao('gpu/router-groups', 'num-experts: "8"', 'moe-router-num-groups: "3"'),
  sao('slime/cpu-offload', 'optimizer-cpu-offload: true'),
  sao('slime/dispatcher', 'moe-token-dispatcher-type: allgather'),
  sao('slime/kv-channels', 'hidden-size: "1000"', 'num-attention-heads: "12"'),
  {
    rule: 'sdpo/dropout',
    base: 'sao',
    change: [
      family('recipes.sdpo.recipe:SDPORecipe'),
      ['hidden-dropout: "0"', 'hidden-dropout: "0.1"']
    ]
  },
  {
    rule: 'tinker/family',
    base: 'sao',
    change: [['  backend: slime', '  backend: tinker']]
  },
  saoWithout('model/layer-flags', 'swiglu'),
  saoChange('model/hybrid', '/models/Qwen2.5-1.5B-Instruct', '/models/Qwen3.5-9B'),
  saoChange('model/router-topk', '/models/Qwen2.5-1.5B-Instruct', '/models/Qwen3-30B-A3B'),
  sao('model/allgather-cp', 'allgather-cp: true', 'context-parallel-size: "2"'),
  {
    rule: 'nexrl/too-long',
    base: 'nexrl',
    change: [
      [
        'trainer:\n',
        `chain:\n${Array.from({ length: 300 }, (_, link) => `  v${link}: "\${chain.v${link + 1}}"`).join('\n')}\n  v300: end\ntrainer:\n`
      ]
    ]
  },
  nexrl('nexrl/trainer-backend', '      backend: weaver', '      backend: direct-zmq'),
  nexrl('nexrl/training-mode', '    lora_rank: 32', '    training_mode: qlora'),
  {
    rule: 'nexrl/train-identifier',
    base: 'nexrl',
    change: [['    main_actor:\n      identifier: default\n', '    main_actor:\n']]
  },
  nexrl('nexrl/self-hosted-fields', 'remote_api_grpo', 'self_hosted_grpo'),
  {
    rule: 'nexrl/mini-batch',
    base: 'nexrl',
    change: [
      ['remote_api_grpo', 'self_hosted_grpo'],
      [
        '      role: actor\n',
        '      role: actor\n      resource:\n        world_size: 8\n      actor:\n        ppo_mini_batch_size: 4\n        ppo_micro_batch_size: 8\n'
      ]
    ]
  },
  {
    rule: 'nexrl/filter-tokenizer',
    base: 'nexrl',
    change: [['  tokenizer_path: tok\n', '  filter_prompts: true\n']]
  },
  nexrl('nexrl/swanlab-key', 'trainer:\n', 'logger:\n  backend: [swanlab]\ntrainer:\n'),
  nexrl('nexrl/feishu', 'trainer:\n', 'logger:\n  enable_feishu_logging: true\ntrainer:\n'),
  {
    rule: 'nexrl/remote-fields',
    base: 'nexrl',
    change: [
      ['      backend: weaver', '      backend: tinker'],
      ['    backend: weaver', '    backend: tinker'],
      ['sync_method: weaver', 'sync_method: tinker'],
      ['        learning_rate: 1e-4', '        learning_rate: 1e-4\n        weight_decay: 0.1']
    ]
  },
  nexrl('nexrl/sync-method', 'sync_method: weaver', 'sync_method: nccl'),
  nexrl('nexrl/pool-type', 'weight:\n', 'trajectory_pool:\n  type: priority\nweight:\n'),
  nexrl('nexrl/weight-type', 'weight:\n', 'weight:\n  type: fast\n'),
  nexrl('nexrl/validator-type', 'weight:\n', 'validate:\n  eval:\n    type: pass_at_k\nweight:\n'),
  module('nexrl/module-missing', 'worker', null),
  module('nexrl/module-class', 'worker', 'class Other(BaseRolloutWorker):\n    pass\n'),
  worker('nexrl/worker-base', '(BaseRolloutWorker)', ''),
  worker('nexrl/worker-rollout', 'def rollout', 'def run_one'),
  worker('nexrl/worker-put', 'self._put_trajectory', 'list'),
  worker('nexrl/worker-is-val', 'is_val=task.get("is_val", False),', ''),
  worker('nexrl/worker-logprobs', '"logprobs": logprobs,', ''),
  worker('nexrl/worker-origin-fields', '"run_id": task["run_id"],', ''),
  worker('nexrl/worker-truncate', 'self._check_and_truncate', 'zip'),
  worker(
    'nexrl/worker-completion',
    'tokens = train["prompt_tokens"]',
    'tokens = answer["prompt_tokens"]'
  ),
  trainer('nexrl/trainer-prepare', '_prepare_trajectories', 'prepare'),
  trainer('nexrl/trainer-attribute', 'trajectory["advantage"] =', 'trajectory.advantage ='),
  trainer('nexrl/trainer-advantage', 'trajectory["advantage"] =', 'trajectory["score"] =')
]
