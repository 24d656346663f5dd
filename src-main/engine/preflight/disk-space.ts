import { posix } from 'node:path'
import type { FileAccess } from '../targets'
import {
  capacitySentence,
  checkpointCapacity,
  gigabytes,
  type CapacityInput
} from './checkpoint-capacity'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import {
  filesOf,
  hostPath,
  nearestExisting,
  numberSetting,
  setting,
  type LaunchContext
} from './launch-context'

/** Below this a run of any kind is in danger: logs, records and a small checkpoint. */
const LEAST_FREE = 1e9

/** Allocated bytes of a folder and everything below it; 0 when it is not there. */
async function allocatedBytes(
  files: FileAccess,
  folder: string,
  signal: AbortSignal
): Promise<number> {
  let sum = 0
  for (const entry of (await files.list(folder)) ?? []) {
    if (signal.aborted) return sum
    const path = posix.join(folder, entry.name)
    sum += entry.kind === 'directory' ? await allocatedBytes(files, path, signal) : entry.allocated
  }
  return sum
}

/** Free space where the run itself is written, whatever the recipe. */
export function freeSpace(folder: string): CheckSpec<LaunchContext> {
  return {
    id: 'disk/free',
    group: 'disk',
    title: { en: 'Free space', zh: '剩余空间' },
    deadline: 5000,
    async run(context) {
      const place = await nearestExisting(filesOf(context), folder)
      if (place === null)
        return unknown({ en: `${folder} cannot be looked at.`, zh: `无法查看 ${folder}。` })
      const evidence = {
        en: `${gigabytes(place.free)} free of ${gigabytes(place.total)} at ${place.path} (${place.type}).`,
        zh: `${place.path}（${place.type}）剩余 ${gigabytes(place.free)}，共 ${gigabytes(place.total)}。`
      }
      if (place.free >= LEAST_FREE) return pass(evidence)
      return {
        verdict: 'fail',
        evidence,
        why: {
          en: 'Logs, records and checkpoints are written there; a full disk ends the run and may tear its last checkpoint.',
          zh: '日志、记录和 checkpoint 都写在这里；磁盘写满会中断运行，并可能损坏最后一个 checkpoint。'
        },
        remedy: {
          en: 'Free some space, or keep runs elsewhere.',
          zh: '请清理空间，或把运行放到别处。'
        },
        judgement: true
      }
    }
  }
}

function capacityOutcome(input: CapacityInput): Outcome {
  const capacity = checkpointCapacity(input)
  const evidence = capacitySentence(capacity, input)
  switch (capacity.verdict) {
    case 'fits':
      return pass(evidence)
    case 'no-estimate':
      return unknown(
        {
          en: 'The model is not on this disk, so its size is not known.',
          zh: '模型不在该磁盘上，大小未知。'
        },
        { en: 'Download it first, or name its folder.', zh: '请先下载模型，或指定其目录。' }
      )
    case 'over-cap':
    case 'under-floor':
      return {
        verdict: 'fail',
        evidence,
        why: {
          en: 'Reef checks this before it starts and refuses: checkpoint storage preflight blocked bridge startup.',
          zh: 'Reef 启动前会做同样的检查并拒绝启动。'
        },
        remedy: {
          en: 'Free space, move checkpoint_dir to a larger disk, or keep only the adapter with LoRA.',
          zh: '请清理空间、把 checkpoint_dir 移到更大的磁盘，或用 LoRA 只保留 adapter。'
        }
      }
  }
}

/** Reef's own storage rule, on the filesystem that really holds the checkpoints. */
export const checkpointSpace: CheckSpec<LaunchContext> = {
  id: 'disk/checkpoints',
  group: 'disk',
  title: { en: 'Room for checkpoints', zh: 'checkpoint 空间' },
  deadline: 10_000,
  async run(context, signal) {
    const root = setting(context, 'training.config.checkpoint_dir', 'training.checkpoint_dir')
    if (context.plan.practice || root === undefined)
      return skip({ en: 'This stack saves only small files.', zh: '该训练栈只保存小文件。' })
    const files = filesOf(context)
    const folder = hostPath(context, root)
    const model = hostPath(context, context.recipe.facts.model ?? '')
    if (folder === null)
      return {
        verdict: 'warn',
        evidence: {
          en: `${root} is not below a mount: checkpoints would be inside the container and gone with it.`,
          zh: `${root} 不在任何挂载之下：checkpoint 会留在容器内，随容器一起消失。`
        }
      }
    const place = await nearestExisting(files, folder)
    if (place === null)
      return unknown({ en: `${folder} cannot be looked at.`, zh: `无法查看 ${folder}。` })
    const [modelBytes, live] = await Promise.all([
      model === null ? 0 : allocatedBytes(files, model, signal),
      allocatedBytes(files, folder, signal)
    ])
    return capacityOutcome({
      model: modelBytes,
      megatron: 0,
      lora:
        numberSetting(
          context,
          0,
          'training.options.megatron-lora-rank',
          'slime.megatron-lora-rank'
        ) > 0,
      critic: setting(context, 'training.options.use-critic', 'slime.use-critic') === 'true',
      recorded: 0,
      kept: live,
      live,
      totalBytes: place.total,
      freeBytes: place.free,
      maxStorageBytes: null,
      maxStorageFraction: 0.8,
      minFreeBytes: null,
      minFreeFraction: 0.1
    })
  }
}
