import { describe } from 'vitest'
import { obstacle } from './own-engine'

export { BUSYBOX, findProgram, makeBusybox, startEngine, type TestEngine } from './own-engine'

/** Tests against a real engine. Where none can be started they are skipped, with the reason in their title; never in CI. */
export function describeWithDocker(name: string, tests: () => void): void {
  const why = obstacle()
  if (why === null) describe(name, tests)
  else if (process.env['CI'] === 'true') throw new Error(`${name}: ${why}, and CI requires it`)
  else describe.skip(`${name} (skipped: ${why})`, tests)
}
