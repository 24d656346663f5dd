/** Failures of a request, with the status each one answers (`reef/service/errors.py`). */

export class RequestError extends Error {
  /**
   * @param {number} status
   * @param {string} message
   * @param {string} [kind] the name Reef's log gives it
   */
  constructor(status, message, kind = 'ValueError') {
    super(message)
    this.status = status
    this.kind = kind
  }
}

/** @param {string} message */
export const badRequest = (message) => new RequestError(400, message)
/** @param {string} message */
export const conflict = (message) => new RequestError(409, message, 'ArtifactConflict')
/** @param {string} scenario */
export const unknownScenario = (scenario) =>
  new RequestError(404, `unknown scenario '${scenario}'`, 'UnknownScenario')
