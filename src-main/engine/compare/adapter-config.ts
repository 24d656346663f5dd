import { z } from 'zod'

/** The part of `adapter_config.json` that the effective update depends on. Public source: the PEFT library's `LoraConfig`. */
const Config = z.looseObject({
  peft_type: z.string().nullish(),
  r: z.number().nullish(),
  lora_alpha: z.number().nullish(),
  use_rslora: z.boolean().nullish(),
  use_dora: z.boolean().nullish(),
  alpha_pattern: z.record(z.string(), z.number()).nullish(),
  base_model_name_or_path: z.string().nullish()
})

export interface AdapterConfig {
  type: string
  alpha: number
  alphaPattern: readonly (readonly [string, number])[]
  rankStabilised: boolean
  /** The adapter also rescales columns; the effective update then is not B·A·scale alone. */
  magnitudes: boolean
  base: string | null
}

/** Reads the configuration of an adapter; null when it is not one. */
export function parseAdapterConfig(text: string): AdapterConfig | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const parsed = Config.safeParse(value)
  if (!parsed.success) return null
  const config = parsed.data
  return {
    type: config.peft_type ?? 'LORA',
    alpha: config.lora_alpha ?? config.r ?? 8,
    alphaPattern: Object.entries(config.alpha_pattern ?? {}),
    rankStabilised: config.use_rslora ?? false,
    magnitudes: config.use_dora ?? false,
    base: config.base_model_name_or_path ?? null
  }
}

/** Factor on B·A for a module: alpha over the rank, or over its root; a pattern names a module by the end of its name. */
export function scaleOf(config: AdapterConfig, module: string, rank: number): number {
  const own = config.alphaPattern.find(
    ([key]) => module === key.replace(/^\^/, '') || module.endsWith(`.${key}`)
  )
  const alpha = own?.[1] ?? config.alpha
  return rank === 0 ? 0 : alpha / (config.rankStabilised ? Math.sqrt(rank) : rank)
}
