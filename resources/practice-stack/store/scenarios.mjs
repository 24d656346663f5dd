/** All scenarios of a stack: created, found again after a restart, archived. */
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { RequestError, unknownScenario } from '../http/errors.mjs'
import { adapterFiles, readAdapter } from '../model/model-files.mjs'
import { createAdapter } from '../model/policy.mjs'
import { isMissing, sha256, writeFolder } from './files.mjs'
import { newId, Scenario, scenarioStem } from './scenario.mjs'

/** @typedef {import('./scenario.mjs').Release} Release */

export class Scenarios {
  /**
   * @param {{ runtime: import('../config/runtime.mjs').Runtime, model: import('../model/model-files.mjs').Model, crash: (point: string, before?: () => void) => void, say: (line: string) => void }} parts
   */
  constructor(parts) {
    this.parts = parts
    /** @type {Map<string, Scenario>} */
    this.open = new Map()
    /** @type {Map<string, Promise<Scenario>>} */
    this.creating = new Map()
  }

  /** Opens what earlier processes left. */
  async openAll() {
    const { runtime } = this.parts
    await fs.mkdir(runtime.recordDir, { recursive: true })
    await fs.mkdir(runtime.artifactDir, { recursive: true })
    for (const stem of await fs.readdir(runtime.artifactDir)) {
      const folder = join(runtime.artifactDir, stem, 'creation')
      try {
        const { scenario, creation } = JSON.parse(
          await fs.readFile(join(folder, 'scenario.json'), 'utf8')
        )
        await this.load(scenario, { ...creation, folder })
      } catch (error) {
        // A creation that a kill interrupted has no file of this name yet: there is no scenario.
        if (!isMissing(error)) throw error
      }
    }
  }

  /** @param {string} name @param {Release} creation */
  async load(name, creation) {
    const { runtime, crash, say } = this.parts
    const { recordDir, hfDir, generation } = runtime
    const options = { recordDir, hfDir, generation, crash }
    const scenario = new Scenario(name, options, creation)
    const { torn } = await scenario.open()
    if (torn > 0) say(`scenario '${name}': cut ${torn} bytes of a torn last line`)
    this.open.set(name, scenario)
    return scenario
  }

  /** @param {string} name @returns {Scenario} */
  get(name) {
    const scenario = this.open.get(name)
    if (scenario === undefined) throw unknownScenario(name)
    return scenario
  }

  /**
   * The scenario a request names; created when the recipe allows it.
   * @param {string} name
   */
  async forRequest(name) {
    const known = this.open.get(name)
    if (known !== undefined) return known
    if (!this.parts.runtime.implicitScenarios) throw unknownScenario(name)
    return (await this.create(name, null)).scenario
  }

  /**
   * @param {string} name
   * @param {Release | null} start release whose adapter it starts from; null: the model's own
   * @returns {Promise<{ scenario: Scenario, created: boolean }>}
   */
  async create(name, start) {
    const known = this.open.get(name)
    if (known !== undefined) return { scenario: known, created: false }
    const under = this.creating.get(name)
    if (under !== undefined) return { scenario: await under, created: false }
    const making = this.make(name, start)
    this.creating.set(name, making)
    try {
      return { scenario: await making, created: true }
    } finally {
      this.creating.delete(name)
    }
  }

  /** @param {string} name @param {Release | null} start */
  async make(name, start) {
    const { runtime, model } = this.parts
    const folder = join(runtime.artifactDir, scenarioStem(name), 'creation')
    const fresh = () =>
      createAdapter(`${runtime.seed}/${name}`, runtime.loraRank, runtime.loraAlpha)
    const adapter = start === null ? (model.adapter ?? fresh()) : await readAdapter(start.folder)
    const files = adapterFiles(model, adapter, { scenario: name, step: 0 })
    /** @type {Release} */
    const creation = {
      step: 0,
      releaseId: newId(),
      parentReleaseId: null,
      contentId: contentIdOf(files['adapter_model.safetensors']),
      checkpoint: true,
      operation: 'creation',
      recordedAt: null,
      pending: false,
      rollbackTarget: null,
      highWater: 0,
      consumedIds: [],
      metrics: {},
      folder,
      rollout: null,
      algorithm: {}
    }
    await fs.mkdir(join(folder, '..'), { recursive: true })
    const identity = `${JSON.stringify({ scenario: name, creation: { ...creation, folder: '' } })}\n`
    await writeFolder(folder, { ...files, 'scenario.json': identity })
    return this.load(name, creation)
  }

  /**
   * Takes a scenario out of service; its files are kept aside.
   * @param {string} name
   * @returns {Promise<string[]>} where they are now
   */
  async archive(name) {
    const scenario = this.get(name)
    this.open.delete(name)
    const moved = await scenario.archive()
    const folder = join(this.parts.runtime.artifactDir, scenario.stem)
    const aside = join(this.parts.runtime.recordDir, 'archived', `${Date.now()}-${scenario.stem}`)
    await fs.rename(folder, aside)
    return [...moved, aside]
  }

  /**
   * A restorable release of any scenario, by its id.
   * @param {string} id
   */
  findAnywhere(id) {
    for (const scenario of this.open.values()) {
      const found = scenario.releases.find(
        (release) => release.releaseId === id && release.checkpoint
      )
      if (found !== undefined) return found
    }
    throw new RequestError(404, `no release '${id}'`, 'ArtifactNotFound')
  }
}

/** @param {string | Uint8Array} weights */
export function contentIdOf(weights) {
  return `ck-${sha256(weights).slice(0, 16)}`
}
