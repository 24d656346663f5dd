export { parseGpuQuery } from './gpu-query'
export { localFiles } from './files/local-files'
export { ownRuntime } from './process/process-launch'
export { createProcessTarget, type ProcessTargetOptions } from './process/process-target'
export type {
  FileAccess,
  FileFacts,
  FilesystemFacts,
  Liveness,
  StackHandle,
  StartSpec,
  Target
} from './target'
