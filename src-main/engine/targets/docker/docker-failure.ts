import type { Text } from '../../../contract/text'
import { errorCode, messageOf } from '../../lib'
import { UnreachableError } from '../unreachable'
import type { DockerEndpoint } from './endpoint'

/** Why a Docker engine could not be asked. */
export type DockerObstacle =
  | 'absent'
  | 'not-running'
  | 'permission'
  | 'not-docker'
  | 'no-answer'
  | 'name-unknown'
  | 'network'
  | 'certificate'
  | 'cut'

const CERTIFICATE =
  /certificate|\bCERT_|self.signed|alert (?:bad|unknown|handshake)|ERR_TLS|SSL routines|wrong version number|UNABLE_TO/i

/** Tells one obstacle from another by the error of the connection. `late`: the deadline had passed. Pure. */
export function obstacleOf(thrown: unknown, late: boolean): DockerObstacle {
  const code = errorCode(thrown) ?? ''
  const message = messageOf(thrown)
  if (code === 'ENOENT') return 'absent'
  if (code === 'ECONNREFUSED') return 'not-running'
  if (code === 'EACCES' || code === 'EPERM') return 'permission'
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'name-unknown'
  if (CERTIFICATE.test(code) || CERTIFICATE.test(message)) return 'certificate'
  if (code.startsWith('HPE_') || code === 'EPROTOTYPE' || code === 'ENOTSOCK') return 'not-docker'
  if (late || code === 'ETIMEDOUT') return 'no-answer'
  if (code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'network'
  return 'cut'
}

/** The endpoint as Docker writes it. */
export function endpointName(endpoint: DockerEndpoint): string {
  switch (endpoint.kind) {
    case 'socket':
      return `unix://${endpoint.path}`
    case 'tcp':
      return `tcp://${endpoint.host}:${endpoint.port}`
    case 'ssh':
      return endpoint.destination
  }
}

interface Words {
  what: (at: string) => Text
  remedy: Text
  /** A command to copy, where one is enough on Linux. */
  command: string | null
}

const WORDS: Readonly<Record<DockerObstacle, Words>> = {
  absent: {
    what: (at) => ({
      en: `Nothing is at ${at}: Docker is not installed, or not started since this computer started.`,
      zh: `${at} 不存在：Docker 未安装，或开机后尚未启动。`
    }),
    remedy: {
      en: 'Install Docker, or start it; then check again.',
      zh: '请安装或启动 Docker，然后重新检查。'
    },
    command: 'sudo systemctl start docker'
  },
  'not-running': {
    what: (at) => ({
      en: `Nobody answers at ${at}: the Docker engine is not running.`,
      zh: `${at} 无人应答：Docker 引擎没有运行。`
    }),
    remedy: { en: 'Start the engine, then check again.', zh: '请启动引擎，然后重新检查。' },
    command: 'sudo systemctl start docker'
  },
  permission: {
    what: (at) => ({
      en: `You may not use ${at}.`,
      zh: `当前用户无权使用 ${at}。`
    }),
    remedy: {
      en: 'Someone with sudo adds your user to the group that owns the socket; then log out and in again. Members of that group are root on the machine in effect; rootless Docker is the alternative.',
      zh: '请由有 sudo 权限的人把你的用户加入该套接字所属的组，然后重新登录。该组成员实际上等同于 root；也可以改用 rootless Docker。'
    },
    command: 'sudo usermod -aG docker $USER'
  },
  'not-docker': {
    what: (at) => ({
      en: `Something answers at ${at}, but it is not Docker.`,
      zh: `${at} 有程序应答，但不是 Docker。`
    }),
    remedy: {
      en: 'Another program owns this address. Check the path or port.',
      zh: '该地址属于其他程序。请检查路径或端口。'
    },
    command: null
  },
  'no-answer': {
    what: (at) => ({
      en: `${at} accepted the connection but did not answer in time.`,
      zh: `${at} 接受了连接，但未在限时内应答。`
    }),
    remedy: {
      en: 'The engine may hang or be very busy. Look at it on its machine, then check again.',
      zh: '引擎可能已卡住或非常繁忙。请在其所在机器上查看，然后重新检查。'
    },
    command: 'docker info'
  },
  'name-unknown': {
    what: (at) => ({
      en: `The name in ${at} is not known to any name server.`,
      zh: `${at} 中的主机名无法解析。`
    }),
    remedy: { en: 'Check the name and the network.', zh: '请检查主机名和网络。' },
    command: null
  },
  network: {
    what: (at) => ({ en: `There is no way to ${at}.`, zh: `无法到达 ${at}。` }),
    remedy: { en: 'Check the network or the VPN.', zh: '请检查网络或 VPN。' },
    command: null
  },
  certificate: {
    what: (at) => ({
      en: `${at} was reached, but the certificates do not agree.`,
      zh: `已连接 ${at}，但证书校验未通过。`
    }),
    remedy: {
      en: 'Check ca.pem, cert.pem and key.pem in the TLS folder: whom they name, and until when.',
      zh: '请检查 TLS 文件夹中的 ca.pem、cert.pem 和 key.pem：签发对象与有效期。'
    },
    command: null
  },
  cut: {
    what: (at) => ({ en: `The connection to ${at} was cut.`, zh: `与 ${at} 的连接中断。` }),
    remedy: {
      en: 'The engine may have just stopped or restarted. Slipway asks again by itself.',
      zh: '引擎可能刚刚停止或重启。Slipway 会自动重试。'
    },
    command: null
  }
}

/** What is thrown for an engine that could not be asked. */
export function engineUnreachable(
  endpoint: DockerEndpoint,
  obstacle: DockerObstacle,
  thrown: unknown
): UnreachableError {
  const where = endpointName(endpoint)
  const { what, remedy, command } = WORDS[obstacle]
  const failure = {
    code: `docker-${obstacle}`,
    where,
    what: what(where),
    remedy,
    detail: messageOf(thrown)
  }
  return new UnreachableError(failure, command, { cause: thrown })
}

/** HTTP status of an answer that the engine itself gave, or null when there was no answer. */
export function statusOf(thrown: unknown): number | null {
  return typeof thrown === 'object' &&
    thrown !== null &&
    'statusCode' in thrown &&
    typeof thrown.statusCode === 'number'
    ? thrown.statusCode
    : null
}
