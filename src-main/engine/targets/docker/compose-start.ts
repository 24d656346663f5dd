import type { DockerVia } from './endpoint'
import { writeFileAtomic } from '../../lib'
import { runCommand } from '../command'
import type { StartSpec } from '../target'
import { containerName, LABEL } from './container-options'
import { dockerWords } from './docker-words'

type Container = NonNullable<StartSpec['container']>
type Compose = NonNullable<Container['compose']>

/** The tool reads files, asks the engine and makes what is missing, in one go. */
const CREATE_DEADLINE_MS = 120_000

/** In a compose file a dollar sign begins a variable. */
function literal(text: string): string {
  return text.replaceAll('$', '$$$$')
}

/** Name of the project of a container of ours: compose takes lower case only. Its networks carry it. */
export function projectOf(name: string): string {
  return name.toLowerCase().replace(/[^a-z0-9_-]/g, '-')
}

/** The label compose gives to all that it makes (compose specification, “Labels”). */
export const PROJECT_LABEL = 'com.docker.compose.project'

/**
 * The second compose file: our labels and name on the service, the command of this launch, and what is handed over.
 * Values of secrets are not in it: their names are, and compose takes the values from its environment. Pure.
 */
export function composeOverrideText(
  spec: StartSpec,
  container: Container,
  compose: Compose,
  installation: string
): string {
  const secret = new Set(spec.secretNames)
  const environment = Object.fromEntries(
    compose.handed.flatMap((name) => {
      const value = spec.environment[name]
      if (value === undefined) return []
      return [[name, secret.has(name) ? null : literal(value)]]
    })
  )
  const service = {
    container_name: containerName(spec.runId, spec.attempt),
    command: spec.argv.map(literal),
    working_dir: literal(spec.cwd),
    // A stack that ends has ended: what follows is decided with its marker in view.
    restart: 'no',
    labels: {
      [LABEL.installation]: installation,
      [LABEL.run]: spec.runId,
      [LABEL.attempt]: String(spec.attempt)
    },
    environment,
    ...(container.user === null ? {} : { user: literal(container.user) }),
    ...(container.shmBytes === null ? {} : { shm_size: container.shmBytes }),
    ...(compose.added.length === 0
      ? {}
      : {
          volumes: compose.added.map(({ host, container: inside, readOnly }) =>
            literal(`${host}:${inside}${readOnly ? ':ro' : ''}`)
          )
        })
  }
  const version = compose.version === null ? {} : { version: compose.version }
  return `${JSON.stringify({ ...version, services: { [compose.service]: service } }, null, 2)}\n`
}

/** The command that makes the container and does not start it: an engine that dies meanwhile leaves nothing running. */
export function composeArgv(compose: Compose, via: DockerVia, project: string): string[] {
  const [file = 'docker', ...plugin] = compose.tool
  return [
    ...[file, ...dockerWords(via), ...plugin],
    ...['-p', project, '-f', compose.file, '-f', compose.override],
    ...['up', '--no-start', '--no-build', '--no-deps', compose.service]
  ]
}

/** Makes the container. Throws what compose said when it could not; a part of it may be there then. */
export async function composeContainer(
  spec: StartSpec,
  compose: Compose,
  installation: string,
  via: DockerVia
): Promise<void> {
  const { container } = spec
  if (container === undefined) return
  await writeFileAtomic(
    compose.override,
    composeOverrideText(spec, container, compose, installation)
  )
  const project = projectOf(containerName(spec.runId, spec.attempt))
  const [file = '', ...args] = composeArgv(compose, via, project)
  const told = await runCommand(file, args, {
    deadlineMs: CREATE_DEADLINE_MS,
    environment: { ...process.env, ...spec.environment, ...compose.variables }
  })
  if (told.kind === 'done' && told.code === 0) return
  if (told.kind === 'missing') throw new Error(`${file}: command not found`)
  throw new Error(`${told.stderr}\n${told.stdout}`.trim())
}
