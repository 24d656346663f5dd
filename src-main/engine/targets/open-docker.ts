import { homedir, hostname } from 'node:os'
import type { EngineFacts, TargetSpec } from '../../contract/targets'
import { systemClock } from '../lib'
import { connectDocker, type DockerConnection } from './docker/connection'
import { LABEL } from './docker/container-options'
import { containerShell } from './docker/container-shell'
import { DockerTarget, type DockerTargetOptions } from './docker/docker-target'
import { dockerConfigFolder, resolveEndpoint, type DockerEndpoint } from './docker/endpoint'
import { EngineIdentity } from './docker/engine-probe'
import { HelperContainer } from './docker/helper-container'
import { chosenFiles } from './files/chosen-files'
import { layeredFiles } from './files/layered-files'
import { localFiles } from './files/local-files'
import { shellFiles } from './files/shell-files'
import { hostGpus } from './host-gpus'
import { engineImages } from './images/engine-images'
import type { TargetSurroundings } from './open-target'
import { engineTunnel, remoteCommand, remoteGpus } from './ssh/remote-engine'
import { parseSshDestination } from './ssh/ssh-destination'
import { SshLink } from './ssh/ssh-link'
import type { FileAccess, ImageStore } from './target'

type DockerSpec = Extract<TargetSpec, { kind: 'docker' }>

/** What differs between engines here, behind ssh, and behind tcp. */
type Machine = Pick<DockerTargetOptions, 'files' | 'gpus' | 'machineCommand' | 'reach'>

/** Opens a Docker target, wherever its engine is. Throws FailureError for a context that cannot be followed. */
export async function openDocker(
  spec: DockerSpec,
  surroundings: TargetSurroundings
): Promise<DockerTarget> {
  const clock = surroundings.clock ?? systemClock
  const config = surroundings.dockerConfig ?? dockerConfigFolder(process.env, homedir())
  const endpoint = await resolveEndpoint(spec.via, config)
  const link = endpoint.kind === 'ssh' ? openLink(endpoint.destination, surroundings) : null
  const tunnel = link === null ? null : engineTunnel(link.link, link.destination, link.socket)
  const connection = connectDocker(endpoint, tunnel, clock)
  const identity = new EngineIdentity(connection, clock)
  const images = engineImages(connection, identity, surroundings.resources)
  const helper = new HelperContainer(connection, surroundings.installation, () =>
    helperImages(connection, images, surroundings.installation)
  )
  const helperFiles = shellFiles(
    containerShell(connection, () => helper.running(), ['chroot', '/host']),
    clock
  )
  const machine =
    link === null
      ? hereOrTcp(endpoint, identity, helperFiles, surroundings)
      : behindSsh(link.link, helperFiles, surroundings)
  return new DockerTarget({
    spec,
    connection,
    identity,
    images,
    helper,
    clock,
    ...machine,
    freeBytes: (facts) => freeBytes(machine.files, endpoint, facts, surroundings),
    installation: surroundings.installation
  })
}

function openLink(
  address: string,
  { sshConfig }: TargetSurroundings
): { link: SshLink; destination: string; socket: string | null } {
  const { destination, socket } = parseSshDestination(address)
  const configFile = sshConfig === undefined ? {} : { configFile: sshConfig }
  return { link: new SshLink({ destination, ...configFile }), destination, socket }
}

function behindSsh(
  link: SshLink,
  helperFiles: FileAccess,
  { clock = systemClock }: TargetSurroundings
): Machine {
  const sshFiles = shellFiles((script, args) => link.run(script, args), clock)
  return {
    files: layeredFiles(sshFiles, helperFiles),
    gpus: () => remoteGpus(link),
    machineCommand: (file, args, signal) => remoteCommand(link, file, args, signal),
    reach: async (port, last) => `http://127.0.0.1:${await link.forwardPort(port, last)}`
  }
}

function hereOrTcp(
  endpoint: DockerEndpoint,
  identity: EngineIdentity,
  helperFiles: FileAccess,
  { clock = systemClock }: TargetSurroundings
): Machine {
  if (endpoint.kind === 'tcp')
    return {
      files: helperFiles,
      gpus: () => Promise.resolve([]),
      reach: (port) => Promise.resolve(`http://${bracketed(endpoint.host)}:${port}`)
    }
  return {
    files: chosenFiles(async () =>
      isHere(await identity.known()) ? layeredFiles(localFiles(clock), helperFiles) : helperFiles
    ),
    gpus: hostGpus,
    reach: (port) => Promise.resolve(`http://127.0.0.1:${port}`)
  }
}

/** Docker Desktop's own machine shares the person's folders at the same paths, so they are read here. */
function isHere(facts: EngineFacts): boolean {
  return facts.engine === 'Docker Desktop' || facts.host === null || facts.host === hostname()
}

function bracketed(host: string): string {
  return host.includes(':') ? `[${host}]` : host
}

/** Images with a shell, best first: the practice image, then those of stacks we already run there. */
async function helperImages(
  connection: DockerConnection,
  images: ImageStore,
  installation: string
): Promise<string[]> {
  const own = await connection.ask((docker) =>
    docker.listContainers({
      all: true,
      filters: { label: [`slipway.installation=${installation}`] }
    })
  )
  const made = (await images.list())
    .filter(({ reference }) => /^(?:localhost\/)?slipway-practice:/.test(reference))
    .sort((a, b) => b.created - a.created)
  const stacks = own.filter(({ Labels }) => !(LABEL.companion in Labels))
  return [...made.map(({ reference }) => reference), ...stacks.map(({ ImageID }) => ImageID)]
}

/**
 * Free space where runs will be: in the runs' home of this machine, in the engine's own folder elsewhere. Over tcp it
 * would take a helper container, which merely looking at a list of targets should not start.
 */
async function freeBytes(
  files: FileAccess,
  endpoint: DockerEndpoint,
  facts: EngineFacts,
  { home }: TargetSurroundings
): Promise<number | null> {
  if (endpoint.kind === 'tcp') return null
  const place = endpoint.kind === 'socket' ? home : (facts.rootFolder ?? '/')
  return (await files.statfs(place))?.freeBytes ?? null
}
