import { posix } from 'node:path'
import { gigabytes } from './checkpoint-capacity'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import {
  filesOf,
  mayBeHubId,
  modelFolder,
  numberOption,
  textOf,
  trainsAdapter,
  type LaunchContext
} from './launch-context'
import { estimateMemory, memorySentence, shapeOf } from './model-memory'
import { readWeights, type ShardProblem } from './model-shards'

const DEFAULT_TOKENS_PER_GPU = 9216
const DEFAULT_CONTEXT = 8192
const DEFAULT_REQUESTS = 32

type Asked = { kind: 'folder'; folder: string } | { kind: 'answered'; outcome: Outcome }

/** The folder to look at, or why there is nothing to look at. */
function asked(context: LaunchContext): Asked {
  const { model } = context.recipe.facts
  if (context.plan.practice || model === null)
    return answered(skip({ en: 'No model is loaded from disk.', zh: '不从磁盘加载模型。' }))
  const service = context.plan.nexrl?.service ?? 'own'
  if (mayBeHubId(model) && service !== 'own')
    return answered(
      pass({
        en: `The weights of ${model} are the training service’s; the driver takes its tokenizer from the cache, or downloads it.`,
        zh: `${model} 的权重在训练服务中；driver 只从缓存取用或下载其 tokenizer。`
      })
    )
  if (mayBeHubId(model))
    return answered(
      pass({
        en: `${model} is the id of a hub: it is taken from the cache, or downloaded at the start.`,
        zh: `${model} 是模型库 id：启动时取自缓存或下载。`
      })
    )
  const folder = modelFolder(context)
  if (folder !== null) return { kind: 'folder', folder }
  return answered({
    verdict: 'warn',
    evidence: {
      en: `${model} is not below a mount, so it must be part of the image.`,
      zh: `${model} 不在任何挂载之下，因此必须包含在镜像中。`
    },
    remedy: { en: 'Put the models folder into the mounts.', zh: '请挂载模型目录。' }
  })
}

function answered(outcome: Outcome): Asked {
  return { kind: 'answered', outcome }
}

const unreadable = {
  en: 'The trainer and SGLang read these files at their start and stop without them.',
  zh: '训练器和 SGLang 启动时读取这些文件，缺少则退出。'
}

/** Names the first problem in full and counts the others. */
export function shardOutcome(problems: readonly ShardProblem[]): Outcome {
  const [first] = problems
  const more = problems.length > 1 ? problems.length - 1 : 0
  const words = first === undefined ? { en: '', zh: '' } : problemWords(first)
  return {
    verdict: 'fail',
    evidence: {
      en: words.en + (more > 0 ? ` ${more} more files are wrong.` : ''),
      zh: words.zh + (more > 0 ? `另有 ${more} 个文件有问题。` : '')
    },
    why: unreadable,
    remedy:
      first?.kind === 'pointer'
        ? {
            en: 'Fetch the contents with git lfs pull in that folder.',
            zh: '请在该目录执行 git lfs pull。'
          }
        : {
            en: 'Download the model again; complete files are kept.',
            zh: '请重新下载模型，完整的文件会保留。'
          },
    ...(first?.kind === 'pointer' ? { command: 'git lfs install && git lfs pull' } : {})
  }
}

function problemWords(problem: ShardProblem): { en: string; zh: string } {
  const { file } = problem
  switch (problem.kind) {
    case 'missing':
      return { en: `${file} is named by the index and not there.`, zh: `索引中的 ${file} 不存在。` }
    case 'short':
      return {
        en: `${file} is cut short: ${problem.has} of ${problem.needs} bytes.`,
        zh: `${file} 不完整：${problem.needs} 字节中只有 ${problem.has} 字节。`
      }
    case 'pointer':
      return {
        en: `${file} is a Git LFS pointer, not weights.`,
        zh: `${file} 是 Git LFS 指针，不是权重。`
      }
    case 'damaged':
      return { en: `${file} is no safetensors file.`, zh: `${file} 不是 safetensors 文件。` }
  }
}

const files: CheckSpec<LaunchContext> = {
  id: 'model/files',
  group: 'model',
  title: { en: 'Model files', zh: '模型文件' },
  deadline: 20_000,
  async run(context) {
    const where = asked(context)
    if (where.kind === 'answered') return where.outcome
    const present = await filesOf(context).list(where.folder)
    if (present === null)
      return missing({ en: `${where.folder} is not there.`, zh: `${where.folder} 不存在。` })
    const names = new Set(present.map((entry) => entry.name))
    if (!names.has('config.json'))
      return missing({
        en: `${where.folder} has no config.json.`,
        zh: `${where.folder} 中没有 config.json。`
      })
    const weights = await readWeights(filesOf(context), where.folder)
    if (weights === null)
      return missing({ en: `${where.folder} has no weights.`, zh: `${where.folder} 中没有权重。` })
    if (weights.problems.length > 0) return shardOutcome(weights.problems)
    if (!['tokenizer.json', 'tokenizer.model', 'vocab.json'].some((name) => names.has(name)))
      return missing({
        en: `${where.folder} has no tokenizer.`,
        zh: `${where.folder} 中没有 tokenizer。`
      })
    return pass({
      en: `config.json, tokenizer and ${weights.files.length} weight files, ${gigabytes(weights.bytes)}, each as long as its header says.`,
      zh: `config.json、tokenizer 和 ${weights.files.length} 个权重文件，共 ${gigabytes(weights.bytes)}，长度均与文件头一致。`
    })
  }
}

function missing(evidence: { en: string; zh: string }): Outcome {
  return {
    verdict: 'fail',
    evidence,
    why: unreadable,
    remedy: {
      en: 'Name the folder that holds config.json, tokenizer and weights, or download the model.',
      zh: '请指定包含 config.json、tokenizer 和权重的目录，或先下载模型。'
    }
  }
}

async function configOf(context: LaunchContext, folder: string): Promise<unknown> {
  const text = await textOf(context, posix.join(folder, 'config.json'))
  if (text === null) return null
  try {
    return JSON.parse(text)
  } catch {
    // The check of the files is the one that complains about it.
    return null
  }
}

/** An estimate with its terms; never a fail, because the true need depends on what cannot be known here. */
const memory: CheckSpec<LaunchContext> = {
  id: 'model/memory',
  group: 'model',
  title: { en: 'GPU memory, estimated', zh: '显存估算' },
  deadline: 20_000,
  async run(context) {
    const where = asked(context)
    if (context.plan.gpus.count === 0 || where.kind === 'answered')
      return skip({ en: 'Nothing to estimate from.', zh: '没有可供估算的数据。' })
    const shape = shapeOf(await configOf(context, where.folder))
    const weights = await readWeights(filesOf(context), where.folder)
    if (shape === null || weights === null || weights.bytes === 0)
      return unknown({
        en: 'config.json does not say the model’s shape.',
        zh: 'config.json 没有给出模型结构。'
      })
    const estimate = estimateMemory({
      ...shape,
      ...settingsOf(context),
      parameters: weights.bytes / 2
    })
    const gpus = (await context.status()).gpus
      .map((gpu) => gpu.memoryBytes)
      .filter((one) => one > 0)
    const smallest = gpus.length === 0 ? null : Math.min(...gpus)
    const evidence = memorySentence(estimate, smallest)
    if (smallest === null) return unknown(evidence)
    if (Math.max(estimate.trainer, estimate.serving) <= smallest) return pass(evidence)
    return {
      verdict: 'warn',
      evidence,
      why: {
        en: 'The estimate is above what a GPU has; CUDA would say that it is out of memory.',
        zh: '估算值超过单卡显存，CUDA 可能报 out of memory。'
      },
      remedy: {
        en: 'Spread over more GPUs, lower max-tokens-per-gpu, or train an adapter with LoRA.',
        zh: '请使用更多 GPU、调低 max-tokens-per-gpu，或用 LoRA 只训练 adapter。'
      }
    }
  }
}

function settingsOf(context: LaunchContext) {
  const number = (fallback: number, name: string): number => numberOption(context, fallback, name)
  const trainers = context.plan.gpus.roles.filter(({ role }) => /actor|critic|train/i.test(role))
  return {
    tensorParallel: number(1, 'tensor-model-parallel-size'),
    trainerGpus: Math.max(1, ...trainers.map(({ gpus }) => gpus)),
    lora: trainsAdapter(context),
    maxTokensPerGpu: number(DEFAULT_TOKENS_PER_GPU, 'max-tokens-per-gpu'),
    cachedTokens:
      number(DEFAULT_CONTEXT, 'rollout-max-context-len') *
      number(DEFAULT_REQUESTS, 'sglang-max-running-requests')
  }
}

export const modelChecks: readonly CheckSpec<LaunchContext>[] = [files, memory]
