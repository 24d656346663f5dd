import type { CheckSpec } from './check-spec'
import { checkpointSpace, freeSpace } from './disk-space'
import { jobMarker } from './job-marker'
import type { LaunchContext } from './launch-context'
import { portChecks } from './ports'
import { findingChecks } from './recipe-findings'
import { sharedMemory } from './shared-memory'
import { targetReachable } from './target-reachable'

export type { LaunchContext } from './launch-context'
export { launchVerdict, runChecks } from './run-checks'

/** Every check of one launch, in no particular order: they run side by side. */
export function launchChecks(context: LaunchContext): CheckSpec<LaunchContext>[] {
  return [
    ...findingChecks(context.recipe),
    targetReachable,
    ...portChecks(context.plan),
    freeSpace(context.launchFolder),
    checkpointSpace,
    sharedMemory,
    jobMarker
  ]
}
