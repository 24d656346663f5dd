/**
 * One scenario on disk and in memory: its records (requests and reports, append-only JSON lines; Reef
 * keeps them in SQLite) and its commit log in Reef's form. What is committed is consumed; what is not
 * committed will be trained on again after a kill.
 */
import { randomBytes } from 'node:crypto'
import { appendFileSync, promises as fs } from 'node:fs'
import { join } from 'node:path'
import { badRequest, RequestError } from '../http/errors.mjs'
import { LineFile, sha256, sortedJson } from './files.mjs'

/**
 * @typedef {object} RecordEntry
 * @property {number} sequence
 * @property {string} id
 * @property {'inference' | 'report' | 'train'} type
 * @property {number} createdAt Unix seconds
 * @property {string[]} references
 * @property {number | null} score
 * @property {{ content_id: string, release_id: string, parent_release_id: string | null }} artifact
 * @property {number} releaseStep step of the release that answered
 * @property {{ step: number, group: number, rollout: number } | null} cell place in a TTTD grid
 * @property {string} digest of the content, to tell a retry from a reuse
 * @property {number} offset
 * @property {number} length
 */
/**
 * @typedef {object} Release
 * @property {number} step
 * @property {string} releaseId
 * @property {string | null} parentReleaseId
 * @property {string} contentId
 * @property {boolean} checkpoint
 * @property {string} operation
 * @property {number | null} recordedAt
 * @property {boolean} pending
 * @property {string | null} rollbackTarget
 * @property {number} highWater
 * @property {string[]} consumedIds
 * @property {Record<string, unknown>} metrics
 * @property {string} folder
 * @property {number | null} rollout
 * @property {Record<string, number>} algorithm
 */

/** @param {string} name */
export const scenarioStem = (name) => sha256(name)
export const newId = () => randomBytes(20).toString('hex')

export class Scenario {
  /**
   * @param {string} name
   * @param {{ recordDir: string, hfDir: string, generation: string, crash: (point: string, before?: () => void) => void }} options
   * @param {Release} creation
   */
  constructor(name, options, creation) {
    this.name = name
    this.options = options
    this.stem = scenarioStem(name)
    /** @type {Release[]} index = step */
    this.releases = [creation]
    /** @type {RecordEntry[]} index + 1 = sequence */
    this.records = []
    /** @type {Map<string, RecordEntry>} */
    this.byId = new Map()
    /** @type {Map<string, number>} consumed report → step */
    this.consumed = new Map()
    /** @type {RecordEntry[]} reports no step has consumed, oldest first */
    this.waiting = []
    /** @type {'auto' | 'manual' | 'hybrid'} */
    this.mode = 'auto'
    this.trainRequests = 0
    this.model = 'practice'
    /** @type {Map<string, Promise<RecordEntry>>} appends under way, by id */
    this.appending = new Map()
  }

  /** The release tree of a rollout; null: the creation's. @param {number | null} rollout */
  folderOf(rollout) {
    return rollout === null ? this.releases[0].folder : join(this.options.hfDir, String(rollout))
  }

  get recordPath() {
    return join(this.options.recordDir, `${this.stem}.records.jsonl`)
  }

  get commitPath() {
    return join(this.options.recordDir, `${this.stem}.commits.jsonl`)
  }

  /** Opens the files and reads what is in them; torn last lines are cut off. */
  async open() {
    const commits = await LineFile.open(this.commitPath)
    this.commitFile = commits.file
    for (const { value } of commits.lines)
      this.keepRelease(releaseOf(value, (rollout) => this.folderOf(rollout)))
    const records = await LineFile.open(this.recordPath)
    this.recordFile = records.file
    this.nextSequence = 1
    for (const { value, offset, length } of records.lines) {
      this.keepRecord({ ...entryOf(value), offset, length })
    }
    return { torn: commits.torn + records.torn }
  }

  async close() {
    await this.commitFile?.close()
    await this.recordFile?.close()
  }

  /** The release that answers: the newest that is neither pending nor rejected. @returns {Release} */
  get head() {
    for (let step = this.releases.length - 1; step > 0; step -= 1) {
      const release = this.releases[step]
      if (!release.pending && release.metrics['selected'] !== false) return release
    }
    return this.releases[0]
  }

  get newest() {
    return this.releases[this.releases.length - 1]
  }

  /** @param {Release} release */
  keepRelease(release) {
    if (release.step !== this.releases.length) {
      throw new Error(
        `commit log ${this.commitPath}: step ${release.step} where ${this.releases.length} belongs`
      )
    }
    this.releases.push(release)
    for (const id of release.consumedIds) this.consumed.set(id, release.step)
    if (release.consumedIds.length > 0) {
      this.waiting = this.waiting.filter((report) => !this.consumed.has(report.id))
    }
  }

  /** @param {RecordEntry} entry */
  keepRecord(entry) {
    // Others may have been numbered while this one was written.
    this.nextSequence = Math.max(this.nextSequence ?? 1, entry.sequence + 1)
    this.records.push(entry)
    this.byId.set(entry.id, entry)
    const trains = entry.type === 'report' && entry.score !== null && entry.references.length > 0
    if (trains && !this.consumed.has(entry.id)) this.waiting.push(entry)
  }

  /**
   * Stores a record; the same id with the same content answers the first one.
   * @param {{ id: string | null, type: RecordEntry['type'], references: string[], score: number | null, release: Release, cell: RecordEntry['cell'], payload: any }} record
   * @returns {Promise<RecordEntry>} once it is on disk
   */
  async addRecord(record) {
    const { id, type, references, score, release, cell, payload } = record
    const digest = sha256(sortedJson({ type, payload }))
    const known = id === null ? undefined : (this.byId.get(id) ?? (await this.appending.get(id)))
    if (known !== undefined) {
      if (known.digest === digest && known.type === type) return known
      throw new RequestError(
        409,
        `agent record '${id}' already exists with different content`,
        'RecordConflict'
      )
    }
    const entry = {
      sequence: this.nextSequence ?? 1,
      id: id ?? newId().slice(0, 32),
      type,
      createdAt: Date.now() / 1000,
      references,
      score,
      artifact: artifactRef(release),
      releaseStep: release.step,
      cell,
      digest,
      offset: 0,
      length: 0
    }
    this.nextSequence = entry.sequence + 1
    const stored = this.append(entry, payload)
    this.appending.set(entry.id, stored)
    try {
      return await stored
    } finally {
      this.appending.delete(entry.id)
    }
  }

  /**
   * @param {RecordEntry} entry
   * @param {any} payload
   */
  async append(entry, payload) {
    const line = JSON.stringify({
      sequence: entry.sequence,
      agent_record_id: entry.id,
      scenario: this.name,
      request_type: entry.type,
      created_at: entry.createdAt,
      references: entry.references,
      score: entry.score,
      artifact_ref: entry.artifact,
      release_step: entry.releaseStep,
      cell: entry.cell,
      content_sha256: entry.digest,
      payload
    })
    this.options.crash('mid-record', () => tear(this.recordPath, line))
    // An answer nobody has reported on may be lost with a power cut; an acknowledged report may not.
    const durable = entry.type !== 'inference'
    const offset = (await this.recordFile?.append(line, durable)) ?? 0
    const stored = { ...entry, offset, length: Buffer.byteLength(line) }
    this.keepRecord(stored)
    return stored
  }

  /** @param {RecordEntry} entry @returns {Promise<any>} */
  async payloadOf(entry) {
    const line = await this.recordFile?.readAt(entry.offset, entry.length)
    return line?.payload
  }

  /**
   * Makes a release durable and serves it from then on.
   * @param {Omit<Release, 'step' | 'recordedAt'>} release
   * @param {Record<string, unknown>} [more] further keys of the commit line
   */
  async commit(release, more = {}) {
    const full = { ...release, step: this.releases.length, recordedAt: Date.now() / 1000 }
    const line = sortedJson({ ...commitLine(this.name, full, this.options.generation), ...more })
    this.options.crash('mid-commit-line', () => tear(this.commitPath, line))
    await this.commitFile?.append(line)
    this.keepRelease(full)
    this.options.crash('after-commit')
    return full
  }

  /**
   * A release by its id; several rows may carry one id, a checkpoint among them counts.
   * @param {unknown} id
   * @returns {Release}
   */
  findRelease(id) {
    if (typeof id !== 'string' || id.trim() === '') {
      throw badRequest('release_id must be a non-empty string')
    }
    const rows = this.releases.filter((release) => release.releaseId === id)
    const found = rows.find((release) => release.checkpoint) ?? rows[0]
    if (found === undefined) {
      throw new RequestError(
        404,
        `scenario '${this.name}' has no release '${id}'`,
        'ArtifactNotFound'
      )
    }
    return found
  }

  /** Files of the scenario, moved aside. @returns {Promise<string[]>} */
  async archive() {
    await this.close()
    const folder = join(this.options.recordDir, 'archived')
    await fs.mkdir(folder, { recursive: true })
    const moved = []
    for (const path of [this.recordPath, this.commitPath]) {
      const target = join(folder, `${Date.now()}-${path.slice(this.options.recordDir.length + 1)}`)
      await fs.rename(path, target)
      moved.push(target)
    }
    return moved
  }
}

/**
 * Writes half a line, as a kill in the middle of a write would leave it.
 * @param {string} path
 * @param {string} line
 */
function tear(path, line) {
  appendFileSync(path, line.slice(0, line.length / 2))
}

/** @param {Release} release */
export function artifactRef(release) {
  return {
    content_id: release.contentId,
    parent_release_id: release.parentReleaseId,
    release_id: release.releaseId
  }
}

/**
 * A line of the commit log in the form of the generation.
 * @param {string} scenario
 * @param {Release} release
 * @param {string} generation
 */
function commitLine(scenario, release, generation) {
  const { consumedIds, highWater, rollbackTarget } = release
  const targetKey =
    generation === 'A' ? 'rollback_target_artifact_version' : 'rollback_target_release_id'
  return {
    record: generation === 'A' ? 'reef-commit/4' : 'reef-commit/5',
    scenario,
    step: release.step,
    artifact_ref: artifactRef(release),
    checkpoint: release.checkpoint,
    algorithm_state: { ...release.algorithm, rollout_id: release.rollout },
    record_progress: {
      consumed_ids: consumedIds,
      high_water_offset: 0,
      high_water_sequence: highWater,
      ...(generation === 'B' ? { compacted_ids: [] } : {})
    },
    recorded_at: release.recordedAt,
    operation: release.operation,
    metrics: release.metrics,
    ...(release.pending ? { pending: true } : {}),
    ...(rollbackTarget === null ? {} : { [targetKey]: rollbackTarget })
  }
}

/**
 * @param {any} line
 * @param {(rollout: number | null) => string} folderOf
 * @returns {Release}
 */
function releaseOf(line, folderOf) {
  const { rollout_id: rollout, ...algorithm } = line.algorithm_state
  return {
    step: line.step,
    releaseId: line.artifact_ref.release_id,
    parentReleaseId: line.artifact_ref.parent_release_id,
    contentId: line.artifact_ref.content_id,
    checkpoint: line.checkpoint,
    operation: line.operation,
    recordedAt: line.recorded_at,
    pending: line.pending === true,
    rollbackTarget:
      line.rollback_target_release_id ?? line.rollback_target_artifact_version ?? null,
    highWater: line.record_progress.high_water_sequence,
    consumedIds: line.record_progress.consumed_ids,
    metrics: line.metrics ?? {},
    folder: folderOf(rollout),
    rollout,
    algorithm
  }
}

/** @param {any} line */
function entryOf(line) {
  return {
    sequence: line.sequence,
    id: line.agent_record_id,
    type: line.request_type,
    createdAt: line.created_at,
    references: line.references,
    score: line.score,
    artifact: line.artifact_ref,
    releaseStep: line.release_step,
    cell: line.cell,
    digest: line.content_sha256
  }
}
