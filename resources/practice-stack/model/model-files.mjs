/** The policy on disk: a PEFT adapter, a model folder, and the trainer's own state. */
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { sha256 } from '../store/files.mjs'
import { decodeSafetensors, encodeSafetensors } from '../store/safetensors.mjs'
import { HIDDEN, VOCABULARY } from './features.mjs'
import { baseDigest, createBase } from './policy.mjs'

/** @typedef {import('./policy.mjs').Base} Base */
/** @typedef {import('./policy.mjs').Adapter} Adapter */
/** @typedef {import('./learner.mjs').LearnerState} LearnerState */
/** @typedef {{ base: Base, digest: string, name: string, adapter: Adapter | null }} Model */

/** The model that needs no files: its weights come from its name. */
export const BUILT_IN_MODEL = 'practice/tiny-policy'
const MODEL_TYPE = 'slipway-practice'
const LORA_A = 'base_model.model.lm_head.lora_A.weight'
const LORA_B = 'base_model.model.lm_head.lora_B.weight'

/**
 * The frozen base that `inference.model-path` names, and the adapter that lies beside it, if any.
 * @param {string} modelPath built-in id, or a folder such as an exported `hf/<rollout_id>`
 * @returns {Promise<Model>}
 */
export async function loadModel(modelPath) {
  if (modelPath === BUILT_IN_MODEL) {
    const base = createBase(BUILT_IN_MODEL)
    return { base, digest: baseDigest(base), name: BUILT_IN_MODEL, adapter: null }
  }
  const config = await readModelConfig(modelPath)
  const { tensors } = decodeSafetensors(await fs.readFile(join(modelPath, 'model.safetensors')))
  const base = {
    rotation: Float32Array.from(tensors['model.rotation'].data),
    readout: Float32Array.from(tensors['lm_head.weight'].data)
  }
  const digest = baseDigest(base)
  if (digest !== config.base_digest) {
    throw new Error(`model ${modelPath}: the base weights are not those config.json names`)
  }
  const names = await fs.readdir(modelPath)
  const adapter = names.includes('reef-adapter.json') ? await readAdapter(modelPath) : null
  return { base, digest, name: config._name_or_path, adapter }
}

/** @param {string} modelPath */
async function readModelConfig(modelPath) {
  const path = join(modelPath, 'config.json')
  let config
  try {
    config = JSON.parse(await fs.readFile(path, 'utf8'))
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error)
    throw new Error(
      `inference.model-path '${modelPath}': no readable config.json (${reason}); use ` +
        `${BUILT_IN_MODEL} or a folder that the practice stack exported`,
      { cause: error }
    )
  }
  if (config.model_type !== MODEL_TYPE) {
    throw new Error(
      `inference.model-path '${modelPath}' holds a model of type '${config.model_type}'; the ` +
        `practice stack runs ${MODEL_TYPE} only`
    )
  }
  return config
}

/**
 * The three files of a LoRA release.
 * @param {Model} model
 * @param {Adapter} adapter
 * @param {{ scenario: string, step: number }} owner
 * @returns {Record<string, string | Buffer>}
 */
export function adapterFiles(model, adapter, owner) {
  const settings = {
    base_model_name_or_path: model.name,
    bias: 'none',
    inference_mode: true,
    lora_alpha: adapter.alpha,
    lora_dropout: 0,
    peft_type: 'LORA',
    r: adapter.rank,
    target_modules: ['lm_head'],
    task_type: 'CAUSAL_LM'
  }
  const config = `${JSON.stringify(settings, null, 2)}\n`
  const weights = encodeSafetensors(
    {
      [LORA_A]: { dtype: 'F32', shape: [adapter.rank, HIDDEN], data: adapter.a },
      [LORA_B]: { dtype: 'F32', shape: [VOCABULARY.length, adapter.rank], data: adapter.b }
    },
    { format: 'pt', scenario: owner.scenario, step: String(owner.step) }
  )
  const manifest = {
    base_model: model.name,
    base_model_digest: model.digest,
    tokenizer_digest: sha256(VOCABULARY.join('')),
    chat_template_digest: sha256('last user message'),
    peft: { rank: adapter.rank, alpha: adapter.alpha, target_modules: settings.target_modules },
    dtype: 'float32',
    scenario: owner.scenario,
    step: owner.step,
    files: { 'adapter_config.json': sha256(config), 'adapter_model.safetensors': sha256(weights) }
  }
  return {
    'adapter_config.json': config,
    'adapter_model.safetensors': weights,
    'reef-adapter.json': `${JSON.stringify(manifest, null, 2)}\n`
  }
}

/**
 * A whole model folder: base, configuration and adapter.
 * @param {Model} model
 * @param {Adapter} adapter
 * @param {{ scenario: string, step: number }} owner
 */
export function exportFiles(model, adapter, owner) {
  const config = {
    _name_or_path: model.name,
    architectures: ['PracticePolicy'],
    model_type: MODEL_TYPE,
    hidden_size: HIDDEN,
    vocab_size: VOCABULARY.length,
    base_digest: model.digest,
    torch_dtype: 'float32'
  }
  const weights = encodeSafetensors({
    'model.rotation': { dtype: 'F32', shape: [HIDDEN, HIDDEN], data: model.base.rotation },
    'lm_head.weight': {
      dtype: 'F32',
      shape: [VOCABULARY.length, HIDDEN],
      data: model.base.readout
    }
  })
  return {
    'config.json': `${JSON.stringify(config, null, 2)}\n`,
    'model.safetensors': weights,
    ...adapterFiles(model, adapter, owner)
  }
}

/**
 * Reads an adapter and checks its digest.
 * @param {string} folder
 * @returns {Promise<Adapter>}
 */
export async function readAdapter(folder) {
  const manifest = JSON.parse(await fs.readFile(join(folder, 'reef-adapter.json'), 'utf8'))
  const bytes = await fs.readFile(join(folder, 'adapter_model.safetensors'))
  if (sha256(bytes) !== manifest.files['adapter_model.safetensors']) {
    throw new Error(`adapter ${folder}: the weights are not those its manifest names`)
  }
  const { tensors } = decodeSafetensors(bytes)
  const { rank, alpha } = manifest.peft
  return { rank, alpha, a: tensors[LORA_A].data, b: tensors[LORA_B].data }
}

/**
 * The trainer's full-precision state of one scenario.
 * @param {LearnerState} state
 * @param {Record<string, string>} metadata
 * @returns {Record<string, string | Buffer>}
 */
export function stateFiles(state, metadata) {
  /** @type {(data: Float64Array) => import('../store/safetensors.mjs').Tensor} */
  const tensor = (data) => ({ dtype: 'F64', shape: [data.length], data })
  const { adapter, critic, a, b, value } = state
  const numbers = [adapter.rank, adapter.alpha, a.step, b.step, value.step]
  return {
    'practice_state.safetensors': encodeSafetensors(
      {
        adapter_a: tensor(adapter.a),
        adapter_b: tensor(adapter.b),
        critic: tensor(critic),
        a_mean: tensor(a.mean),
        a_square: tensor(a.square),
        b_mean: tensor(b.mean),
        b_square: tensor(b.square),
        value_mean: tensor(value.mean),
        value_square: tensor(value.square),
        numbers: tensor(Float64Array.from(numbers))
      },
      metadata
    ),
    'metadata.json': `${JSON.stringify({ sharded_backend: 'practice', ...metadata })}\n`
  }
}

/**
 * @param {string} folder
 * @returns {Promise<LearnerState>}
 */
export async function readState(folder) {
  const bytes = await fs.readFile(join(folder, 'practice_state.safetensors'))
  const { tensors } = decodeSafetensors(bytes)
  /** @type {(name: string) => Float64Array} */
  const data = (name) => tensors[name].data
  const [rank, alpha, aStep, bStep, valueStep] = data('numbers')
  return {
    adapter: { rank, alpha, a: data('adapter_a'), b: data('adapter_b') },
    critic: data('critic'),
    a: { step: aStep, mean: data('a_mean'), square: data('a_square') },
    b: { step: bStep, mean: data('b_mean'), square: data('b_square') },
    value: { step: valueStep, mean: data('value_mean'), square: data('value_square') }
  }
}
