import { units, type Entry } from './entry'

/** Where the time and the memory went. */
export const speed: readonly Entry[] = [
  {
    key: 'perf/rollout_time',
    unit: units.seconds,
    direction: 'down',
    says: ['Time to generate the rollout.', '生成该 rollout 的时间。']
  },
  {
    key: 'perf/step_time',
    unit: units.seconds,
    direction: 'down',
    says: ['Waiting plus training.', '等待加训练的时间。']
  },
  {
    key: 'perf/wait_time_ratio',
    unit: units.share,
    says: ['Share of the step spent waiting for rollouts.', '该步中等待 rollout 的时间比例。'],
    healthy: ['High when trainer and engine share GPUs.', '训练与推理共用 GPU 时偏高属正常。'],
    failure: [
      'Asynchronous training: high means generation is the limit, near 0 means training is.',
      '异步训练中：偏高说明受生成限制，接近 0 说明受训练限制。'
    ]
  },
  {
    key: /^perf\/.*tokens?_per_(?:gpu_per_)?sec$|^perf\/.*tok_per_s$/,
    unit: units.tokensPerSecond,
    direction: 'up',
    says: ['Throughput.', '吞吐量。']
  },
  {
    key: /^perf\/.*tflops$/,
    unit: units.tflops,
    direction: 'up',
    says: ['Arithmetic throughput.', '算力吞吐。']
  },
  {
    key: /^perf\/(?:request|prefill|decode|non_generation_time)\//,
    says: ['Statistics over the requests of the rollout.', '该 rollout 各请求的统计。']
  },
  {
    key: /^perf\/update_weights_(?:density|wire_bytes)$/,
    says: [
      'How much of the weights travelled in a delta synchronisation.',
      '增量同步中传输的权重多少。'
    ]
  },
  {
    key: /^perf\/\w+_time$/,
    unit: units.seconds,
    direction: 'down',
    says: [
      'Time of one phase. Update, save and wake-up of a rollout are reported with the next one.',
      '某一阶段的时间。更新、保存与唤醒的时间计入下一个 rollout。'
    ]
  },
  {
    key: /^timer\/|^timing\//,
    unit: units.seconds,
    direction: 'down',
    says: ['Time of one phase.', '某一阶段的时间。']
  },
  {
    key: /^memory\/rank\d+\/(?:host_)?\w+_GB$/,
    unit: units.gigabytes,
    says: ['GPU and host memory of one rank.', '某个 rank 的显存与内存。'],
    failure: ['Free memory falls from step to step.', '空闲内存逐步减少。']
  },
  {
    key: 'sglang/gen_throughput',
    unit: units.tokensPerSecond,
    direction: 'up',
    says: ['Tokens generated per second by an inference engine.', '推理引擎每秒生成的 token。']
  },
  {
    key: 'sglang/token_usage',
    unit: units.share,
    says: ['Share of the KV cache in use.', 'KV 缓存使用比例。'],
    failure: ['Near 1: requests wait or are retracted.', '接近 1：请求排队或被撤回。']
  },
  {
    key: /^sglang\/(?:running|queued)_requests$/,
    unit: units.requests,
    says: ['Requests being answered, or waiting.', '正在处理或排队的请求。']
  },
  {
    key: 'sglang/tokens',
    unit: units.tokens,
    says: ['Tokens held in the KV cache.', 'KV 缓存中的 token。']
  }
]
