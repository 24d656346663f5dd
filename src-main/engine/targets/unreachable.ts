import type { Failure } from '../../contract/failure'
import type { TargetStatus } from '../../contract/targets'
import { FailureError } from '../lib'

/** A place that could not be asked at all: nothing is known about what runs there, and nothing has failed there. */
export class UnreachableError extends FailureError {
  constructor(
    failure: Failure,
    /** Command that mends it on Linux, to be copied and run once; null where there is no such command. */
    readonly command: string | null,
    options?: ErrorOptions
  ) {
    super(failure, options)
    this.name = 'UnreachableError'
  }
}

/** The part of a status that says why a place cannot be used. Pure. */
export function unreachableStatus({
  failure,
  command
}: UnreachableError): Omit<TargetStatus, 'spec' | 'found'> {
  return {
    reachable: 'no',
    why: failure.what,
    remedy: command,
    ...(failure.remedy === undefined ? {} : { advice: failure.remedy }),
    ...(failure.detail === undefined ? {} : { said: failure.detail }),
    engine: null,
    version: null,
    gpus: [],
    freeBytes: null
  }
}
