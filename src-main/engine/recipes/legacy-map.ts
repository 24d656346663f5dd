/**
 * Where the unversioned layout keeps what `schema-version: 2` declares elsewhere (docs/reference/configuration.rst,
 * reef/service/deploy/deployment_config.py). The rules speak version 2; this table lets them read both.
 */
export type LegacyHome = { kind: 'field'; path: string } | { kind: 'flag'; flag: string }

const fieldHomes: Readonly<Record<string, string>> = {
  'reef.host': 'reef.host',
  'reef.port': 'reef.port',
  'reef.token': 'reef.token',
  'reef.tokens': 'reef.tokens',
  'reef.run-dir': 'run-dir',
  'reef.ready-timeout': 'ready-timeout',
  'reef.console-origins': 'reef.console-origins',
  'reef.allow-implicit-scenario-creation': 'reef.allow-implicit-scenario-creation',
  'inference.model-path': 'reef.model-path',
  'inference.url': 'reef.inference-url',
  'inference.upstream-url': 'reef.upstream-url',
  'inference.upstream-model': 'reef.upstream-model',
  'inference.upstream-api-key': 'reef.upstream-api-key',
  'inference.upstream-api': 'reef.upstream-api',
  'inference.timeout-s': 'reef.inference-timeout-s',
  'inference.handler-factory': 'reef.inference-backend-factory',
  'inference.handler-config': 'reef.inference-backend-config',
  'recipe.implementation': 'reef.recipe',
  'training.timeout-s': 'reef.train-timeout-s',
  'training.ray-address': 'reef.ray-address',
  'training.ray-namespace': 'reef.ray-namespace',
  'training.ray-actor-name': 'reef.ray-actor-name',
  'storage.artifact-repository': 'reef.artifact-repository',
  'storage.artifact-work-dir': 'reef.artifact-work-dir',
  'storage.artifact-cache-dir': 'reef.artifact-cache-dir',
  'storage.agent-record-dir': 'reef.agent-record-dir',
  'storage.agent-record-retention-days': 'reef.agent-record-retention-days',
  'storage.agent-record-retention-max-bytes': 'reef.agent-record-retention-max-bytes'
}

const flagHomes: Readonly<Record<string, string>> = {
  'inference.num-gpus': 'rollout-num-gpus',
  'inference.tensor-parallel-size': 'rollout-num-gpus-per-engine',
  'training.colocate': 'colocate'
}

const prefixHomes: readonly (readonly [string, string])[] = [
  ['inference.handler-config.', 'reef.inference-backend-config.'],
  ['recipe.config.', 'reef.'],
  ['training.config.', 'training.'],
  ['observability.', 'observability.'],
  ['execution.', 'execution.'],
  ['evaluation.', 'evaluation.']
]

/** `path` is a canonical (dashed) version 2 path. */
export function legacyHome(path: string): LegacyHome | undefined {
  const field = fieldHomes[path]
  if (field !== undefined) return { kind: 'field', path: field }
  const flag = flagHomes[path]
  if (flag !== undefined) return { kind: 'flag', flag }
  if (path.startsWith('inference.options.')) {
    return { kind: 'flag', flag: `sglang-${path.slice('inference.options.'.length)}` }
  }
  for (const [prefix, home] of prefixHomes) {
    if (path.startsWith(prefix)) return { kind: 'field', path: home + path.slice(prefix.length) }
  }
  return undefined
}

/** Pairs of an unversioned field and its version 2 path, both dashed. */
export function legacyNames(): [legacy: string, modern: string][] {
  return Object.entries(fieldHomes).map(([modern, legacy]) => [legacy, modern])
}

const newHomes = new Map(Object.entries(fieldHomes).map(([modern, legacy]) => [legacy, modern]))

/** The version 2 path of an unversioned `reef.*`, `run_dir`, … field; undefined for a recipe's own field. */
export function modernHome(legacy: string): string | undefined {
  return newHomes.get(legacy)
}
