import type { NexrlRecipe } from './nexrl-recipe'
import { place, type NexrlRule } from './composition-rules'

const VALIDATE = 'nexrl/utils/validate_config.py'
const LOADER = 'nexrl/data_loader/torch_data_loader.py'

const READY: readonly string[] = [
  'loaded_batch_finished',
  'batch_size_reached',
  'batch_size_reached_and_loaded_batch_finished'
]
const readyFunction = (recipe: NexrlRecipe): string =>
  recipe.text('trajectory_pool.check_batch_ready_function') ?? 'loaded_batch_finished'

export const nexrlNumberRules: readonly NexrlRule[] = [
  {
    id: 'nexrl/pool-size',
    severity: 'error',
    message: {
      en: 'data.batch_size {data} is above trajectory_pool.batch_size {pool}',
      zh: 'data.batch_size {data} 大于 trajectory_pool.batch_size {pool}'
    },
    explanation: {
      en: 'The driver asserts that a batch of prompts fits the pool.',
      zh: '驱动进程要求一批提示能放入轨迹池。'
    },
    source: VALIDATE,
    *check(recipe) {
      const data = recipe.number('data.batch_size') ?? 32
      const pool = recipe.number('trajectory_pool.batch_size') ?? 32
      if (data > pool) yield { at: place(recipe, 'data.batch_size'), args: { data, pool } }
    }
  },
  {
    id: 'nexrl/pool-agreement',
    severity: 'warning',
    message: {
      en: 'trajectory_pool.batch_size {pool} is not data.batch_size {data} × rollout_repeat_n {repeat}',
      zh: 'trajectory_pool.batch_size {pool} 不等于 data.batch_size {data} × rollout_repeat_n {repeat}'
    },
    explanation: {
      en: 'A step trains on batch_size × rollout_repeat_n trajectories; nothing enforces that the pool says the same.',
      zh: '每步训练 batch_size × rollout_repeat_n 条轨迹，但没有检查保证轨迹池与之一致。'
    },
    source: 'recipe/math/common.yaml',
    *check(recipe) {
      const data = recipe.number('data.batch_size') ?? 32
      const repeat = recipe.number('data.rollout_repeat_n') ?? 1
      const pool = recipe.number('trajectory_pool.batch_size')
      if (pool !== undefined && pool !== data * repeat && pool >= data)
        yield { at: place(recipe, 'trajectory_pool.batch_size'), args: { pool, data, repeat } }
    }
  },
  {
    id: 'nexrl/batch-order',
    severity: 'error',
    message: {
      en: 'keep_batch_order must be {wanted} with sync_mode {mode}',
      zh: 'sync_mode 为 {mode} 时 keep_batch_order 必须为 {wanted}'
    },
    explanation: {
      en: 'sync and batch-async wait for whole batches; fully-async does not.',
      zh: 'sync 与 batch-async 以整批为单位，fully-async 则不是。'
    },
    source: VALIDATE,
    *check(recipe) {
      const mode = recipe.text('weight.sync_mode')
      if (mode === undefined) return
      const wanted = mode === 'sync' || mode === 'batch-async'
      if ((recipe.bool('data.keep_batch_order') ?? false) !== wanted)
        yield { at: place(recipe, 'data.keep_batch_order'), args: { wanted: String(wanted), mode } }
    }
  },
  {
    id: 'nexrl/batch-order-ready',
    severity: 'error',
    message: {
      en: 'keep_batch_order {keep} does not go with check_batch_ready_function {ready}',
      zh: 'keep_batch_order {keep} 与 check_batch_ready_function {ready} 不匹配'
    },
    explanation: {
      en: 'Functions that wait for the loaded batch need keep_batch_order, and keep_batch_order needs such a function.',
      zh: '等待整批的函数需要 keep_batch_order，反之亦然。'
    },
    source: VALIDATE,
    *check(recipe) {
      const keep = recipe.bool('data.keep_batch_order') ?? false
      const ready = readyFunction(recipe)
      if (READY.includes(ready) && keep !== ready.includes('loaded_batch_finished'))
        yield {
          at: place(recipe, 'trajectory_pool.check_batch_ready_function'),
          args: { keep: String(keep), ready }
        }
    }
  },
  {
    id: 'nexrl/ready-function',
    severity: 'error',
    message: {
      en: 'unknown check_batch_ready_function {value}',
      zh: '未知的 check_batch_ready_function {value}'
    },
    explanation: { en: `Known: ${READY.join(', ')}.`, zh: `可选：${READY.join('、')}。` },
    source: 'nexrl/trajectory_pool.py',
    *check(recipe) {
      const value = readyFunction(recipe)
      if (!READY.includes(value))
        yield { at: place(recipe, 'trajectory_pool.check_batch_ready_function'), args: { value } }
    }
  },
  {
    id: 'nexrl/response-length',
    severity: 'error',
    message: {
      en: 'data.max_response_length {data} must equal inference_service.max_tokens {tokens}',
      zh: 'data.max_response_length {data} 必须等于 inference_service.max_tokens {tokens}'
    },
    explanation: {
      en: 'Refer from one to the other so that they cannot drift apart.',
      zh: '请用引用保持两者一致。'
    },
    source: VALIDATE,
    *check(recipe) {
      const data = recipe.number('data.max_response_length')
      const tokens = recipe.number('service.inference_service.max_tokens')
      if (data !== undefined && tokens !== undefined && data !== tokens)
        yield { at: place(recipe, 'service.inference_service.max_tokens'), args: { data, tokens } }
    }
  },
  {
    id: 'nexrl/sequence-length',
    severity: 'error',
    message: {
      en: 'rollout_worker.max_sequence_length {sequence} must be at least prompt {prompt} + response {response}',
      zh: 'rollout_worker.max_sequence_length {sequence} 不得小于提示 {prompt} + 回答 {response}'
    },
    explanation: {
      en: 'The field is required, and longer trajectories are cut and usually rewarded 0.',
      zh: '该字段必填；更长的轨迹会被截断，通常奖励记 0。'
    },
    source: VALIDATE,
    *check(recipe) {
      const sequence = recipe.number('rollout_worker.max_sequence_length')
      const prompt = recipe.number('data.max_prompt_length') ?? 0
      const response = recipe.number('rollout_worker.max_response_length') ?? 0
      if (recipe.value('rollout_worker') === undefined) return
      if (sequence === undefined || sequence < prompt + response)
        yield {
          at: place(recipe, 'rollout_worker.max_sequence_length'),
          args: { sequence: sequence ?? '—', prompt, response }
        }
    }
  },
  {
    id: 'nexrl/repeat-n',
    severity: 'warning',
    message: {
      en: 'GRPO with rollout_repeat_n {repeat}: there is no group to compare with',
      zh: 'GRPO 的 rollout_repeat_n 为 {repeat}：没有组可比'
    },
    explanation: {
      en: 'The advantage of a group of one is its bare reward. Use 2 or more, 8 in the bundled recipes.',
      zh: '只有一个成员的组，优势就是原始奖励。请用 2 或以上，自带 recipe 为 8。'
    },
    source: 'nexrl/trainer/remote_api_grpo_trainer.py',
    *check(recipe) {
      const repeat = recipe.number('data.rollout_repeat_n') ?? 1
      if (/grpo$/.test(recipe.text('trainer.type') ?? '') && repeat < 2)
        yield { at: place(recipe, 'data.rollout_repeat_n'), args: { repeat } }
    }
  },
  {
    id: 'nexrl/workers',
    severity: 'hint',
    message: {
      en: '{workers} rollout workers for {batch} trajectories a step: some are always idle',
      zh: '{workers} 个 rollout worker 对应每步 {batch} 条轨迹：总有一部分空闲'
    },
    explanation: {
      en: 'More workers than trajectories of one step do not help in sync mode.',
      zh: 'sync 模式下多于每步轨迹数的 worker 没有用处。'
    },
    source: 'nexrl/rollout_worker/base_rollout_worker.py',
    *check(recipe) {
      const workers = recipe.number('rollout_worker.num_workers')
      const batch =
        (recipe.number('data.batch_size') ?? 32) * (recipe.number('data.rollout_repeat_n') ?? 1)
      if (workers !== undefined && workers > batch)
        yield { at: place(recipe, 'rollout_worker.num_workers'), args: { workers, batch } }
    }
  },
  {
    id: 'nexrl/data-files',
    severity: 'error',
    message: { en: '{what}', zh: '{whatZh}' },
    explanation: {
      en: 'The loader takes parquet, csv and jsonl files and needs at least one.',
      zh: '数据加载器支持 parquet、csv 与 jsonl，且至少需要一个文件。'
    },
    source: LOADER,
    *check(recipe) {
      if ((recipe.text('data.type') ?? '') !== 'torch') return
      const list = recipe.value('data.data_files')
      if (list?.node?.type !== 'seq' || list.node.items.length === 0) {
        yield {
          at: place(recipe, 'data.data_files'),
          args: { what: 'data_files must be specified', whatZh: '必须给出 data_files' }
        }
        return
      }
      for (let index = 0; index < list.node.items.length; index += 1) {
        const text = recipe.text(`data.data_files[${index}]`) ?? ''
        if (/\.(?:parquet|csv|jsonl)$/.test(text)) continue
        yield {
          at: place(recipe, `data.data_files[${index}]`),
          args: {
            what: `${text}: only parquet, csv and jsonl are supported`,
            whatZh: `${text}：仅支持 parquet、csv 与 jsonl`
          }
        }
      }
    }
  },
  {
    id: 'nexrl/validation-mock',
    severity: 'hint',
    message: {
      en: 'validation data type is mock ({state})',
      zh: '验证数据类型为 mock（{stateZh}）'
    },
    explanation: {
      en: 'Turning validation on without changing the type evaluates made-up data.',
      zh: '不改类型就打开验证，评估的是虚构数据。'
    },
    source: 'recipe/math/common.yaml',
    *check(recipe) {
      if (recipe.text('validate.data.type') !== 'mock') return
      const on =
        (recipe.number('validate.eval.validate_freq') ?? 0) > 0 ||
        recipe.bool('validate.validate_before_train') === true
      yield {
        at: place(recipe, 'validate.data.type'),
        args: on
          ? { state: 'validation is on', stateZh: '验证已打开' }
          : { state: 'validation is off', stateZh: '验证已关闭' },
        severity: on ? 'warning' : 'hint'
      }
    }
  },
  {
    id: 'nexrl/health-interval',
    severity: 'hint',
    message: {
      en: 'check_interval {value} does not fire as written',
      zh: 'check_interval {value} 不会按所写的间隔触发'
    },
    explanation: {
      en: 'The interval is taken modulo a whole-second counter: 2.5 fires every 5 s, below 1 every second.',
      zh: '该间隔对整秒计数取模：2.5 实际每 5 秒触发一次，小于 1 则每秒一次。'
    },
    source: 'nexrl/runtime_monitor',
    *check(recipe) {
      const value = recipe.number('runtime_monitor.health_check.check_interval')
      if (value !== undefined && !Number.isInteger(value))
        yield { at: place(recipe, 'runtime_monitor.health_check.check_interval'), args: { value } }
    }
  }
]
