import { posix } from 'node:path'
import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import {
  capacitySentence,
  checkpointCapacity,
  gigabytes,
  type Capacity,
  type CapacityInput
} from './checkpoint-capacity'
import {
  allocatedBytes,
  byteSize,
  storedCheckpoints,
  type StoredCheckpoints
} from './checkpoint-storage'
import {
  filesOf,
  hostPath,
  modelFolder,
  nearestExisting,
  numberSetting,
  option,
  setting,
  switchedOn,
  trainsAdapter,
  type LaunchContext
} from './launch-context'

/** Below this a run of any kind is in danger: logs, records and a small checkpoint. */
const LEAST_FREE = 1e9
/** Defaults of Reef's storage flags. Source: `reef_adapters/training_job/storage.py`. */
const MAX_FRACTION = 0.8
const MIN_FREE_FRACTION = 0.1
/** Default of `storage.agent-record-retention-max-bytes`. */
const RECORD_BYTES = 20 * 2 ** 30
/** A durable release of full weights lies in the repository, in the working folder and in the cache. */
const ARTIFACT_COPIES = 3
/** A disk that is full sooner than this ends a night's run. */
const SOON_HOURS = 24

/** Free space where the run itself is written, whatever the recipe. */
export function freeSpace(folder: string): CheckSpec<LaunchContext> {
  return {
    id: 'disk/free',
    group: 'disk',
    title: { en: 'Free space', zh: '剩余空间' },
    deadline: 12_000,
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

/** The checkpoint root as the stack sees it: the folder above the one with the exports. */
function checkpointRoot(context: LaunchContext): string | undefined {
  const template = option(context, 'save-hf')
  return template === undefined
    ? setting(context, 'training.config.checkpoint_dir', 'training.checkpoint_dir')
    : posix.dirname(posix.dirname(template))
}

function fraction(context: LaunchContext, name: string, fallback: number): number {
  const value = Number(option(context, name) ?? fallback)
  return Number.isFinite(value) && value >= 0 && value <= 1 ? value : fallback
}

function sizeOption(context: LaunchContext, name: string): number | null {
  const text = option(context, name)
  return text === undefined ? null : byteSize(text)
}

/** What the person wrote about retention, and Reef's own defaults for the rest. */
function limits(
  context: LaunchContext
): Pick<
  CapacityInput,
  'maxStorageBytes' | 'maxStorageFraction' | 'minFreeBytes' | 'minFreeFraction'
> {
  return {
    maxStorageBytes: sizeOption(context, 'reef-checkpoint-max-storage'),
    maxStorageFraction: fraction(context, 'reef-checkpoint-max-storage-fraction', MAX_FRACTION),
    minFreeBytes: sizeOption(context, 'reef-checkpoint-min-free-space'),
    minFreeFraction: fraction(context, 'reef-checkpoint-min-free-space-fraction', MIN_FREE_FRACTION)
  }
}

/** The rule's verdict, and how soon the cap is reached at the pace of the checkpoints that are there. */
export function capacityOutcome(input: CapacityInput, pace: number | null = null): Outcome {
  const capacity = checkpointCapacity(input)
  const { en, zh } = capacitySentence(capacity, input)
  switch (capacity.verdict) {
    case 'fits':
      return paceOutcome({ en, zh }, capacity, input, pace)
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
        evidence: { en, zh },
        why: {
          en: 'Reef checks this before it starts and refuses: checkpoint storage preflight blocked bridge startup.',
          zh: 'Reef 启动前会做同样的检查并拒绝启动：checkpoint storage preflight blocked bridge startup。'
        },
        remedy: {
          en: 'Free space, move checkpoint_dir to a larger disk, or keep only the adapter with LoRA.',
          zh: '请清理空间、把 checkpoint_dir 移到更大的磁盘，或用 LoRA 只保留 adapter。'
        }
      }
  }
}

function paceOutcome(
  evidence: { en: string; zh: string },
  capacity: Capacity,
  input: CapacityInput,
  pace: number | null
): Outcome {
  if (pace === null) return pass(evidence)
  // Retention keeps the whole under the cap; what is not managed has only the free space.
  const room = Math.min(input.freeBytes - capacity.floor, capacity.cap - input.live)
  const hours = Math.max(0, room) / pace
  const told = {
    en: `${evidence.en} So far ${gigabytes(pace)} an hour were written: at that pace the room is used up in ${hours.toFixed(1)} h, and older ones are deleted from then on.`,
    zh: `${evidence.zh}此前每小时写入 ${gigabytes(pace)}：按此速度 ${hours.toFixed(1)} 小时后用尽，之后开始删除较旧的 checkpoint。`
  }
  // With room for one only, nothing is left to go back to.
  if (hours >= SOON_HOURS || capacity.fits > 1) return pass(told)
  return {
    verdict: 'warn',
    evidence: told,
    why: {
      en: 'With room for a single checkpoint there is soon nothing left to go back to.',
      zh: '只够放一个 checkpoint，很快就没有可回滚的版本。'
    },
    remedy: {
      en: 'Free space, or move checkpoint_dir to a larger disk.',
      zh: '请清理空间，或把 checkpoint_dir 移到更大的磁盘。'
    }
  }
}

async function inputOf(
  context: LaunchContext,
  place: { total: number; free: number },
  stored: StoredCheckpoints,
  signal: AbortSignal
): Promise<CapacityInput> {
  const model = modelFolder(context)
  return {
    model: model === null ? 0 : await allocatedBytes(filesOf(context), model, signal),
    megatron: stored.megatron,
    recorded: stored.recorded,
    kept: stored.kept,
    live: stored.live,
    lora: trainsAdapter(context),
    critic: switchedOn(context, 'use-critic'),
    totalBytes: place.total,
    freeBytes: place.free,
    ...limits(context)
  }
}

/** Reef's own storage rule, on the filesystem that really holds the checkpoints. */
const checkpointSpace: CheckSpec<LaunchContext> = {
  id: 'disk/checkpoints',
  group: 'disk',
  title: { en: 'Room for checkpoints', zh: 'checkpoint 空间' },
  deadline: 10_000,
  async run(context, signal) {
    const root = checkpointRoot(context)
    if (context.plan.practice || root === undefined)
      return skip({ en: 'This stack saves only small files.', zh: '该运行栈只保存小文件。' })
    const files = filesOf(context)
    const folder = hostPath(context, root)
    if (folder === null)
      return {
        verdict: 'warn',
        evidence: {
          en: `${root} is not below a mount: checkpoints would be inside the container and gone with it.`,
          zh: `${root} 不在任何挂载之下：checkpoint 会留在容器内，随容器一起消失。`
        },
        remedy: {
          en: 'Put checkpoint_dir below a mounted folder.',
          zh: '请把 checkpoint_dir 放到挂载目录之下。'
        }
      }
    const place = await nearestExisting(files, folder)
    if (place === null)
      return unknown({ en: `${folder} cannot be looked at.`, zh: `无法查看 ${folder}。` })
    const load = option(context, 'load')
    const source = load === undefined ? null : hostPath(context, load)
    const stored = await storedCheckpoints(files, folder, source, signal)
    return capacityOutcome(await inputOf(context, place, stored, signal), stored.pace)
  }
}

/** Room for what Reef keeps beside the checkpoints; never refused by the stack, so never more than a warning. */
export function keptOutcome(
  need: { copies: number; records: number },
  place: { path: string; free: number }
): Outcome {
  const bytes = need.copies + need.records
  const evidence = {
    en: `${gigabytes(place.free)} free at ${place.path}; artifacts take up to ${gigabytes(need.copies)} a release, records up to ${gigabytes(need.records)} in all.`,
    zh: `${place.path} 剩余 ${gigabytes(place.free)}；每个版本的 artifact 最多 ${gigabytes(need.copies)}，记录合计最多 ${gigabytes(need.records)}。`
  }
  if (place.free >= bytes) return pass(evidence)
  return {
    verdict: 'warn',
    evidence,
    why: {
      en: 'A release that cannot be written is not published, and serving goes on with the one before.',
      zh: '无法写入的版本不会发布，推理会继续使用上一个版本。'
    },
    remedy: {
      en: 'Free space, or set storage.artifact-repository and storage.agent-record-dir to a larger disk.',
      zh: '请清理空间，或把 storage.artifact-repository 与 storage.agent-record-dir 放到更大的磁盘。'
    }
  }
}

const keptSpace: CheckSpec<LaunchContext> = {
  id: 'disk/artifacts',
  group: 'disk',
  title: { en: 'Room for artifacts and records', zh: 'artifact 与记录空间' },
  deadline: 10_000,
  async run(context, signal) {
    const at =
      setting(context, 'storage.artifact-repository') ??
      setting(context, 'storage.agent-record-dir')
    if (context.plan.practice || at === undefined)
      return skip({ en: 'This stack keeps only small files.', zh: '该运行栈只保存小文件。' })
    const folder = hostPath(context, at)
    if (folder === null)
      return {
        verdict: 'warn',
        evidence: {
          en: `${at} is not below a mount: releases would be gone with the container.`,
          zh: `${at} 不在任何挂载之下：版本会随容器一起消失。`
        }
      }
    const place = await nearestExisting(filesOf(context), folder)
    if (place === null)
      return unknown({ en: `${folder} cannot be looked at.`, zh: `无法查看 ${folder}。` })
    const model = modelFolder(context)
    const full = context.recipe.facts.model !== null && !trainsAdapter(context)
    const bytes =
      model === null || !full ? 0 : await allocatedBytes(filesOf(context), model, signal)
    const records = numberSetting(context, RECORD_BYTES, 'storage.agent-record-retention-max-bytes')
    return keptOutcome({ copies: ARTIFACT_COPIES * bytes, records }, place)
  }
}

export const diskChecks: readonly CheckSpec<LaunchContext>[] = [checkpointSpace, keptSpace]
