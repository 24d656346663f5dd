/** Scenarios, their chain of releases, commits and records. */
import { badRequest, RequestError } from './errors.mjs'
import { queryNumber, readJson, route, sendJson } from './server.mjs'
import { artifactRef } from '../store/scenario.mjs'

/** @typedef {import('./server.mjs').Exchange} Exchange */
/** @typedef {import('./service.mjs').Service} Service */
/** @typedef {import('../store/scenario.mjs').Scenario} Scenario */
/** @typedef {import('../store/scenario.mjs').Release} Release */

const PAGE = { fallback: 50, least: 1, most: 100 }
const AFTER = { fallback: 0, least: 0, most: Infinity }
const BASE = '/reef/scenarios/{s}'

/** @param {Service} service */
export function scenarioRoutes(service) {
  /** @type {(act: (exchange: Exchange, scenario: Scenario) => Promise<void>) => import('./server.mjs').Handler} */
  const named = (act) => async (exchange) =>
    act(exchange, service.scenarios.get(exchange.params['s'] ?? ''))
  const old = service.runtime.generation === 'A'
  return [
    route('GET', '/reef/scenarios', (exchange) => list(service, exchange)),
    route('POST', '/reef/scenarios', (exchange) => create(service, exchange)),
    route('DELETE', BASE, (exchange) => remove(service, exchange)),
    route(
      'POST',
      `${BASE}/update`,
      named((exchange, scenario) => update(service, exchange, scenario))
    ),
    route(
      'GET',
      `${BASE}/contract`,
      named((exchange, scenario) => contract(service, exchange, scenario))
    ),
    route(
      'GET',
      `${BASE}/${old ? 'versions' : 'releases'}`,
      named((exchange, scenario) => chain(service, exchange, scenario))
    ),
    route('GET', `${BASE}/commits`, named(commits)),
    route('GET', `${BASE}/records`, named(records)),
    route('GET', `${BASE}/records/{id}`, named(record)),
    route(
      'POST',
      `${BASE}/rollback`,
      named((exchange, scenario) => republish(service, exchange, scenario, 'rollback'))
    ),
    route(
      'POST',
      `${BASE}/promote`,
      named((exchange, scenario) => republish(service, exchange, scenario, 'promote'))
    )
  ]
}

/** @param {Service} service @param {Exchange} exchange */
async function list(service, exchange) {
  const scenarios = [...service.scenarios.open.values()].map((scenario) => ({
    scenario: scenario.name,
    loaded: true,
    release_id: scenario.head.releaseId,
    content_id: scenario.head.contentId
  }))
  sendJson(exchange, 200, { scenarios })
}

/** @param {Service} service @param {Exchange} exchange */
async function create(service, exchange) {
  const { name, release_id: start, model } = await readJson(exchange)
  if (typeof name !== 'string' || name.trim() === '') {
    throw badRequest('name must be a non-empty string')
  }
  const from =
    start === undefined || start === null ? null : service.scenarios.findAnywhere(String(start))
  const { scenario, created } = await service.scenarios.create(name.trim(), from)
  if (typeof model === 'string') scenario.model = model
  sendJson(exchange, created ? 201 : 200, {
    scenario: scenario.name,
    release_id: scenario.head.releaseId,
    content_id: scenario.head.contentId,
    model: scenario.model
  })
}

/** @param {Service} service @param {Exchange} exchange */
async function remove(service, exchange) {
  const name = exchange.params['s'] ?? ''
  service.scenarios.get(name)
  sendJson(exchange, 200, { scenario: name, archived: await service.loop.remove(name) })
}

/** @param {Service} service @param {Exchange} exchange @param {Scenario} scenario */
async function update(service, exchange, scenario) {
  const body = await readJson(exchange)
  const keys = Object.keys(body)
  if (keys.length === 0 || keys.some((key) => key !== 'training_mode' && key !== 'model')) {
    throw badRequest('expected training_mode or model settings')
  }
  const { training_mode: mode, model } = body
  if (mode !== undefined && !['auto', 'manual', 'hybrid'].includes(mode)) {
    throw badRequest("training_mode must be 'auto', 'manual' or 'hybrid'")
  }
  if (mode !== undefined) scenario.mode = mode
  if (model !== undefined) scenario.model = String(model)
  void service.loop.pump()
  sendJson(exchange, 200, { scenario: scenario.name, ...body })
}

/** @param {Service} service @param {Exchange} exchange @param {Scenario} scenario */
async function contract({ runtime }, exchange, scenario) {
  const base = {
    scenario: scenario.name,
    processor: runtime.family,
    required_request_types: ['inference', 'report']
  }
  const newer = { training_mode: scenario.mode, status: 'ready' }
  sendJson(exchange, 200, runtime.generation === 'A' ? base : { ...base, ...newer })
}

/** @param {Scenario} scenario @param {Release} release */
function releaseRow(scenario, release) {
  const durable = scenario.releases.some(
    (other) => other.releaseId === release.releaseId && other.checkpoint
  )
  return {
    release_id: release.releaseId,
    parent_release_id: release.parentReleaseId,
    content_id: release.contentId,
    content_kind: 'saved_artifact',
    checkpoint: release.checkpoint,
    restorable: release.checkpoint || (release.step === 0 && durable),
    recorded_at: release.recordedAt,
    operation: release.operation,
    pending: release.pending,
    current: release === scenario.newest,
    record_progress: { high_water_sequence: release.highWater, high_water_offset: 0 },
    ...(release.rollbackTarget === null
      ? {}
      : { rollback_target_release_id: release.rollbackTarget }),
    ...(Object.keys(release.metrics).length === 0 ? {} : { metrics: release.metrics })
  }
}

/**
 * A row as generation A names things: versions with a kind and a step.
 * @param {Scenario} scenario
 * @param {Release} release
 */
function versionRow(scenario, release) {
  const {
    operation,
    rollback_target_release_id: target,
    ...row
  } = /** @type {Record<string, any>} */ (releaseRow(scenario, release))
  return {
    kind: operation,
    step: release.step,
    artifact_version: release.releaseId,
    ...row,
    ...(target === undefined ? {} : { rollback_target_artifact_version: target })
  }
}

/** @param {Service} service @param {Exchange} exchange @param {Scenario} scenario */
async function chain({ runtime }, exchange, scenario) {
  const newestFirst = [...scenario.releases].reverse()
  sendJson(
    exchange,
    200,
    runtime.generation === 'A'
      ? { scenario: scenario.name, versions: newestFirst.map((item) => versionRow(scenario, item)) }
      : { scenario: scenario.name, releases: newestFirst.map((item) => releaseRow(scenario, item)) }
  )
}

/** @param {Exchange} exchange @param {Scenario} scenario */
async function commits(exchange, scenario) {
  const after = queryNumber(exchange, 'after_step', AFTER)
  const limit = queryNumber(exchange, 'limit', PAGE)
  const wanted = exchange.url.searchParams.getAll('record_id')
  if (wanted.length > 100 || wanted.some((id) => id === '' || id.length > 256)) {
    throw badRequest('record_id: at most 100 ids of 1 to 256 characters')
  }
  const rows = scenario.releases.slice(after + 1)
  const matching =
    wanted.length === 0 ? rows : rows.filter((row) => consumes(scenario, row, wanted))
  const page = matching.slice(0, limit)
  const body = page.map((release) => ({
    step: release.step,
    operation: release.operation,
    operation_verified: true,
    recorded_at: release.recordedAt,
    artifact_ref: artifactRef(release),
    pending: release.pending,
    consumed_ids: release.consumedIds,
    metrics: release.metrics
  }))
  const next = page.at(-1)?.step ?? after
  sendJson(
    exchange,
    200,
    { scenario: scenario.name, commits: body, next_after_step: next },
    { 'Cache-Control': 'no-store' }
  )
}

/**
 * Whether a step consumed one of the records: a report, or the answer it reports on.
 * @param {Scenario} scenario
 * @param {Release} release
 * @param {string[]} wanted
 */
function consumes(scenario, release, wanted) {
  return release.consumedIds.some(
    (id) =>
      wanted.includes(id) ||
      (scenario.byId.get(id)?.references.some((reference) => wanted.includes(reference)) ?? false)
  )
}

/** @param {import('../store/scenario.mjs').RecordEntry} entry */
function recordRow(entry) {
  return {
    sequence: entry.sequence,
    agent_record_id: entry.id,
    request_type: entry.type,
    created_at: entry.createdAt,
    references: entry.references,
    artifact_ref: entry.artifact,
    score: entry.score
  }
}

/** @param {Exchange} exchange @param {Scenario} scenario */
async function records(exchange, scenario) {
  const after = queryNumber(exchange, 'after_sequence', AFTER)
  const limit = queryNumber(exchange, 'limit', PAGE)
  const type = exchange.url.searchParams.get('request_type')
  const page = []
  for (
    let index = firstAfter(scenario.records, after);
    index < scenario.records.length;
    index += 1
  ) {
    const entry = scenario.records[index]
    if (type === null || entry.type === type) page.push(entry)
    if (page.length === limit) break
  }
  const next = page.at(-1)?.sequence ?? after
  const body = { scenario: scenario.name, records: page.map(recordRow), next_after_sequence: next }
  sendJson(exchange, 200, body)
}

/**
 * Index of the first record after a sequence number (they ascend).
 * @param {readonly { sequence: number }[]} entries
 * @param {number} sequence
 */
function firstAfter(entries, sequence) {
  let low = 0
  let high = entries.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (entries[middle].sequence <= sequence) low = middle + 1
    else high = middle
  }
  return low
}

/** @param {Exchange} exchange @param {Scenario} scenario */
async function record(exchange, scenario) {
  const id = exchange.params['id'] ?? ''
  const entry = scenario.byId.get(id)
  if (entry === undefined) {
    sendJson(exchange, 404, { error: `scenario '${scenario.name}' has no record '${id}'` })
    return
  }
  sendJson(exchange, 200, { ...recordRow(entry), payload: await scenario.payloadOf(entry) })
}

/**
 * @param {Service} service
 * @param {Exchange} exchange
 * @param {Scenario} scenario
 * @param {'rollback' | 'promote'} operation
 */
async function republish(service, exchange, scenario, operation) {
  const body = await readJson(exchange)
  const id =
    body['release_id'] ??
    (service.runtime.generation === 'A' ? body['artifact_version'] : undefined)
  const release = await service.loop.republish(scenario, id, operation)
  if (release === undefined) throw new RequestError(500, 'no release')
  sendJson(exchange, 200, {
    scenario: scenario.name,
    release_id: release.releaseId,
    content_id: release.contentId
  })
}
