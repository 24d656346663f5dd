import type { Dialect, Generation } from '../../contract/recipes'
import { canonical } from './fields'
import type { YamlFlavour } from './py-scalar'
import { entryOf, type YamlNode, type YamlSource } from './yaml-tree'

const NEXRL_SECTIONS: readonly string[] = [
  'rollout_worker',
  'trajectory_pool',
  'trainer',
  'data',
  'weight',
  'service',
  'validate'
]

/** Which reader's rules hold for plain words, told from the text before it is parsed. */
export function flavourOf(text: string, dialect?: Dialect): YamlFlavour {
  if (dialect !== undefined) return dialect === 'nexrl' ? 'omegaconf' : 'pyyaml'
  const hydra = /^defaults:/m.test(text) || /^(?:rollout_worker|trajectory_pool):/m.test(text)
  return hydra && !/^(?:schema[-_]version|reef):/m.test(text) ? 'omegaconf' : 'pyyaml'
}

/** Told from what the file says, not from its name. */
export function detectDialect(source: YamlSource): Dialect {
  const root = source.root
  if (root?.type !== 'map') return 'unknown'
  const keys = new Set(root.entries.map((entry) => canonical(entry.key)))
  if (keys.has('schema-version')) return 'reef-v2'
  if (keys.has('reef') || keys.has('services')) return 'reef-unversioned'
  const nexrl = NEXRL_SECTIONS.filter((name) => keys.has(canonical(name))).length
  if (nexrl >= 2 || (keys.has('defaults') && nexrl >= 1)) return 'nexrl'
  return 'unknown'
}

/**
 * The generation a Reef file was written for: by the fields and class names that only one of them knows; else the newest
 * for version 2 and the oldest for an unversioned file.
 */
export function detectGeneration(source: YamlSource, dialect: Dialect): Generation | null {
  if (dialect === 'reef-v2') return versionedGeneration(source)
  if (dialect !== 'reef-unversioned') return null
  if (source.text.includes('reef.service.training_driver')) return 'C'
  return source.text.includes('reef.service.slime_driver') ? 'B' : 'A'
}

function versionedGeneration(source: YamlSource): Generation {
  const root = source.root
  const inference = entryOf(root, 'inference')?.value
  const training = entryOf(root, 'training')?.value
  if (
    hasKey(root, 'teacher', 'generator') ||
    hasKey(inference, 'handler-factory', 'handler-config')
  )
    return 'C'
  if (hasKey(training, 'colocate')) return 'C'
  if (hasKey(inference, 'backend-factory', 'backend-config')) return 'B'
  const options = entryOf(training, 'options')?.value
  const older = (key: string): boolean =>
    key === 'colocate' || key === 'rollout-num-gpus' || key.startsWith('sglang-')
  if (options?.type === 'map' && options.entries.some((entry) => older(canonical(entry.key))))
    return 'B'
  return 'C'
}

function hasKey(node: YamlNode | null | undefined, ...keys: string[]): boolean {
  return node?.type === 'map' && node.entries.some((entry) => keys.includes(canonical(entry.key)))
}
