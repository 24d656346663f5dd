import type { Generation } from '../../contract/recipes'
import type { Text } from '../../contract/text'

export type FieldType = 'text' | 'int' | 'float' | 'bool' | 'list' | 'map' | 'any'

/** One declared field of a `schema-version: 2` file (docs/reference/configuration.rst). */
export interface FieldFact {
  path: string
  type: FieldType
  /** As the stack would fill it in; null: none. */
  default: string | null
  nullable: boolean
  generations: readonly Generation[]
  min?: number
  /** Strictly greater than `min`. */
  above?: boolean
  max?: number
  choices?: readonly string[]
  unit?: string
  /** Free keys below it. */
  open: boolean
  note: Text
}

const ALL: readonly Generation[] = ['A', 'B', 'C']

type Extra = Partial<Omit<FieldFact, 'path' | 'type' | 'default' | 'note'>>

function field(
  path: string,
  type: FieldType,
  fallback: string | null,
  en: string,
  zh: string,
  extra: Extra = {}
): FieldFact {
  return {
    path,
    type,
    default: fallback,
    nullable: false,
    generations: ALL,
    open: type === 'map',
    note: { en, zh },
    ...extra
  }
}

const opt: Extra = { nullable: true }
const newest: Extra = { generations: ['C'] }
const older: Extra = { generations: ['A', 'B'], nullable: true }

export const SECTIONS: readonly { name: string; generations: readonly Generation[] }[] = [
  ...[
    'reef',
    'inference',
    'recipe',
    'training',
    'storage',
    'execution',
    'executors',
    'evaluation',
    'observability'
  ].map((name) => ({ name, generations: ALL })),
  { name: 'teacher', generations: ['C'] },
  { name: 'generator', generations: ['C'] }
]

export const FIELDS: readonly FieldFact[] = [
  field(
    'reef.host',
    'text',
    '127.0.0.1',
    'Address the HTTP service listens on.',
    'HTTP 服务监听的地址。'
  ),
  field('reef.port', 'int', '8900', 'Port of the HTTP service.', 'HTTP 服务的端口。', {
    min: 1,
    max: 65535
  }),
  field(
    'reef.token',
    'text',
    null,
    'Bearer token clients must send. Without one the service is open.',
    '客户端必须携带的令牌；不设则服务对所有人开放。',
    opt
  ),
  field('reef.tokens', 'list', '[]', 'More accepted tokens.', '其他可接受的令牌。'),
  field(
    'reef.served-url',
    'text',
    null,
    'Address others use to reach the service.',
    '外部访问该服务所用的地址。',
    opt
  ),
  field(
    'reef.console-origins',
    'list',
    '[]',
    'Browser origins allowed to call the service.',
    '允许调用服务的浏览器来源。'
  ),
  field(
    'reef.allow-implicit-scenario-creation',
    'bool',
    'true',
    'A request with a new scenario name creates that scenario.',
    '请求中出现新的 scenario 名称时自动创建。'
  ),
  field(
    'reef.run-dir',
    'text',
    '.reef/run',
    'Folder of logs and process files.',
    '日志与进程文件所在目录。'
  ),
  field(
    'reef.ready-timeout',
    'int',
    '30',
    'Seconds the HTTP service may take to become ready.',
    'HTTP 服务就绪的最长等待时间。',
    { unit: 's', min: 0, above: true }
  ),
  field(
    'inference.model-path',
    'text',
    null,
    'Model folder or Hugging Face id.',
    '模型目录或 Hugging Face 名称。',
    opt
  ),
  field(
    'inference.backend',
    'text',
    'sglang',
    'Engine that generates.',
    '负责生成的推理引擎。',
    opt
  ),
  field(
    'inference.num-gpus',
    'int',
    null,
    'GPUs for generation; a multiple of tensor-parallel-size.',
    '用于生成的 GPU 数，须为 tensor-parallel-size 的整数倍。',
    { nullable: true, min: 0 }
  ),
  field(
    'inference.tensor-parallel-size',
    'int',
    '1',
    'GPUs one engine spans.',
    '单个引擎占用的 GPU 数。',
    { nullable: true, min: 0 }
  ),
  field(
    'inference.options',
    'map',
    '{}',
    'Native SGLang options, without the sglang- prefix.',
    'SGLang 原生选项，不带 sglang- 前缀。'
  ),
  field(
    'inference.url',
    'text',
    null,
    'Address of a running engine; leave unset when Reef trains.',
    '已运行引擎的地址；由 Reef 训练时不要填写。',
    opt
  ),
  field(
    'inference.upstream-url',
    'text',
    null,
    'Provider to forward to, without /v1.',
    '转发到的上游服务地址，不含 /v1。',
    opt
  ),
  field(
    'inference.upstream-model',
    'text',
    null,
    'Model name at the provider.',
    '上游的模型名。',
    opt
  ),
  field('inference.upstream-api-key', 'text', null, 'Key for the provider.', '上游的密钥。', opt),
  field('inference.upstream-api', 'text', 'openai', 'Protocol of the provider.', '上游协议。', {
    nullable: true,
    choices: ['openai', 'responses', 'anthropic']
  }),
  field(
    'inference.timeout-s',
    'float',
    '300',
    'Longest wait for one generation.',
    '单次生成的最长等待时间。',
    { unit: 's', min: 0, above: true }
  ),
  field(
    'inference.retry-initial-s',
    'float',
    '0.05',
    'First pause before a retry.',
    '首次重试前的等待。',
    { unit: 's' }
  ),
  field(
    'inference.retry-max-s',
    'float',
    '1.0',
    'Longest pause between retries.',
    '重试间隔上限。',
    { unit: 's' }
  ),
  field(
    'inference.retry-timeout-s',
    'float',
    null,
    'When retrying is given up; default: timeout-s.',
    '放弃重试的时限，默认同 timeout-s。',
    { unit: 's', nullable: true }
  ),
  field(
    'inference.handler-factory',
    'text',
    null,
    'Class that captures tokens while it serves.',
    '在服务时记录 token 的处理类。',
    { ...newest, nullable: true }
  ),
  field(
    'inference.handler-config',
    'map',
    '{}',
    'Settings of that class.',
    '该处理类的设置。',
    newest
  ),
  field(
    'inference.backend-factory',
    'text',
    null,
    'Older name of handler-factory.',
    'handler-factory 的旧名。',
    older
  ),
  field(
    'inference.backend-config',
    'map',
    '{}',
    'Older name of handler-config.',
    'handler-config 的旧名。',
    older
  ),
  field('teacher.model-path', 'text', null, 'Frozen teacher model.', '冻结的 teacher 模型。', {
    ...newest,
    nullable: true
  }),
  field('teacher.num-gpus', 'int', '1', 'GPUs of the teacher.', 'teacher 占用的 GPU 数。', newest),
  field('teacher.port', 'int', '30001', 'Port of the teacher engine.', 'teacher 引擎的端口。', {
    ...newest,
    min: 1,
    max: 65535
  }),
  field(
    'teacher.timeout',
    'float',
    '300.0',
    'Longest wait for the teacher.',
    '等待 teacher 的最长时间。',
    { ...newest, unit: 's' }
  ),
  field(
    'teacher.options',
    'map',
    '{}',
    'Engine options of the teacher.',
    'teacher 的引擎选项。',
    newest
  ),
  field(
    'recipe.implementation',
    'text',
    'recipe',
    'What is learnt: a class pkg.mod:Class, a preset, or recipe (records only).',
    '学习方法：pkg.mod:Class、预设名，或 recipe（仅记录）。'
  ),
  field('recipe.config', 'map', '{}', 'Fields of that class.', '该类的字段。'),
  field(
    'recipe.runtime',
    'map',
    '{}',
    'Serving runtime; not with managed training.',
    '服务运行时；不可与托管训练同用。'
  ),
  field('training.backend', 'text', 'slime', 'Trainer.', '训练后端。', opt),
  field(
    'training.colocate',
    'bool',
    'false',
    'Trainer and engine share the GPUs.',
    '训练与推理共用 GPU。',
    newest
  ),
  field(
    'training.ready-timeout',
    'int',
    '3600',
    'Seconds the trainer may take to become ready.',
    '训练进程就绪的最长等待时间。',
    { unit: 's', min: 0, above: true }
  ),
  field(
    'training.timeout-s',
    'float',
    null,
    'Longest wait for one training job.',
    '单个训练任务的最长等待时间。',
    { unit: 's', nullable: true, min: 0, above: true }
  ),
  field(
    'training.ray-address',
    'text',
    null,
    'An existing Ray cluster.',
    '已有的 Ray 集群地址。',
    opt
  ),
  field(
    'training.ray-namespace',
    'text',
    'reef',
    'Ray namespace of the trainer.',
    '训练所用的 Ray 命名空间。'
  ),
  field(
    'training.ray-actor-name',
    'text',
    'reef-train-bridge',
    'Ray actor name of the trainer.',
    '训练 actor 的名称。'
  ),
  field(
    'training.options',
    'map',
    '{}',
    'Native Slime and Megatron flags without dashes.',
    'Slime 与 Megatron 原生参数，不带横线。'
  ),
  field('training.config', 'map', '{}', 'Free variables for references.', '供引用的自由变量。'),
  field(
    'storage.artifact-repository',
    'text',
    '.reef/artifacts.git',
    'Git repository that keeps releases.',
    '保存 release 的 git 仓库。'
  ),
  field(
    'storage.artifact-work-dir',
    'text',
    '.reef/artifact-work',
    'Work folder of releases.',
    'release 的工作目录。'
  ),
  field(
    'storage.artifact-cache-dir',
    'text',
    '.reef/artifact-cache',
    'Cache of releases.',
    'release 的缓存目录。'
  ),
  field(
    'storage.agent-record-dir',
    'text',
    '.reef/agent-record',
    'Records and commit log.',
    '记录与提交日志目录。'
  ),
  field(
    'storage.agent-record-retention-days',
    'float',
    '7.0',
    'Has no effect any more.',
    '已不再起作用。',
    { unit: 'd' }
  ),
  field('storage.record-backend', 'text', 'sqlite', 'Where records are kept.', '记录的存储方式。', {
    choices: ['sqlite', 'postgres']
  }),
  field(
    'storage.record-database-url',
    'text',
    null,
    'Database for records (postgres only).',
    '记录数据库地址（仅 postgres）。',
    opt
  ),
  field(
    'storage.record-database-schema',
    'text',
    'reef_records',
    'Schema in that database.',
    '数据库中的 schema。',
    opt
  ),
  field(
    'storage.agent-record-retention-max-bytes',
    'int',
    '21474836480',
    'Records above this are dropped, oldest first.',
    '超过后从最旧的记录开始清理。',
    { unit: 'B' }
  ),
  field('execution.training', 'any', null, 'Where training runs.', '训练在何处执行。', {
    open: true,
    nullable: true
  }),
  field('execution.rollout', 'any', null, 'Where generation runs.', '生成在何处执行。', {
    open: true,
    nullable: true
  }),
  field(
    'execution.evolution',
    'any',
    null,
    'Where harness evolution runs.',
    'harness 演化在何处执行。',
    { open: true, nullable: true }
  ),
  field(
    'execution.generator',
    'any',
    null,
    'Where the task generator runs.',
    '任务生成器在何处执行。',
    { open: true, nullable: true }
  ),
  field(
    'evaluation.module',
    'text',
    null,
    'Evaluation of a candidate before it is published.',
    '发布前评估候选版本的模块。'
  ),
  field('evaluation.config', 'map', '{}', 'Settings of the evaluation.', '评估的设置。'),
  field('generator', 'map', null, 'Generator of tasks.', '任务生成器。', newest),
  field('executors', 'map', '{}', 'Named execution profiles.', '命名的执行配置。'),
  field(
    'observability.wandb.enabled',
    'bool',
    'false',
    'Send metrics to Weights & Biases.',
    '将指标发送到 W&B。'
  ),
  field('observability.wandb.project', 'text', null, 'W&B project.', 'W&B 项目。', opt),
  field('observability.wandb.entity', 'text', null, 'W&B team or user.', 'W&B 团队或用户。', opt),
  field(
    'observability.wandb.group-prefix',
    'text',
    null,
    'Prefix of W&B groups.',
    'W&B 分组前缀。',
    opt
  ),
  field(
    'observability.wandb.name-prefix',
    'text',
    null,
    'Prefix of W&B run names.',
    'W&B 运行名前缀。',
    opt
  ),
  field('observability.wandb.tags', 'list', '[]', 'W&B tags.', 'W&B 标签。'),
  field('observability.wandb.mode', 'text', 'online', 'W&B mode.', 'W&B 模式。', {
    choices: ['online', 'offline', 'disabled']
  }),
  field(
    'observability.wandb.directory',
    'text',
    null,
    'Folder of W&B files.',
    'W&B 文件目录。',
    opt
  ),
  field(
    'observability.wandb.upload-checkpoints',
    'bool',
    'false',
    'Upload checkpoints too.',
    '同时上传 checkpoint。'
  ),
  field('observability.tracing', 'map', '{}', 'OTLP trace export.', 'OTLP 追踪导出。')
]

/** Both spellings of a path as one: dashes. Looked up thousands of times a check, hence the early way out. */
export const canonical = (path: string): string =>
  path.includes('_') ? path.replaceAll('_', '-') : path

const byPath = new Map(FIELDS.map((fact) => [fact.path, fact]))

export function fieldFact(path: string): FieldFact | undefined {
  return byPath.get(canonical(path))
}

/** The field itself, or the open map it lives in; undefined when nothing declares it. */
export function declaringField(path: string): FieldFact | undefined {
  let at = canonical(path)
  const exact = byPath.get(at)
  if (exact !== undefined) return exact
  for (let dot = at.lastIndexOf('.'); dot !== -1; dot = at.lastIndexOf('.')) {
    at = at.slice(0, dot)
    const fact = byPath.get(at)
    if (fact !== undefined) return fact.open ? fact : undefined
  }
  return undefined
}

export function isFieldPrefix(path: string): boolean {
  const start = `${canonical(path)}.`
  return FIELDS.some((fact) => fact.path.startsWith(start))
}
