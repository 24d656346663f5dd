import { homedir } from 'node:os'
import type { TargetSpec } from '../../contract/targets'
import { systemClock, type Clock } from '../lib'
import { connectDocker } from './docker/connection'
import { DockerTarget } from './docker/docker-target'
import { dockerConfigFolder, resolveEndpoint } from './docker/endpoint'
import { localFiles } from './files/local-files'
import { hostGpus } from './host-gpus'
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
  clock?: Clock
}

/**
 * Opens a target; nothing is asked of it yet. Throws FailureError when the description alone cannot be followed
 * (a Docker context that is not there).
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
      throw new Error('not yet')
  }
}

async function openDocker(
  spec: Extract<TargetSpec, { kind: 'docker' }>,
  surroundings: TargetSurroundings
): Promise<Target> {
  const clock = surroundings.clock ?? systemClock
  const config = surroundings.dockerConfig ?? dockerConfigFolder(process.env, homedir())
  const endpoint = await resolveEndpoint(spec.via, config)
  const files = localFiles(clock)
  return new DockerTarget({
    spec,
    connection: connectDocker(endpoint, null, clock),
    files,
    gpus: hostGpus,
    freeBytes: async () => (await files.statfs(surroundings.home))?.freeBytes ?? null,
    installation: surroundings.installation,
    clock
  })
}
