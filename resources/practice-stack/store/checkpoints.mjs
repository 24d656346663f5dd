/**
 * Checkpoints of the trainer: `hf/<rollout_id>/`, `megatron/iter_0000004/` with its tracker, and the
 * job marker `hf/.reef-latest-job.json`. A folder with its proper name is complete; the tracker names
 * a complete one.
 */
import { promises as fs } from 'node:fs'
import { join } from 'node:path'
import { isMissing, readOptional, syncFolder, writeAtomic, writeFolder } from './files.mjs'

/** @typedef {import('../config/runtime.mjs').Runtime} Runtime */
/** @typedef {Record<string, any> & { status: string, job_id: string, rollout_id: number }} Marker */

const TRACKER = 'latest_checkpointed_iteration.txt'

export class CheckpointStore {
  /** @param {Runtime} runtime */
  constructor(runtime) {
    this.hfDir = runtime.hfDir
    this.megatronDir = runtime.megatronDir
    this.recordDir = runtime.recordDir
    this.loadKey = runtime.generation === 'A' ? 'weight_version' : 'runtime_load_id'
    this.markerPath = join(this.hfDir, '.reef-latest-job.json')
    /** @type {Marker | null} the newest marker of a finished job */
    this.committed = null
  }

  async open() {
    await fs.mkdir(this.hfDir, { recursive: true })
    await fs.mkdir(this.megatronDir, { recursive: true })
    for (const folder of [this.hfDir, this.megatronDir]) {
      for (const name of await fs.readdir(folder)) {
        if (name.endsWith('.tmp')) await fs.rm(join(folder, name), { recursive: true })
      }
    }
  }

  /** @param {number} rollout */
  hfPath(rollout) {
    return join(this.hfDir, String(rollout))
  }

  /** @param {number} rollout */
  iterationPath(rollout) {
    return join(this.megatronDir, `iter_${String(rollout).padStart(7, '0')}`)
  }

  /** @returns {Promise<number | null>} */
  async tracked() {
    const text = await readOptional(join(this.megatronDir, TRACKER))
    return text === null ? null : Number(text)
  }

  /** @returns {Promise<Marker | null>} */
  async readMarker() {
    const text = await readOptional(this.markerPath)
    if (text === null) return null
    try {
      return JSON.parse(text)
    } catch {
      throw new Error(`invalid training marker: ${this.markerPath}`)
    }
  }

  /** @param {Marker} marker */
  async writeMarker(marker) {
    await writeAtomic(this.markerPath, `${JSON.stringify(marker)}\n`)
    if (marker.status === 'COMPLETE') this.committed = { ...marker, previous: undefined }
  }

  /**
   * Writes both halves of a checkpoint, then the tracker.
   * @param {number} rollout
   * @param {Record<string, string | Buffer>} hfFiles
   * @param {Record<string, string | Buffer>} iterationFiles
   * @param {(point: string) => void} crash
   */
  async save(rollout, hfFiles, iterationFiles, crash) {
    await Promise.all([
      writeFolder(this.hfPath(rollout), hfFiles, (written) => {
        if (written === 2) crash('mid-checkpoint')
      }),
      writeFolder(this.iterationPath(rollout), iterationFiles)
    ])
    crash('before-tracker')
    await writeAtomic(join(this.megatronDir, TRACKER), String(rollout))
    await syncFolder(this.megatronDir)
  }

  /**
   * Takes a checkpoint back that no commit names: first the tracker, then the folders.
   * @param {number} rollout
   */
  async discard(rollout) {
    if ((await this.tracked()) === rollout) {
      const before = (await this.iterations()).filter((other) => other < rollout).at(-1)
      if (before === undefined) {
        await fs.rm(join(this.megatronDir, TRACKER))
        await syncFolder(this.megatronDir)
      } else await writeAtomic(join(this.megatronDir, TRACKER), String(before))
    }
    await fs.rm(this.iterationPath(rollout), { recursive: true, force: true })
    await fs.rm(this.hfPath(rollout), { recursive: true, force: true })
  }

  /** Rollouts with a trainer state, lowest first. */
  async iterations() {
    const names = await fs.readdir(this.megatronDir)
    return names
      .flatMap((name) => (/^iter_\d+$/.test(name) ? [Number(name.slice(5))] : []))
      .sort((a, b) => a - b)
  }

  /** @param {string} job */
  async isCommitted(job) {
    const names = await fs.readdir(this.recordDir).catch((error) => {
      if (isMissing(error)) return []
      throw error
    })
    for (const name of names.filter((item) => item.endsWith('.commits.jsonl'))) {
      const text = await fs.readFile(join(this.recordDir, name), 'utf8')
      const whole = text.slice(0, text.lastIndexOf('\n') + 1)
      if (whole.includes(`"training_job_id":"${job}"`)) return true
    }
    return false
  }

  /**
   * Brings marker, tracker and folders into agreement with the commit log after a kill.
   * @param {'auto' | 'refuse'} policy
   * @param {(line: string) => void} say
   */
  async recover(policy, say) {
    const marker = await this.readMarker()
    if (marker === null) return
    if (marker.status === 'COMPLETE') {
      this.committed = marker
      return
    }
    if (policy === 'refuse') throw new Error(await this.refusal(marker))
    const { job_id: job, rollout_id: rollout } = marker
    this.committed = marker.previous ?? null
    const published = !['RUNNING', 'REJECTING', 'REJECTED'].includes(marker.status)
    if (published && (await this.isCommitted(job))) {
      await this.writeMarker({ ...marker, status: 'COMPLETE', commit_acknowledged: true })
      say(`training job ${job} was committed before the stop; marker set to COMPLETE`)
      return
    }
    await this.discard(rollout)
    await this.restoreMarker()
    const when = marker.status === 'RUNNING' ? 'saved' : 'committed'
    say(
      `training job ${job} was stopped before it ${when} rollout ${rollout}; restoring the ` +
        'committed marker'
    )
  }

  /** The marker of the last committed job again, or none when there was none. */
  async restoreMarker() {
    if (this.committed !== null) await this.writeMarker(this.committed)
    else {
      await fs.rm(this.markerPath, { force: true })
      await syncFolder(this.hfDir)
    }
  }

  /** @param {Marker} marker */
  async refusal(marker) {
    const { status, job_id: job, rollout_id: rollout } = marker
    if (status === 'RUNNING') {
      return (
        `ambiguous training job ${job}: ${this.markerPath} is RUNNING for rollout ${rollout}; ` +
        `Megatron's tracker ${(await this.tracked()) ?? 'is absent'}; paths for rollout ${rollout}: ` +
        'none; per-scenario LoRA: yes'
      )
    }
    if (status === 'REJECTING' || status === 'REJECTED') {
      return (
        `training job ${job} is ${status}; restore the committed checkpoint before restarting ` +
        'inference'
      )
    }
    return `training marker is ${status}; operator recovery required`
  }
}
