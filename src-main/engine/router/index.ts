import { alertHandlers } from './alert-handlers'
import { behaviourHandlers } from './behaviour-handlers'
import { checkpointHandlers } from './checkpoint-handlers'
import { compareHandlers } from './compare-handlers'
import { clusterHandlers } from './cluster-handlers'
import { errandHandlers } from './errand-handlers'
import { hostHandlers } from './host-handlers'
import { os } from './guard'
import { logHandlers } from './log-handlers'
import { metricHandlers } from './metric-handlers'
import { releaseHandlers } from './release-handlers'
import { launchHandlers, runHandlers, settingsHandlers } from './run-handlers'
import { preflightHandlers } from './preflight-handlers'
import { recipeHandlers } from './recipe-handlers'
import { queueHandlers } from './queue-handlers'
import { talkHandlers } from './talk-handlers'
import { targetHandlers } from './target-handlers'
import { weaverHandlers } from './weaver-handlers'
import type { Services } from './services'

/** The contract, implemented. */
export function createRouter(services: Services) {
  return os.router({
    alerts: alertHandlers(services),
    behaviour: behaviourHandlers(services),
    checkpoints: checkpointHandlers(services),
    compare: compareHandlers(services),
    cluster: clusterHandlers(services),
    errands: errandHandlers(services),
    host: hostHandlers(services),
    launch: launchHandlers(services),
    logs: logHandlers(services),
    metrics: metricHandlers(services),
    releases: releaseHandlers(services),
    runs: runHandlers(services),
    settings: settingsHandlers(services),
    recipes: recipeHandlers(services),
    preflight: preflightHandlers(services),
    queue: queueHandlers(services),
    talk: talkHandlers(services),
    targets: targetHandlers(services),
    weaver: weaverHandlers(services)
  })
}
export type EngineRouter = ReturnType<typeof createRouter>
