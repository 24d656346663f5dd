import { z } from 'zod'
import { messageOf } from '../../lib'
import type { CommandResult } from '../command'
import type { ImageQuestion } from '../target'
import type { DockerConnection } from './connection'
import { LABEL } from './container-options'
import { collectFrames } from './container-shell'
import { statusOf } from './docker-failure'
import { UnreachableError } from '../unreachable'

const Ended = z.object({ StatusCode: z.number() })

/** Whoever asks gives up earlier; this only bounds what stays behind when we die meanwhile. */
const LONGEST_MS = 60_000

/**
 * Runs a command in a throw-away container of an image that is there: no network, no GPU, mounts read-only, removed
 * afterwards whatever happened. `missing`: the image has no such program (the engine's own answer 127).
 */
export async function runInImage(
  connection: DockerConnection,
  installation: string,
  question: ImageQuestion,
  signal: AbortSignal
): Promise<CommandResult> {
  const { id, began } = await create(connection, installation, question)
  if (!began) {
    await remove(connection, id)
    return { kind: 'missing' }
  }
  const stop = (): void => void remove(connection, id)
  signal.addEventListener('abort', stop, { once: true })
  try {
    const ended = await connection.ask<unknown>(
      (docker) => docker.getContainer(id).wait(),
      LONGEST_MS
    )
    const code = Ended.parse(ended).StatusCode
    if (signal.aborted) return { kind: 'late', stdout: '', stderr: '' }
    const said = await connection.ask((docker) =>
      docker.getContainer(id).logs({ stdout: true, stderr: true, follow: false })
    )
    const { stdout, stderr } = collectFrames(said)
    return code === 127 && stdout === ''
      ? { kind: 'missing' }
      : { kind: 'done', code, stdout, stderr }
  } catch (thrown) {
    // Taken away by our own abort.
    if (signal.aborted) return { kind: 'late', stdout: '', stderr: messageOf(thrown) }
    throw thrown
  } finally {
    signal.removeEventListener('abort', stop)
    await remove(connection, id)
  }
}

async function create(
  connection: DockerConnection,
  installation: string,
  { image, argv, cwd, mounts, environment }: ImageQuestion
): Promise<{ id: string; began: boolean }> {
  const [program = '', ...rest] = argv
  return connection.ask(async (docker) => {
    const container = await docker.createContainer({
      Image: image,
      Entrypoint: [program],
      Cmd: rest,
      ...(cwd === undefined ? {} : { WorkingDir: cwd }),
      Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
      Labels: { [LABEL.installation]: installation, [LABEL.helper]: 'question' },
      HostConfig: {
        NetworkMode: 'none',
        SecurityOpt: ['no-new-privileges'],
        Mounts: mounts.map(({ host, container: inside }) => ({
          Type: 'bind',
          Source: host,
          Target: inside,
          ReadOnly: true
        }))
      }
    })
    try {
      await container.start()
      return { id: container.id, began: true }
    } catch (thrown) {
      if (/executable file not found|no such file or directory/i.test(messageOf(thrown)))
        return { id: container.id, began: false }
      await container.remove({ force: true })
      throw thrown
    }
  }, LONGEST_MS)
}

async function remove(connection: DockerConnection, id: string): Promise<void> {
  try {
    await connection.ask((docker) => docker.getContainer(id).remove({ force: true, v: true }))
  } catch (thrown) {
    const status = statusOf(thrown)
    // Gone already, on its way out, or the engine is away: then it is found later as a leftover of ours.
    if (status !== 404 && status !== 409 && !(thrown instanceof UnreachableError)) throw thrown
  }
}
