import type Docker from 'dockerode'
import { once } from 'node:events'
import type { BesideStack } from '../target'
import type { DockerConnection } from './connection'
import { LABEL } from './container-options'
import { containerShell } from './container-shell'
import { statusOf } from './docker-failure'

/** Gone, and there but not running: neither can be asked anything. */
function isOver(thrown: unknown): boolean {
  const status = statusOf(thrown)
  return status === 404 || status === 409
}

/** Values of variables go into the environment of that command alone, and the engine forgets them with it. */
async function startDetached(
  docker: Docker,
  container: string,
  { argv, cwd, environment }: Parameters<BesideStack['start']>[1]
): Promise<string> {
  const exec = await docker.getContainer(container).exec({
    Cmd: [...argv],
    WorkingDir: cwd,
    Env: Object.entries(environment).map(([name, value]) => `${name}=${value}`),
    AttachStdin: false,
    AttachStdout: false,
    AttachStderr: false,
    Tty: false
  })
  const answer = await exec.start({ Detach: true })
  const over = once(answer, 'end')
  answer.resume()
  await over
  return exec.id
}

/** Commands in a stack's container, and containers beside it, of one engine. */
export function besideStack(
  connection: DockerConnection,
  installation: string,
  engine: string
): BesideStack {
  return {
    start: (container, command) =>
      connection.ask((docker) => startDetached(docker, container, command)),
    look: async (exec) => {
      try {
        const seen = await connection.ask((docker) => docker.getExec(exec).inspect())
        return { running: seen.Running, code: seen.ExitCode }
      } catch (thrown) {
        if (isOver(thrown)) return null
        throw thrown
      }
    },
    ask: async (container, script, args) => {
      try {
        return (await containerShell(connection, () => Promise.resolve(container))(script, args))
          .code
      } catch (thrown) {
        if (isOver(thrown)) return null
        throw thrown
      }
    },
    containers: async (runId, attempt) => {
      const own = [`${LABEL.installation}=${installation}`, `${LABEL.run}=${runId}`]
      const list = await connection.ask((docker) =>
        docker.listContainers({
          all: true,
          filters: { label: [...own, `${LABEL.attempt}=${attempt}`, LABEL.companion] }
        })
      )
      return list.map(({ Id, Names, Labels }) => ({
        name: Labels[LABEL.companion] ?? '',
        start: Number(Labels[LABEL.companionStart]),
        handle: {
          kind: 'container',
          id: Id,
          name: (Names[0] ?? '').replace(/^\//, ''),
          engine
        }
      }))
    }
  }
}
