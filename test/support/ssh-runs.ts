import { afterAll, beforeAll } from 'vitest'
import { type DockerRuns, dockerRuns } from './docker-runs'
import { startEngine } from './own-engine'
import { makeSshUser, startSshd, type TestSshd, type TestSshUser } from './sshd'

/** As `dockerRuns`, with the engine behind a real sshd of this machine. `cut` ends every connection to that. */
export function runsBehindSsh(): { runs: DockerRuns; cut: () => Promise<void> } {
  let user: TestSshUser
  let sshd: TestSshd
  const runs = dockerRuns(startEngine, ({ socket }) => ({
    via: { kind: 'ssh', destination: `ssh://direct${socket}` },
    sshConfig: user.configFile
  }))
  beforeAll(async () => {
    user = makeSshUser()
    sshd = await startSshd(user.publicKey)
    user.configure(sshd)
  })
  afterAll(async () => {
    await sshd.dispose()
    await user.dispose()
  })
  return { runs, cut: () => sshd.cut() }
}
