import type { TargetSpec } from '../../contract/targets'
import type { Clock } from '../lib'
import { AttachTarget } from './attach/attach-target'
import { openDocker } from './open-docker'
import { createProcessTarget } from './process/process-target'
import type { Target } from './target'

/** What every target is told about this installation. */
export interface TargetSurroundings {
  /** This installation's id: labels what we create. */
  installation: string
  /** The app's resources folder. */
  resources: string
  /** Where runs are kept. */
  home: string
  /** Folder of the Docker command line's settings; by default `$DOCKER_CONFIG` or `~/.docker`. */
  dockerConfig?: string
  /** Configuration file for ssh in place of the person's own. */
  sshConfig?: string
  /** Value of a secret by its name, or null when nobody has it. */
  secret?: (name: string) => Promise<string | null>
  clock?: Clock
}

/**
 * Opens a target; nothing is asked of it yet. Throws FailureError when the description alone cannot be followed
 * (a Docker context that is not there, an address that is none).
 */
export async function openTarget(
  spec: TargetSpec,
  surroundings: TargetSurroundings
): Promise<Target> {
  switch (spec.kind) {
    case 'process':
      return createProcessTarget({ spec, ...surroundings })
    case 'docker':
      return openDocker(spec, surroundings)
    case 'attach':
      return new AttachTarget(spec, surroundings)
  }
}
