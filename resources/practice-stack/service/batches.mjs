/** Which waiting reports make the next batch: pure decisions over a scenario's waiting list. */

/** @typedef {import('../store/scenario.mjs').Scenario} Scenario */
/** @typedef {import('../store/scenario.mjs').RecordEntry} RecordEntry */
/** @typedef {import('../config/runtime.mjs').Runtime} Runtime */
/**
 * @typedef {object} Batch
 * @property {{ report: RecordEntry, inference: RecordEntry, group: number | null }[]} rollouts
 * @property {RecordEntry[]} dropped too old, or a second report of one grid cell
 * @property {number[]} lags releases between answer and training, one a rollout
 */

/**
 * @param {Scenario} scenario
 * @param {RecordEntry} report
 */
function inferenceOf(scenario, report) {
  return scenario.byId.get(report.references[0] ?? '') ?? null
}

/**
 * Waiting reports with their answers and their lag behind the served release.
 * @param {Scenario} scenario
 * @param {Runtime} runtime
 */
function candidates(scenario, runtime) {
  const head = scenario.head.step
  return scenario.waiting.flatMap((report) => {
    const inference = inferenceOf(scenario, report)
    if (inference === null) return []
    const lag = Math.max(0, head - inference.releaseStep)
    return [{ report, inference, lag, fresh: lag <= runtime.maxStaleness }]
  })
}

/**
 * The next batch, or null while it is not full.
 * @param {Scenario} scenario
 * @param {Runtime} runtime
 * @returns {Batch | null}
 */
export function nextBatch(scenario, runtime) {
  const waiting = candidates(scenario, runtime)
  return runtime.family === 'tttd'
    ? gridBatch(scenario, runtime, waiting)
    : streamBatch(runtime, waiting)
}

/**
 * @param {Runtime} runtime
 * @param {ReturnType<typeof candidates>} waiting
 * @returns {Batch | null}
 */
function streamBatch(runtime, waiting) {
  const rollouts = []
  const dropped = []
  for (const item of waiting) {
    if (rollouts.length === runtime.batchSize) break
    if (item.fresh) rollouts.push(item)
    else dropped.push(item.report)
  }
  if (rollouts.length < runtime.batchSize) return null
  return {
    rollouts: rollouts.map(({ report, inference }) => ({ report, inference, group: null })),
    dropped,
    lags: rollouts.map((item) => item.lag)
  }
}

/** The TTTD step that is being collected. @param {Scenario} scenario */
export function gridStep(scenario) {
  return scenario.newest.algorithm['tttd_step'] ?? 0
}

/**
 * @param {Scenario} scenario
 * @param {Runtime} runtime
 * @param {ReturnType<typeof candidates>} waiting
 * @returns {Batch | null}
 */
function gridBatch(scenario, runtime, waiting) {
  const { cells, spare } = fillGrid(scenario, waiting)
  if (cells.size < runtime.batchSize) return null
  const rollouts = [...cells.values()].sort((a, b) => cellOrder(a.report) - cellOrder(b.report))
  return {
    rollouts: rollouts.map(({ report, inference }) => ({
      report,
      inference,
      group: report.cell?.group ?? 0
    })),
    dropped: spare,
    lags: rollouts.map((item) => item.lag)
  }
}

/** @param {RecordEntry} report */
function cellOrder(report) {
  return (report.cell?.group ?? 0) * 100000 + (report.cell?.rollout ?? 0)
}

/**
 * First fresh report of each cell of the step being collected; later steps wait, the rest is spare.
 * @param {Scenario} scenario
 * @param {ReturnType<typeof candidates>} waiting
 */
function fillGrid(scenario, waiting) {
  const step = gridStep(scenario)
  /** @type {Map<string, ReturnType<typeof candidates>[number]>} */
  const cells = new Map()
  /** @type {RecordEntry[]} */
  const spare = []
  for (const item of waiting) {
    const { cell } = item.report
    if (cell !== null && cell.step > step) continue
    const key = cell === null ? '' : `${cell.group}/${cell.rollout}`
    if (cell === null || cell.step < step || !item.fresh || cells.has(key)) spare.push(item.report)
    else cells.set(key, item)
  }
  return { cells, spare }
}

/**
 * What `/reef/status` says of a scenario's collecting.
 * @param {Scenario} scenario
 * @param {Runtime} runtime
 */
export function processorStatus(scenario, runtime) {
  const waiting = candidates(scenario, runtime)
  const common = {
    pending_instructions: scenario.trainRequests,
    record_data_incomplete: 0,
    evicted_record_count: 0,
    evicted_body_bytes: 0,
    batch_size: runtime.batchSize
  }
  if (runtime.family === 'sao') {
    const fresh = waiting.filter((item) => item.fresh).length
    return { buffered_requests: fresh, stale_requests: waiting.length - fresh, ...common }
  }
  const { cells, spare } = fillGrid(scenario, waiting)
  /** @type {number[][]} */
  const missing = []
  for (let group = 0; group < (runtime.groups ?? 0); group += 1) {
    for (let rollout = 0; rollout < (runtime.perGroup ?? 0); rollout += 1) {
      if (!cells.has(`${group}/${rollout}`)) missing.push([group, rollout])
    }
  }
  return {
    buffered_requests: cells.size,
    stale_requests: spare.length,
    ...common,
    step: gridStep(scenario),
    missing_cells: missing
  }
}
