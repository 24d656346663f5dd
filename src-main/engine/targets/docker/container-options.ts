import type Docker from 'dockerode'
import { fail } from '../../lib'
import type { StartSpec } from '../target'
import type { GpuForm } from './gpu-form'

/** What we create carries these, so that the next start finds it and never touches anything else. */
export const LABEL = {
  installation: 'slipway.installation',
  run: 'slipway.run',
  attempt: 'slipway.attempt',
  /** Name of the companion whose container it is: never the stack's own. */
  companion: 'slipway.companion',
  companionStart: 'slipway.companion-start',
  helper: 'slipway.helper'
} as const

type GpuRequest = NonNullable<NonNullable<Docker.HostConfig['DeviceRequests']>[number]>

function gpuRequests(
  gpus: NonNullable<StartSpec['container']>['gpus'],
  form: GpuForm
): GpuRequest[] {
  if (gpus === 'none') return []
  if (form === 'cdi') {
    const names = (gpus === 'all' ? ['all'] : gpus).map((name) => `nvidia.com/gpu=${name}`)
    return [{ Driver: 'cdi', DeviceIDs: names }]
  }
  const capabilities = { Driver: '', Capabilities: [['gpu']], Options: {} }
  return gpus === 'all'
    ? [{ ...capabilities, Count: -1 }]
    : [{ ...capabilities, Count: 0, DeviceIDs: [...gpus] }]
}

function ports(list: readonly { host: number; container: number }[]): {
  ExposedPorts: Record<string, Record<string, never>>
  PortBindings: Record<string, { HostIp: string; HostPort: string }[]>
} {
  const key = (container: number): string => `${container}/tcp`
  return {
    ExposedPorts: Object.fromEntries(list.map(({ container }) => [key(container), {}])),
    PortBindings: Object.fromEntries(
      // Only this machine: a training service without a token has no business on the network.
      list.map(({ host, container }) => [
        key(container),
        [{ HostIp: '127.0.0.1', HostPort: String(host) }]
      ])
    )
  }
}

/** Characters Docker allows in a container's name. */
export function containerName(
  runId: string,
  attempt: number,
  companion?: StartSpec['companion']
): string {
  const stack = `slipway-${runId.replace(/[^a-zA-Z0-9_.-]/g, '-')}-${attempt}`
  // Each start has its own: the one before may still be on its way out.
  return companion === undefined ? stack : `${stack}-${companion.name}-${companion.start}`
}

/** A companion's command is the whole command, so that an image's own entry point is not put before it. */
function commandOf({
  argv,
  companion
}: StartSpec): Pick<Docker.ContainerCreateOptions, 'Cmd' | 'Entrypoint'> {
  return companion === undefined
    ? { Cmd: [...argv] }
    : { Entrypoint: argv.slice(0, 1), Cmd: argv.slice(1) }
}

function networkOf({
  hostNetwork,
  joins
}: NonNullable<StartSpec['container']>): Pick<Docker.HostConfig, 'NetworkMode'> {
  if (hostNetwork) return { NetworkMode: 'host' }
  return joins === undefined ? {} : { NetworkMode: `container:${joins}` }
}

/**
 * The container a StartSpec asks for. Pure. Values of variables go into the container's own environment and nowhere
 * else; the log driver, limits and security settings stay the engine's own.
 */
export function containerOptions(
  spec: StartSpec,
  installation: string,
  form: GpuForm = 'docker'
): Docker.ContainerCreateOptions {
  const { container } = spec
  if (container === undefined)
    return fail({
      code: 'container-settings-missing',
      where: spec.runId,
      what: {
        en: 'This plan names no image, so it cannot start in Docker.',
        zh: '此计划未指定镜像，无法在 Docker 中启动。'
      },
      remedy: { en: 'Choose an image, or a process target.', zh: '请选择镜像，或改用进程目标。' }
    })
  const published = container.hostNetwork ? ports([]) : ports(container.ports)
  return {
    name: containerName(spec.runId, spec.attempt, spec.companion),
    Image: container.image,
    ...commandOf(spec),
    WorkingDir: spec.cwd,
    Env: Object.entries(spec.environment).map(([name, value]) => `${name}=${value}`),
    Labels: {
      [LABEL.installation]: installation,
      [LABEL.run]: spec.runId,
      [LABEL.attempt]: String(spec.attempt),
      ...(spec.companion === undefined
        ? {}
        : {
            [LABEL.companion]: spec.companion.name,
            [LABEL.companionStart]: String(spec.companion.start)
          })
    },
    AttachStdin: false,
    AttachStdout: false,
    AttachStderr: false,
    Tty: false,
    ExposedPorts: published.ExposedPorts,
    ...(container.user === null ? {} : { User: container.user }),
    HostConfig: {
      // The long form refuses a folder that is not there, which a mistyped path deserves; the short one makes it.
      Mounts: container.mounts
        .filter((mount) => mount.create !== true)
        .map(({ host, container: inside, readOnly }) => ({
          Type: 'bind',
          Source: host,
          Target: inside,
          ReadOnly: readOnly
        })),
      Binds: container.mounts
        .filter((mount) => mount.create === true)
        .map((mount) => `${mount.host}:${mount.container}${mount.readOnly ? ':ro' : ''}`),
      PortBindings: published.PortBindings,
      ...networkOf(container),
      ...(container.ipcHost ? { IpcMode: 'host' } : {}),
      ...(container.shmBytes === null ? {} : { ShmSize: container.shmBytes }),
      DeviceRequests: gpuRequests(container.gpus, form)
    }
  }
}
