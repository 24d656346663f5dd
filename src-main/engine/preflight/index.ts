import type { CheckSpec } from './check-spec'
import { companionChecks } from './companions'
import { diskChecks, freeSpace } from './disk-space'
import { dockerChecks } from './docker'
import { gpuChecks } from './gpus'
import { contentChecks } from './image-contents'
import { jobMarker } from './job-marker'
import type { LaunchContext } from './launch-context'
import { leftoverChecks } from './leftovers'
import { machineChecks } from './machine'
import { modelChecks } from './model'
import { nexrlChecks } from './nexrl'
import { printedConfig } from './oracle'
import { portChecks } from './ports'
import { findingChecks } from './recipe-findings'
import { sharedMemory } from './shared-memory'
import { targetReachable } from './target-reachable'
import { variableChecks } from './variables'

export { applyFix } from './fixes'
export type { LaunchContext, Leftover, OwnRun } from './launch-context'
export { variableState } from './machine-report'
export { launchVerdict, runChecks } from './run-checks'
export { localTool, type Tool } from './tools'

/** Every check of one launch, in no particular order: they run side by side. */
export function launchChecks(context: LaunchContext): CheckSpec<LaunchContext>[] {
  return [
    ...findingChecks(context.recipe),
    targetReachable,
    ...portChecks(context.plan),
    freeSpace(context.runsFolder),
    ...diskChecks,
    sharedMemory,
    jobMarker,
    ...leftoverChecks,
    ...gpuChecks,
    ...dockerChecks,
    ...contentChecks,
    printedConfig,
    ...modelChecks,
    ...variableChecks,
    ...companionChecks(context.plan.companions),
    ...machineChecks,
    ...(context.recipe.dialect === 'nexrl' ? nexrlChecks : [])
  ]
}
