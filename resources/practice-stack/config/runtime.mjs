/** What a service needs to know, as one plain object; written to `<run_dir>/<svc>/runtime.yaml`. */
import { dirname, resolve } from 'node:path'

/** @typedef {ReturnType<typeof runtimeOf>} Runtime */

/**
 * @param {import('./resolve.mjs').Settings} settings
 * @param {string} folder launch folder; relative state paths count from it
 */
export function runtimeOf(settings, folder) {
  /** @type {(path: string) => any} */
  const value = (path) => settings[path]?.value ?? null
  /** @type {(name: string) => any} */
  const option = (name) => value(`training.options.${name}`)
  const tttd = value('recipe.implementation').includes('TTTD')
  const groups = tttd ? value('recipe.config.groups-per-step') : null
  const perGroup = tttd ? value('recipe.config.rollouts-per-group') : null
  const modelPath = String(value('inference.model-path'))
  return {
    host: value('reef.host'),
    port: value('reef.port'),
    tokens: [value('reef.token'), ...value('reef.tokens')].filter(
      (token) => typeof token === 'string' && token !== ''
    ),
    origins: value('reef.console-origins'),
    implicitScenarios: value('reef.allow-implicit-scenario-creation'),
    runDir: resolve(folder, value('reef.run-dir')),
    readyTimeout: value('reef.ready-timeout'),
    trainingReadyTimeout: value('training.ready-timeout'),
    /** As written: a folder, or the id of the built-in model. */
    modelPath: /^[./~]/.test(modelPath) ? resolve(folder, modelPath) : modelPath,
    recordDir: resolve(folder, value('storage.agent-record-dir')),
    artifactDir: resolve(folder, value('storage.artifact-work-dir')),
    hfDir: dirname(resolve(folder, option('save-hf'))),
    megatronDir: resolve(folder, option('save')),
    family: tttd ? 'tttd' : 'sao',
    batchSize: tttd ? groups * perGroup : value('recipe.config.batch-size'),
    groups,
    perGroup,
    maxStaleness: value('recipe.config.max-staleness'),
    globalBatch: option('global-batch-size'),
    seed: option('seed'),
    scenarios: option('scenarios').map((/** @type {string} */ entry) => {
      const [name, task = tttd ? 'labs' : option('task')] = entry.split('=')
      return { name, task }
    }),
    task: tttd ? 'labs' : option('task'),
    lr: option('lr'),
    criticLr: option('critic-lr'),
    loraRank: option('lora-rank'),
    loraAlpha: option('lora-alpha'),
    epsClip: option('eps-clip'),
    epsClipHigh: option('eps-clip-high'),
    entropyCoef: option('entropy-coef'),
    klCoef: option('kl-coef'),
    clipGrad: option('clip-grad'),
    criticStepsPerActor: option('critic-steps-per-actor'),
    criticOnlySteps: tttd ? 0 : option('num-critic-only-steps'),
    numRollout: option('num-rollout'),
    speed: option('speed'),
    traffic: option('traffic'),
    rewards: option('rewards'),
    rollback: option('rollback'),
    generation: option('generation'),
    evaluation: option('evaluation'),
    publish: option('publish'),
    recovery: option('recovery'),
    nanStep: option('nan-step'),
    checkForNan: option('check-for-nan'),
    crashAt: option('crash-at')
  }
}

/**
 * `[reef]` lines for the resolved settings; secrets are masked.
 * @param {string} path of the recipe
 * @param {import('./resolve.mjs').Settings} settings
 */
export function settingLines(path, settings) {
  const rows = Object.entries(settings)
    .filter(([, { value }]) => value !== null)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { value, source }]) => `  ${name} = ${shown(name, value)}  (${source})`)
  return [`config: ${path} (schema-version 2)`, 'resolved settings:', ...rows]
}

/**
 * @param {string} name
 * @param {unknown} value
 */
function shown(name, value) {
  const secret = /(token|tokens|api-key|authorization|password|database-url)$/.test(name)
  if (secret && JSON.stringify(value) !== '[]') return '***'
  return typeof value === 'string' ? value : JSON.stringify(value)
}
