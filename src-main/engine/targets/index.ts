export { parseGpuQuery } from './gpu-query'
export { localFiles } from './local-files'
export { ownRuntime } from './process-launch'
export { createProcessTarget, type ProcessTargetOptions } from './process-target'
export type {
  FileAccess,
  FileFacts,
  FilesystemFacts,
  Liveness,
  StackHandle,
  StartSpec,
  Target
} from './target'
