export { discoverTargets, LOCAL_TARGET, type DiscoverySurroundings } from './discovery'
export { localFiles } from './files/local-files'
export { parseGpuQuery } from './gpu-query'
export { PRACTICE_COMMAND } from './images/practice-context'
export { openTarget, type TargetSurroundings } from './open-target'
export { ownRuntime } from './process/process-launch'
export { startedThisBoot } from './process/process-table'
export { createProcessTarget, type ProcessTargetOptions } from './process/process-target'
export { TargetRegistry, type RegistryOptions } from './target-registry'
export type {
  FileAccess,
  FileFacts,
  FilesystemFacts,
  ImageStore,
  Liveness,
  OutputFiles,
  OutputGap,
  StackHandle,
  StartSpec,
  Target
} from './target'
export { UnreachableError } from './unreachable'
