import type Docker from 'dockerode'
import type { Failure } from '../../../contract/failure'
import type { Text } from '../../../contract/text'
import { FailureError, messageOf } from '../../lib'
import { endpointName, statusOf } from './docker-failure'
import type { DockerEndpoint } from './endpoint'

interface Cause {
  code: string
  /** Matched against the engine's words, which have stayed the same since 17.x. */
  seen: (status: number | null, message: string) => boolean
  what: (create: Docker.ContainerCreateOptions) => Text
  remedy: Text
}

const CAUSES: readonly Cause[] = [
  {
    code: 'image-missing',
    seen: (status, message) => status === 404 && /no such image/i.test(message),
    what: ({ Image = '' }) => ({
      en: `The image ${Image} is not on this engine.`,
      zh: `此引擎上没有镜像 ${Image}。`
    }),
    remedy: {
      en: 'Build or pull it there, or choose another image.',
      zh: '请在该引擎上构建或拉取镜像，或选择其他镜像。'
    }
  },
  {
    code: 'container-exists',
    // Podman says it with status 500.
    seen: (_status, message) => /name .* is already in use/i.test(message),
    what: ({ name = '' }) => ({
      en: `A container named ${name} exists already.`,
      zh: `名为 ${name} 的容器已存在。`
    }),
    remedy: {
      en: 'It belongs to an earlier start of this attempt: stop or remove it, or start a new attempt.',
      zh: '它属于本次尝试先前的启动：请停止或移除它，或开始新的尝试。'
    }
  },
  {
    code: 'mount-missing',
    seen: (_status, message) =>
      /bind source path does not exist|no such file.*mount/i.test(message),
    what: () => ({
      en: 'A folder to be mounted does not exist on the machine of the engine.',
      zh: '要挂载的目录在引擎所在机器上不存在。'
    }),
    remedy: {
      en: 'Create the folder there, or correct its path. The name is in the details.',
      zh: '请在该机器上创建目录，或更正路径。名称见详情。'
    }
  },
  {
    code: 'port-taken',
    seen: (_status, message) => /port is already allocated|address already in use/i.test(message),
    what: ({ HostConfig }) => ({
      en: `A port is taken already (asked for: ${portList(HostConfig)}).`,
      zh: `端口已被占用（请求的端口：${portList(HostConfig)}）。`
    }),
    remedy: {
      en: 'Stop what uses it, or choose another port.',
      zh: '请停止占用该端口的程序，或选择其他端口。'
    }
  },
  {
    code: 'gpu-runtime-missing',
    seen: (_status, message) =>
      /could not select device driver.*gpu|nvidia-container|unknown or invalid runtime name/is.test(
        message
      ),
    what: () => ({
      en: 'This engine cannot give GPUs to containers.',
      zh: '此引擎无法为容器提供 GPU。'
    }),
    remedy: {
      en: 'Install the NVIDIA Container Toolkit on that machine and restart Docker, or choose another target.',
      zh: '请在该机器上安装 NVIDIA Container Toolkit 并重启 Docker，或选择其他目标。'
    }
  },
  {
    code: 'command-missing',
    seen: (_status, message) =>
      /executable file not found|exec: .*no such file or directory/i.test(message),
    what: ({ Image = '', Cmd = [] }) => ({
      en: `The image ${Image} has no command ${Cmd[0] ?? ''}.`,
      zh: `镜像 ${Image} 中没有命令 ${Cmd[0] ?? ''}。`
    }),
    remedy: { en: 'Choose the image this recipe needs.', zh: '请选择此配方所需的镜像。' }
  },
  {
    code: 'disk-full',
    seen: (_status, message) => /no space left on device/i.test(message),
    what: () => ({
      en: 'The disk of the engine’s machine is full.',
      zh: '引擎所在机器的磁盘已满。'
    }),
    remedy: {
      en: 'Free some space there ("docker system df" tells what Docker itself holds).',
      zh: '请在该机器上释放空间（“docker system df”可查看 Docker 占用）。'
    }
  }
]

function portList(config: Docker.HostConfig | undefined): string {
  // dockerode leaves the bindings untyped: `{ "80/tcp": [{ "HostPort": "8080" }] }`.
  const bindings: unknown = config?.PortBindings
  const list = [...JSON.stringify(bindings ?? {}).matchAll(/"HostPort":"(\d+)"/g)]
  return list.length === 0 ? '–' : list.map(([, port]) => port).join(', ')
}

/** What an engine that would start the container without its GPUs is answered with. */
export function gpusPassedOver(endpoint: DockerEndpoint, version: string): Failure {
  return {
    code: 'gpus-passed-over',
    where: endpointName(endpoint),
    what: {
      en: `Podman ${version} gives no GPUs to containers made through its Docker-compatible socket, and would not say so.`,
      zh: `Podman ${version} 不会为通过其 Docker 兼容套接字创建的容器提供 GPU，而且不会报错。`
    },
    remedy: {
      en: 'Use Podman 5.4 or newer with a CDI description of the GPUs ("nvidia-ctk cdi generate"), or Docker.',
      zh: '请使用 Podman 5.4 或更新版本，并用“nvidia-ctk cdi generate”生成 GPU 的 CDI 描述；或改用 Docker。'
    }
  }
}

/** Why a container could not be created or started, in words a person can act on. Pure. */
export function startFailure(
  thrown: unknown,
  create: Docker.ContainerCreateOptions,
  endpoint: DockerEndpoint
): Failure {
  if (thrown instanceof FailureError) return thrown.failure
  const message = messageOf(thrown).trim()
  const cause = CAUSES.find(({ seen }) => seen(statusOf(thrown), message))
  const where = endpointName(endpoint)
  if (cause === undefined)
    return {
      code: 'container-not-started',
      where,
      what: {
        en: 'The engine could not start the container.',
        zh: '引擎未能启动容器。'
      },
      detail: message
    }
  return {
    code: cause.code,
    where,
    what: cause.what(create),
    remedy: cause.remedy,
    detail: message
  }
}
