/**
 * The fields of a `schema-version: 2` recipe and their rules, as Reef's
 * `docs/reference/configuration.rst` gives them, and the practice stack's own knobs in
 * `training.options`.
 */

/** @typedef {'string' | 'integer' | 'number' | 'boolean' | 'strings' | 'map' | 'speed'} FieldType */
/** @typedef {{ type: FieldType, default?: unknown, choices?: readonly string[], environment?: string, least?: number, above?: number, most?: number, nullable?: boolean, help?: string }} Field */

/** A configuration that cannot be used; the launcher exits 2 with the message. */
export class ConfigError extends Error {}

export const SECTIONS = [
  'reef',
  'inference',
  'teacher',
  'recipe',
  'training',
  'storage',
  'execution',
  'executors',
  'evaluation',
  'generator',
  'observability'
]

/** Sections with free content that practice has no use for. */
export const FREE_SECTIONS = ['teacher', 'execution', 'executors', 'evaluation', 'generator']

/** @type {(fallback: string) => Field} */
const text = (fallback) => ({ type: 'string', default: fallback })
/** @type {Field} */
const optionalText = { type: 'string', nullable: true }
/** @type {Field} */
const freeMap = { type: 'map', default: {} }

/** @type {Readonly<Record<string, Field>>} */
export const FIELDS = {
  'reef.host': text('127.0.0.1'),
  'reef.port': { type: 'integer', default: 8900, least: 1, most: 65535 },
  'reef.token': optionalText,
  'reef.tokens': { type: 'strings', default: [] },
  'reef.served-url': optionalText,
  'reef.console-origins': { type: 'strings', default: [] },
  'reef.allow-implicit-scenario-creation': { type: 'boolean', default: true },
  'reef.run-dir': text('.reef/run'),
  'reef.ready-timeout': { type: 'integer', default: 30, least: 1 },
  'inference.model-path': optionalText,
  'inference.backend': text('sglang'),
  'inference.num-gpus': { type: 'integer', nullable: true, least: 0 },
  'inference.tensor-parallel-size': { type: 'integer', nullable: true, least: 1 },
  'inference.options': freeMap,
  'inference.url': optionalText,
  'inference.upstream-url': optionalText,
  'inference.upstream-model': optionalText,
  'inference.upstream-api-key': optionalText,
  'inference.upstream-api': text('openai'),
  'inference.timeout-s': { type: 'number', default: 300, above: 0 },
  'inference.retry-initial-s': { type: 'number', default: 0.05, above: 0 },
  'inference.retry-max-s': { type: 'number', default: 1, above: 0 },
  'inference.retry-timeout-s': { type: 'number', nullable: true, above: 0 },
  'inference.handler-factory': optionalText,
  'inference.handler-config': freeMap,
  'recipe.implementation': text('recipe'),
  'recipe.runtime': { type: 'map', nullable: true },
  'training.backend': { type: 'string', nullable: true },
  'training.colocate': { type: 'boolean', default: false },
  'training.ready-timeout': { type: 'integer', default: 3600, least: 1 },
  'training.timeout-s': { type: 'number', nullable: true, above: 0 },
  'training.ray-address': optionalText,
  'training.ray-namespace': text('reef'),
  'training.ray-actor-name': text('reef-train-bridge'),
  'storage.artifact-repository': text('.reef/artifacts.git'),
  'storage.artifact-work-dir': text('.reef/artifact-work'),
  'storage.artifact-cache-dir': text('.reef/artifact-cache'),
  'storage.agent-record-dir': text('.reef/agent-record'),
  'storage.agent-record-retention-days': { type: 'number', default: 7 },
  'storage.record-backend': { type: 'string', default: 'sqlite', choices: ['sqlite', 'postgres'] },
  'storage.record-database-url': optionalText,
  'storage.record-database-schema': text('reef_records'),
  'storage.agent-record-retention-max-bytes': { type: 'integer', default: 21474836480, least: 1 },
  'observability.wandb': freeMap,
  'observability.tracing': freeMap
}

/** @type {Readonly<Record<string, Readonly<Record<string, Field>>>>} */
export const RECIPE_FIELDS = {
  'recipes.sao.recipe:SAORecipe': {
    'batch-size': { type: 'integer', default: 128, environment: 'REEF_SAO_BATCH_SIZE' },
    'max-staleness': { type: 'integer', default: 0, least: 0, environment: 'REEF_MAX_STALENESS' },
    'checkpoint-every-n-versions': { type: 'integer', nullable: true, least: 1 }
  },
  'recipes.tttd.recipe:TTTDRecipe': {
    'groups-per-step': { type: 'integer', default: 8, environment: 'REEF_TTTD_GROUPS_PER_STEP' },
    'rollouts-per-group': {
      type: 'integer',
      default: 64,
      environment: 'REEF_TTTD_ROLLOUTS_PER_GROUP'
    },
    'max-staleness': { type: 'integer', default: 0, least: 0, environment: 'REEF_MAX_STALENESS' },
    'checkpoint-every-n-versions': { type: 'integer', nullable: true, least: 1 }
  }
}

export const CRASH_POINTS = [
  'before-job',
  'running',
  'mid-checkpoint',
  'before-tracker',
  'checkpoint',
  'ready-to-commit',
  'mid-commit-line',
  'after-commit',
  'mid-record'
]

/** @type {Readonly<Record<string, Field>>} */
export const OPTIONS = {
  seed: { type: 'integer', default: 1, help: 'tasks, sampling and the adapter’s start' },
  task: { type: 'string', default: 'modular', choices: ['modular', 'letters', 'labs'] },
  scenarios: { type: 'strings', default: ['practice'], help: 'NAME or NAME=TASK' },
  lr: { type: 'number', default: 0.012, least: 0 },
  'critic-lr': { type: 'number', default: 0.02, least: 0 },
  'lora-rank': { type: 'integer', default: 8, least: 1, most: 64 },
  'lora-alpha': { type: 'number', default: 16, above: 0 },
  'eps-clip': { type: 'number', default: 0.3, least: 0 },
  'eps-clip-high': { type: 'number', default: 5, least: 0 },
  'entropy-coef': { type: 'number', default: 0.003 },
  'kl-coef': { type: 'number', default: 0, least: 0 },
  'clip-grad': { type: 'number', default: 1, above: 0 },
  'critic-steps-per-actor': { type: 'integer', default: 2, least: 1 },
  'num-critic-only-steps': { type: 'integer', default: 2, least: 0 },
  'global-batch-size': { type: 'integer', nullable: true },
  'rollout-batch-size': { type: 'integer', nullable: true },
  'n-samples-per-prompt': { type: 'integer', nullable: true, least: 1 },
  'num-rollout': { type: 'integer', default: 100000000 },
  'save-hf': text('.reef/checkpoints/hf/{rollout_id}'),
  save: text('.reef/checkpoints/megatron'),
  load: optionalText,
  speed: {
    type: 'speed',
    default: 1,
    help: 'pace of the traffic: 2 is twice as fast; max: no pauses'
  },
  traffic: { type: 'string', default: 'on', choices: ['on', 'off'] },
  rewards: { type: 'string', default: 'true', choices: ['true', 'shuffled'] },
  rollback: { type: 'string', default: 'redeploy', choices: ['api', 'redeploy'] },
  generation: { type: 'string', default: 'C', choices: ['A', 'B', 'C'] },
  evaluation: { type: 'string', default: 'off', choices: ['on', 'off'] },
  publish: { type: 'string', default: 'auto', choices: ['auto', 'manual'] },
  recovery: { type: 'string', default: 'auto', choices: ['auto', 'refuse'] },
  'nan-step': { type: 'integer', nullable: true, least: 1 },
  'check-for-nan': { type: 'boolean', default: false },
  'crash-at': { type: 'string', nullable: true, choices: CRASH_POINTS }
}

/** Options of the real trainer that a recipe may carry; practice reads them and does nothing more. */
export const TOLERATED_OPTIONS = [
  'loss-type',
  'use-rollout-logprobs',
  'use-critic',
  'advantage-estimator',
  'rollout-max-response-len',
  'rollout-max-context-len',
  'optimizer',
  'actor-num-nodes',
  'actor-num-gpus-per-node',
  'num-gpus-per-node',
  'hf-checkpoint',
  'ref-load'
]
