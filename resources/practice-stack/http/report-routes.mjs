/** Reports (an answer's score) and explicit training requests. */
import { badRequest } from './errors.mjs'
import { readJson, route, scenarioHeader, sendJson } from './server.mjs'

/** @typedef {import('./server.mjs').Exchange} Exchange */
/** @typedef {import('./service.mjs').Service} Service */
/** @typedef {import('../store/scenario.mjs').Scenario} Scenario */

/** @param {Service} service */
export function reportRoutes(service) {
  return [
    route('POST', '/reef/report', (exchange) => report(service, exchange)),
    route('POST', '/reef/train', (exchange) => train(service, exchange))
  ]
}

/**
 * @param {unknown} value
 * @returns {string | null}
 */
function recordId(value) {
  if (value === undefined || value === null) return null
  if (typeof value !== 'string' || value === '' || value.length > 256) {
    throw badRequest('agent_record_id must be a string of 1 to 256 characters')
  }
  return value
}

/**
 * @param {Scenario} scenario
 * @param {unknown} value
 * @returns {string[]}
 */
function referencesOf(scenario, value) {
  const references = value ?? []
  if (!Array.isArray(references) || references.some((item) => typeof item !== 'string')) {
    throw badRequest('report references must be a list of strings')
  }
  if (new Set(references).size !== references.length) {
    throw badRequest('report references must be unique')
  }
  for (const id of references) {
    if (scenario.byId.get(id)?.type !== 'inference') {
      throw badRequest(
        `report reference '${id}' must identify an existing inference in scenario '${scenario.name}'`
      )
    }
  }
  if (references.length > 1) {
    throw badRequest(
      'the practice stack trains on single rollouts: a report references one inference'
    )
  }
  return references
}

/** @param {unknown} score */
function scoreOf(score) {
  if (score === undefined || score === null) return null
  if (typeof score !== 'number' || !Number.isFinite(score)) {
    throw badRequest('report score must be a finite number')
  }
  return score
}

/**
 * The place of a TTTD report in its grid.
 * @param {Service} service
 * @param {Record<string, any>} metadata
 */
function cellOf({ runtime }, metadata) {
  if (runtime.family !== 'tttd') return null
  /** @type {(name: string, least: number) => number} */
  const whole = (name, least) => {
    const value = metadata[name]
    if (!Number.isInteger(value) || value < least) {
      throw badRequest(`metadata.${name} must be an integer of at least ${least}`)
    }
    return value
  }
  const step = whole('step', 0)
  const group = whole('group', 0)
  const rollout = whole('rollout', 0)
  const groups = whole('groups_per_step', 1)
  const perGroup = whole('rollouts_per_group', 2)
  if (groups !== runtime.groups || perGroup !== runtime.perGroup) {
    throw badRequest(
      `report grid ${groups}x${perGroup} does not match the served grid ` +
        `${runtime.groups}x${runtime.perGroup}`
    )
  }
  if (group >= groups || rollout >= perGroup) {
    throw badRequest(`report cell ${group}/${rollout} is outside the grid ${groups}x${perGroup}`)
  }
  const { algorithm, comparison_set: set } = metadata
  if (algorithm !== undefined && !['tttd', 'ttt-discover'].includes(algorithm)) {
    throw badRequest("metadata.algorithm must be 'tttd' or 'ttt-discover'")
  }
  if (set !== undefined && set !== `tttd-step-${step}-group-${group}`) {
    throw badRequest(`metadata.comparison_set must be 'tttd-step-${step}-group-${group}'`)
  }
  return { step, group, rollout }
}

/** @param {unknown} feedback */
function checkFeedback(feedback) {
  const fine =
    feedback === undefined ||
    feedback === null ||
    typeof feedback === 'string' ||
    (typeof feedback === 'object' && !Array.isArray(feedback))
  if (!fine) throw badRequest('report feedback must be a string or an object')
}

/**
 * @param {Service} service
 * @param {Record<string, any>} metadata
 */
function checkMetadata({ runtime }, metadata) {
  if (typeof metadata !== 'object' || Array.isArray(metadata)) {
    throw badRequest('report metadata must be an object')
  }
  if (runtime.generation === 'C' && metadata['training']?.eligible !== undefined) {
    throw badRequest('metadata.training.eligible is not supported')
  }
}

/**
 * @param {Service} service
 * @param {Exchange} exchange
 */
async function report(service, exchange) {
  const name = scenarioHeader(exchange)
  const { score, feedback, references, metadata, agent_record_id: id } = await readJson(exchange)
  const scenario = service.scenarios.get(name)
  const given = metadata ?? {}
  checkMetadata(service, given)
  checkFeedback(feedback)
  const value = scoreOf(score)
  const checked = referencesOf(scenario, references)
  // Generation A and B let a report opt out of training; it is kept without a score to train on.
  const optedOut = given['training']?.eligible === false
  const record = await scenario.addRecord({
    id: recordId(id),
    type: 'report',
    references: checked,
    score: optedOut ? null : value,
    release: scenario.head,
    cell: cellOf(service, given),
    payload: { score: value, feedback: feedback ?? null, references: checked, metadata: given }
  })
  service.reported += 1
  void service.loop.pump()
  sendJson(exchange, 200, { agent_record_id: record.id, scenario: name, request_type: 'report' })
}

/**
 * @param {Service} service
 * @param {Exchange} exchange
 */
async function train(service, exchange) {
  const name = scenarioHeader(exchange)
  const body = await readJson(exchange)
  const scenario = service.scenarios.get(name)
  if (scenario.mode === 'auto') {
    throw badRequest("explicit training requests require training_mode='manual' or 'hybrid'")
  }
  const { text } = body
  if (typeof text !== 'string' || text.trim() === '' || text.length > 4000) {
    throw badRequest('text must be a string of 1 to 4000 characters')
  }
  const before = scenario.records.length
  const record = await scenario.addRecord({
    id: recordId(body['agent_record_id']),
    type: 'train',
    references: [],
    score: null,
    release: scenario.head,
    cell: null,
    payload: { text, session: body['session'] ?? null, release_id: body['release_id'] ?? null }
  })
  // A repeated request answers the first one and asks for nothing more.
  if (scenario.records.length > before) scenario.trainRequests += 1
  void service.loop.pump()
  sendJson(exchange, 200, { agent_record_id: record.id, scenario: name, request_type: 'train' })
}
