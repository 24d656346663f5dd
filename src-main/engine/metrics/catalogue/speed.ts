import { units, type Entry } from './entry'

/** Where the time and the memory went. */
export const speed: readonly Entry[] = [
  {
    key: 'perf/rollout_time',
    unit: units.seconds,
    direction: 'down',
    says: ['Time to generate the rollout.', '生成该 rollout 的时间。'],
    healthy: ['Steady.', '平稳。'],
    failure: [
      'Grows with the answers’ length, or jumps: an engine is slow or gone.',
      '随回答长度增长，或突然跳升：某个引擎变慢或失效。'
    ]
  },
  {
    key: 'perf/step_time',
    unit: units.seconds,
    direction: 'down',
    says: ['Waiting plus training.', '等待加训练的时间。'],
    healthy: ['Steady.', '平稳。'],
    failure: ['Jumps: see which phase grew.', '突然跳升：看是哪个阶段变长。']
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
    says: ['Throughput.', '吞吐量。'],
    healthy: ['Steady.', '平稳。'],
    failure: [
      'Falls at the same lengths: contention, throttling, or a lost engine.',
      '长度不变却下降：资源争用、降频或引擎失效。'
    ]
  },
  {
    key: /^perf\/.*tflops$/,
    unit: units.tflops,
    direction: 'up',
    says: ['Arithmetic throughput.', '算力吞吐。'],
    healthy: [
      'Steady, 30 to 50 % of the GPU’s peak for dense training.',
      '平稳；稠密训练时约为 GPU 峰值的 30% 到 50%。'
    ],
    failure: [
      'Falls at the same lengths: throttling or slow communication.',
      '长度不变却下降：降频或通信变慢。'
    ]
  },
  {
    key: /^perf\/(?:request|prefill|decode|non_generation_time)\//,
    unit: units.named,
    says: ['Statistics over the requests of the rollout.', '该 rollout 各请求的统计。'],
    healthy: ['Steady.', '平稳。'],
    failure: [
      'The greatest far above the median: a few requests hold up the rollout.',
      '最大值远高于中位数：少数请求拖慢整个 rollout。'
    ]
  },
  {
    key: /^perf\/longest_\w*non_generation\w*ratio$/,
    unit: units.share,
    says: [
      'Share of the longest sample’s time that went to tools and environments.',
      '最长样本中工具与环境所占的时间比例。'
    ],
    healthy: ['Steady.', '平稳。'],
    failure: [
      'Near 1: tools hold up the rollout, not the model.',
      '接近 1：拖慢 rollout 的是工具而不是模型。'
    ]
  },
  {
    key: /^perf\/update_weights_(?:density|wire_bytes)$/,
    unit: units.named,
    says: [
      'How much of the weights travelled in a delta synchronisation.',
      '增量同步中传输的权重多少。'
    ],
    healthy: ['Density well below 1.', '密度明显低于 1。'],
    failure: ['Density near 1: the delta saves nothing.', '密度接近 1：增量没有节省。']
  },
  {
    key: /^perf\/\w+_time$/,
    unit: units.seconds,
    direction: 'down',
    says: [
      'Time of one phase. Update, save and wake-up of a rollout are reported with the next one.',
      '某一阶段的时间。更新、保存与唤醒的时间计入下一个 rollout。'
    ],
    healthy: ['Steady.', '平稳。'],
    failure: ['Grows from step to step, or jumps.', '逐步增长或突然跳升。']
  },
  {
    key: /^timer\/|^timing\//,
    unit: units.seconds,
    direction: 'down',
    says: ['Time of one phase.', '某一阶段的时间。'],
    healthy: ['Steady.', '平稳。'],
    failure: ['Grows from step to step, or jumps.', '逐步增长或突然跳升。']
  },
  {
    key: /^memory\/rank\d+\/(?:host_)?\w+_GB$/,
    unit: units.gigabytes,
    says: ['GPU and host memory of one rank.', '某个 rank 的显存与内存。'],
    healthy: ['The same at the same place of every step.', '每步的同一位置数值相同。'],
    failure: ['Free memory falls from step to step.', '空闲内存逐步减少。']
  },
  {
    key: 'sglang/gen_throughput',
    unit: units.tokensPerSecond,
    direction: 'up',
    says: ['Tokens generated per second by an inference engine.', '推理引擎每秒生成的 token。'],
    healthy: ['Steady under load.', '有负载时平稳。'],
    failure: [
      'Falls with requests waiting: the KV cache is full or the engine is throttled.',
      '有请求排队却下降：KV 缓存已满或引擎降频。'
    ]
  },
  {
    key: 'sglang/token_usage',
    unit: units.share,
    says: ['Share of the KV cache in use.', 'KV 缓存使用比例。'],
    healthy: ['Below 0.9.', '低于 0.9。'],
    failure: ['Near 1: requests wait or are retracted.', '接近 1：请求排队或被撤回。']
  },
  {
    key: /^sglang\/(?:running|queued)_requests$/,
    unit: units.requests,
    says: ['Requests being answered, or waiting.', '正在处理或排队的请求。'],
    healthy: ['Few waiting.', '少有排队。'],
    failure: ['Ever more waiting: too few engines for the load.', '排队越来越多：引擎数量不足。']
  },
  {
    key: 'sglang/tokens',
    unit: units.tokens,
    says: ['Tokens held in the KV cache.', 'KV 缓存中的 token。'],
    healthy: ['Rises and falls with the requests.', '随请求升降。'],
    failure: ['At the capacity: requests are retracted.', '达到容量：请求被撤回。']
  }
]
