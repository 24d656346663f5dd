export { type CommandResult, runCommand } from './command'
export { discoverTargets, LOCAL_TARGET } from './discovery'
export { composeTool } from './docker/compose-tool'
export { dockerWords } from './docker/docker-words'
export { gpuForm } from './docker/gpu-form'
export { localFiles } from './files/local-files'
export { parseGpuQuery } from './gpu-query'
export { buildStep } from './images/build-step'
export { PRACTICE_COMMAND } from './images/practice-context'
export { openTarget } from './open-target'
export { ownRuntime } from './process/process-launch'
export { portsTaken } from './ports-taken'
export { listeningInodes, portOwners } from './process/port-owners'
export { processStart, startedThisBoot } from './process/process-table'
export { createProcessTarget } from './process/process-target'
export { TargetRegistry } from './target-registry'
export type {
  BesideStack,
  FileAccess,
  FileFacts,
  ImageQuestion,
  ImageStore,
  InsideHandle,
  Listening,
  Liveness,
  OutputGap,
  Remains,
  StackHandle,
  StartSpec,
  Target
} from './target'
export { UnreachableError } from './unreachable'
