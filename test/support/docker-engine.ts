import { describe } from 'vitest'
import { findProgram, obstacle } from './own-engine'
import { sshObstacle } from './sshd'

export { BUSYBOX, findProgram, makeBusybox, startEngine, type TestEngine } from './own-engine'

/** Tests against a real engine. Where none can be started they are skipped, with the reason in their title; never in CI. */
export function describeWithDocker(name: string, tests: () => void): void {
  describeUnless(obstacle(), name, tests)
}

/** The same against an engine and the older compose command, which is the one that Debian has. */
export function describeWithCompose(name: string, tests: () => void): void {
  const missing = findProgram('docker-compose') === null ? 'docker-compose is not installed' : null
  describeUnless(obstacle() ?? missing, name, tests)
}

/** The same against an engine behind an sshd of our own. */
export function describeBehindSsh(name: string, tests: () => void): void {
  describeUnless(obstacle() ?? sshObstacle(), name, tests)
}

function describeUnless(why: string | null, name: string, tests: () => void): void {
  if (why === null) describe(name, tests)
  else if (process.env['CI'] === 'true') throw new Error(`${name}: ${why}, and CI requires it`)
  else describe.skip(`${name} (skipped: ${why})`, tests)
}
