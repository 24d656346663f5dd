/** What the routes share, and the status of it all. */
import { nextBatch, processorStatus } from '../service/batches.mjs'
import { inferenceRoutes } from './inference-routes.mjs'
import { reportRoutes } from './report-routes.mjs'
import { scenarioRoutes } from './scenario-routes.mjs'
import { route, sendJson } from './server.mjs'

/**
 * @typedef {object} Service
 * @property {import('../config/runtime.mjs').Runtime} runtime
 * @property {import('../store/scenarios.mjs').Scenarios} scenarios
 * @property {import('../service/training-loop.mjs').TrainingLoop} loop
 * @property {import('../model/policy.mjs').Base} base
 * @property {string} modelName
 * @property {string} incarnation
 * @property {number} served answers since the start
 * @property {number} reported reports since the start
 */

/** @param {Service} service */
export function allRoutes(service) {
  return [
    route('GET', '/healthz', async (exchange) => sendJson(exchange, 200, { ok: true })),
    route('GET', '/reef/status', async (exchange) => sendJson(exchange, 200, statusOf(service))),
    ...inferenceRoutes(service),
    ...reportRoutes(service),
    ...scenarioRoutes(service)
  ]
}

/** @param {Service} service */
function statusOf(service) {
  const { runtime, scenarios, loop } = service
  const entries = [...scenarios.open.values()].map((scenario) => [
    scenario.name,
    scenarioStatus(service, scenario)
  ])
  return {
    error: null,
    last_drain_at: loop.lastDrain,
    preload_errors: {},
    scenarios: Object.fromEntries(entries),
    serving: {
      [runtime.family]: {
        practice: true,
        loaded_adapters: scenarios.open.size,
        served_total: service.served,
        reported_total: service.reported
      }
    },
    training_job: loop.job
  }
}

/**
 * @param {Service} service
 * @param {import('../store/scenario.mjs').Scenario} scenario
 */
function scenarioStatus({ runtime, loop, incarnation }, scenario) {
  const last = scenario.newest
  return {
    scenario_step: last.step,
    last_committed_step:
      last.step === 0
        ? null
        : { step: last.step, recorded_at: last.recordedAt, metrics: last.metrics },
    artifact_head_sync: {
      state: 'synchronized',
      release_id: scenario.head.releaseId,
      error: null
    },
    current_runtime_load_id: `${incarnation}:${loop.loads}`,
    adapter_runtime_load_id: `${incarnation}:${loop.loads}`,
    checkpoint_storage: null,
    batch_ready: nextBatch(scenario, runtime) !== null,
    training_mode: scenario.mode,
    processor: processorStatus(scenario, runtime),
    inference_admission: { open: true, active: 0 }
  }
}
