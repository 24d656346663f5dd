import type { Text } from '../../contract/text'
import { checkpointTimes } from '../recipes'

/** Bytes as a person reads them: `24.6 GB`, decimal units as disks are sold. */
export function gigabytes(bytes: number): string {
  return `${(bytes / 1e9).toFixed(bytes < 1e10 ? 1 : 0)} GB`
}

/** What the checkpoint reservation is computed from. All sizes are allocated bytes (blocks × 512). */
export interface CapacityInput {
  /** Hugging Face model folder, links followed. */
  model: number
  /** Megatron checkpoint that `--load`'s tracker names; 0 on a first boot. */
  megatron: number
  lora: boolean
  critic: boolean
  /** `.reef-retention/estimate.json` and every retention record, 0 where there is none. */
  recorded: number
  /** Protected checkpoints that stay whatever happens. */
  kept: number
  /** All managed checkpoints now on disk. */
  live: number
  totalBytes: number
  freeBytes: number
  maxStorageBytes: number | null
  maxStorageFraction: number
  minFreeBytes: number | null
  minFreeFraction: number
}

export interface Capacity {
  reservation: number
  floor: number
  cap: number
  /** Checkpoints of this size that fit beside what is kept. */
  fits: number
  verdict: 'fits' | 'over-cap' | 'under-floor' | 'no-estimate'
}

/**
 * The storage rule that decides at boot whether training may start.
 * LoRA reserves its share of the larger of export and Megatron checkpoint, full weights theirs of the export alone.
 * Source: Reef `reef_adapters/training_job/storage.py`.
 */
export function checkpointCapacity(input: CapacityInput): Capacity {
  const times = checkpointTimes(input)
  const estimate = input.lora
    ? Math.trunc(times * Math.max(input.model, input.megatron))
    : Math.max(input.model + input.megatron, times * input.model)
  const reservation = Math.max(estimate, input.recorded)
  const floor = input.minFreeBytes ?? Math.trunc(input.totalBytes * input.minFreeFraction)
  const wanted = input.maxStorageBytes ?? Math.trunc(input.totalBytes * input.maxStorageFraction)
  const cap = Math.min(wanted, input.totalBytes - floor)
  const free = input.freeBytes + (input.live - input.kept)
  const room = Math.max(0, Math.min(cap - input.kept, free - floor))
  const fits = reservation > 0 ? Math.floor(room / reservation) : 0
  return { reservation, floor, cap, fits, verdict: judge() }

  function judge(): Capacity['verdict'] {
    if (reservation <= 0) return 'no-estimate'
    if (input.kept + reservation > cap) return 'over-cap'
    return free - reservation < floor ? 'under-floor' : 'fits'
  }
}

/** The verdict in words, with every number that went into it. */
export function capacitySentence(capacity: Capacity, input: CapacityInput): Text {
  const rule = `${checkpointTimes(input)} ×`
  const parts = {
    reservation: gigabytes(capacity.reservation),
    free: gigabytes(input.freeBytes),
    floor: gigabytes(capacity.floor),
    cap: gigabytes(capacity.cap),
    model: gigabytes(input.model)
  }
  return {
    en: `One checkpoint reserves ${parts.reservation} (${rule} the ${parts.model} model); ${parts.free} free, of which ${parts.floor} stay free; at most ${parts.cap} for checkpoints. Room for ${capacity.fits}.`,
    zh: `每个 checkpoint 预留 ${parts.reservation}（模型 ${parts.model} 的 ${rule}）；剩余 ${parts.free}，其中须保留 ${parts.floor}；checkpoint 最多可用 ${parts.cap}。还能放 ${capacity.fits} 个。`
  }
}
