/** Layer number and short module name from a tensor's full name. Public source of the names: Hugging Face `transformers` models. */
export interface ModulePlace {
  layer: number | null
  module: string
}

const LAYER = /(?:^|\.)(?:layers|h|blocks|block)\.(\d{1,6})\./

/**
 * `model.layers.26.mlp.down_proj.weight` → layer 26, `down_proj`;
 * `….mlp.experts.3.up_proj.weight` → `experts.3.up_proj`; a bias keeps its name: `q_proj.bias`.
 */
export function placeOf(name: string): ModulePlace {
  const found = LAYER.exec(name)
  const layer = found?.[1] === undefined ? null : Number(found[1])
  const within = found === null ? name : name.slice(found.index + found[0].length)
  const parts = within.replace(/\.weight$/, '').split('.')
  const expert = parts.indexOf('experts')
  if (expert >= 0) return { layer, module: parts.slice(expert).join('.') }
  const plain = parts.filter(
    (part) => !['model', 'self_attn', 'mlp', 'attention', 'language_model'].includes(part)
  )
  return { layer, module: plain.join('.') || within }
}
