import type { Failure } from '../../contract/failure'

/** A failure a person will read, thrown where it is found and carried unchanged to where they look. */
export class FailureError extends Error {
  constructor(
    readonly failure: Failure,
    options?: ErrorOptions
  ) {
    super(failure.what.en, options)
    this.name = 'FailureError'
  }
}

export function fail(failure: Failure, cause?: unknown): never {
  throw new FailureError(failure, cause === undefined ? undefined : { cause })
}

/** What a thrown thing says, for the `detail` of a Failure. */
export function messageOf(thrown: unknown): string {
  return thrown instanceof Error ? thrown.message : String(thrown)
}

/** `ENOENT` and its like, or undefined. */
export function errorCode(thrown: unknown): string | undefined {
  return typeof thrown === 'object' &&
    thrown !== null &&
    'code' in thrown &&
    typeof thrown.code === 'string'
    ? thrown.code
    : undefined
}
