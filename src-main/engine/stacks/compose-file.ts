import { homedir } from 'node:os'
import { dirname, join, posix, resolve } from 'node:path'
import { parse } from 'yaml'
import { z } from 'zod'
import { bytesOf } from '../../contract/container-text'
import type { Mount } from '../../contract/launch'
import type { Text } from '../../contract/text'
import { fail, messageOf } from '../lib'

/** The service of a compose file that a stack is to run as, with its variables filled in. */
export interface ComposeService {
  name: string
  /** As the file has it; a second file must say the same. */
  version: string | null
  image: string
  mounts: Mount[]
  network: 'host' | 'published'
  /** Size of /dev/shm; null: the engine's own default. */
  shmBytes: number | null
  /** Indices or ids it reserves; null: all; empty: none. */
  gpus: string[] | null
  user: string | null
  /** Names of the container's environment that the file gives a value itself. */
  given: string[]
  /** Variables the service is written with, other than those of the places. */
  variables: string[]
}

const Volume = z.union([
  z.string(),
  z.object({
    type: z.string(),
    source: z.string().optional(),
    target: z.string(),
    read_only: z.boolean().optional()
  })
])
const Device = z.object({
  driver: z.string().optional(),
  count: z.union([z.number(), z.string()]).optional(),
  device_ids: z.array(z.coerce.string()).optional(),
  capabilities: z.array(z.string()).default([])
})
const Service = z.looseObject({
  image: z.string().optional(),
  volumes: z.array(Volume).default([]),
  network_mode: z.string().optional(),
  shm_size: z.union([z.string(), z.number()]).optional(),
  user: z.coerce.string().optional(),
  gpus: z.unknown().optional(),
  environment: z.union([z.array(z.string()), z.record(z.string(), z.unknown())]).default([]),
  deploy: z
    .looseObject({
      resources: z
        .looseObject({ reservations: z.looseObject({ devices: z.array(Device).optional() }) })
        .optional()
    })
    .optional(),
  depends_on: z.unknown().optional(),
  links: z.unknown().optional(),
  extends: z.unknown().optional()
})
type Service = z.infer<typeof Service>
const File = z.looseObject({
  version: z.coerce.string().optional(),
  services: z.record(z.string(), z.unknown())
})

/** `$$`, `$NAME`, `${NAME}`, `${NAME:-other}`, `${NAME-other}`, `${NAME:?why}`, `${NAME:+other}`. */
const VARIABLE = /\$(?:\$|\{([A-Za-z_]\w*)(?:(:?[-?+])([^}]*))?\}|([A-Za-z_]\w*))/g

function refuse(where: string, what: Text, remedy: Text, detail?: string): never {
  return fail({
    code: 'compose-file-unusable',
    where,
    what,
    remedy,
    ...(detail === undefined ? {} : { detail })
  })
}

/** Text with its variables filled in, by the rules of the compose file format, and the names of those without a value. */
function filledIn(
  text: string,
  values: Readonly<Record<string, string | undefined>>
): { text: string; missing: string[] } {
  const missing: string[] = []
  const value = (name: string, how: string, other: string): string => {
    const given = values[name]
    const there = given !== undefined && (given !== '' || !how.startsWith(':'))
    if (how.endsWith('+')) return there ? other : ''
    if (there) return given
    if (how.endsWith('-')) return other
    missing.push(name)
    return ''
  }
  const filled = text.replace(
    VARIABLE,
    (whole: string, braced?: string, how?: string, other?: string, bare?: string) => {
      const name = braced ?? bare
      if (name === undefined) return whole === '$$' ? '$' : whole
      return value(name, how ?? '', other ?? '')
    }
  )
  return { text: filled, missing }
}

/** Names of the variables that stand in a value, however deep. */
function variablesOf(value: unknown): string[] {
  const names = [...JSON.stringify(value).matchAll(VARIABLE)].flatMap(
    ([, braced, , , bare]) => braced ?? bare ?? []
  )
  return [...new Set(names)]
}

function chosen(
  file: string,
  services: Readonly<Record<string, unknown>>,
  asked: string | undefined
): string {
  const names = Object.keys(services)
  const name = asked ?? (names.length === 1 ? names[0] : 'reef')
  if (name !== undefined && names.includes(name)) return name
  const list = names.join(', ')
  return refuse(
    file,
    {
      en: `The file has no service “${name ?? ''}”; it has: ${list}.`,
      zh: `该文件中没有服务“${name ?? ''}”，现有服务：${list}。`
    },
    { en: 'Say which of them is the stack.', zh: '请指明其中哪个是运行栈。' }
  )
}

/** Refuses a service that cannot come up alone: Slipway starts, watches and stops one container. */
function mustStandAlone(file: string, name: string, service: Service): void {
  const mode = service.network_mode ?? ''
  const why =
    service.extends !== undefined
      ? 'extends'
      : service.depends_on !== undefined
        ? 'depends_on'
        : service.links !== undefined
          ? 'links'
          : /^(service|container):/.test(mode)
            ? `network_mode: ${mode}`
            : null
  if (why === null) return
  refuse(
    file,
    {
      en: `The service “${name}” needs other services (${why}), and Slipway starts one container.`,
      zh: `服务“${name}”依赖其他服务（${why}），而 Slipway 只启动一个容器。`
    },
    {
      en: 'Launch without the compose file, or start the others yourself and leave that key out.',
      zh: '请不使用 compose 文件启动，或自行启动其他服务并去掉该键。'
    }
  )
}

/** A bind mount; null for a named volume, which is no folder of the machine that we could read in. */
function mountOf(volume: z.infer<typeof Volume>, folder: string): Mount | null {
  if (typeof volume !== 'string') {
    if (volume.type !== 'bind' || volume.source === undefined) return null
    const host = hostPath(volume.source, folder)
    return { host, container: volume.target, readOnly: volume.read_only === true }
  }
  const [source, container, mode = ''] = volume.split(':')
  if (source === undefined || container === undefined || !/^[./~]/.test(source)) return null
  return {
    host: hostPath(source, folder),
    container: posix.normalize(container),
    readOnly: mode.split(',').includes('ro')
  }
}

function hostPath(source: string, folder: string): string {
  return source.startsWith('~') ? join(homedir(), source.slice(1)) : resolve(folder, source)
}

function gpusOf(service: Service): string[] | null {
  if (service.gpus !== undefined) return null
  const devices = service.deploy?.resources?.reservations.devices ?? []
  const wanted = devices.filter(({ capabilities }) => capabilities.includes('gpu'))
  if (wanted.length === 0) return []
  const ids = wanted.flatMap(({ device_ids }) => device_ids ?? [])
  return ids.length === 0 ? null : ids
}

function parsed(text: string, file: string): z.infer<typeof File> {
  const remedy = {
    en: 'Have “docker compose config” tell what is wrong.',
    zh: '请用“docker compose config”查看问题所在。'
  }
  try {
    const read = File.safeParse(parse(text, { merge: true }))
    if (read.success) return read.data
  } catch (cause) {
    refuse(
      file,
      { en: 'The file is no YAML.', zh: '该文件不是有效的 YAML。' },
      remedy,
      messageOf(cause)
    )
  }
  return refuse(file, { en: 'The file names no services.', zh: '该文件没有列出服务。' }, remedy)
}

/**
 * What a compose file says of the service that is the stack: the one asked for, the only one, or `reef`. Pure.
 * `values`: what its variables stand for, those of `places` chosen for this launch.
 * @throws FailureError `compose-file-unusable`
 */
export function readCompose(
  text: string,
  file: string,
  options: {
    service?: string | undefined
    places: Readonly<Record<string, string>>
    values: Readonly<Record<string, string | undefined>>
  }
): ComposeService {
  const { version, services } = parsed(text, file)
  const name = chosen(file, services, options.service)
  const read = Service.safeParse(services[name])
  if (!read.success) {
    return refuse(
      file,
      { en: `The service “${name}” cannot be read.`, zh: `无法读取服务“${name}”。` },
      { en: 'See the details for the key.', zh: '具体的键见详情。' },
      z.prettifyError(read.error)
    )
  }
  const service = read.data
  mustStandAlone(file, name, service)
  const values = { ...options.values, ...options.places }
  const fill = (written: string): string => {
    const { text: filled, missing } = filledIn(written, values)
    if (missing.length === 0) return filled
    const list = missing.join(', ')
    return refuse(
      file,
      {
        en: `“${written}” needs a value for ${list}.`,
        zh: `“${written}”需要 ${list} 的值。`
      },
      {
        en: 'Set it in the environment, or in the file .env beside the compose file.',
        zh: '请在环境变量中，或在 compose 文件旁的 .env 文件中设置。'
      }
    )
  }
  if (service.image === undefined) {
    return refuse(
      file,
      { en: `The service “${name}” names no image.`, zh: `服务“${name}”没有指定镜像。` },
      {
        en: 'Build it first, and write its name as image.',
        zh: '请先构建镜像，并在 image 中写明其名称。'
      }
    )
  }
  const folder = dirname(file)
  const { environment, shm_size: shm } = service
  const written = Array.isArray(environment)
    ? environment.filter((one) => one.includes('=')).map((one) => one.slice(0, one.indexOf('=')))
    : Object.keys(environment).filter((one) => environment[one] !== null)
  return {
    name,
    version: version ?? null,
    image: fill(service.image),
    mounts: service.volumes.flatMap((volume) => {
      const filled =
        typeof volume === 'string'
          ? fill(volume)
          : { ...volume, source: volume.source === undefined ? undefined : fill(volume.source) }
      return mountOf(filled, folder) ?? []
    }),
    network: service.network_mode === 'host' ? 'host' : 'published',
    shmBytes: typeof shm === 'number' ? shm : shm === undefined ? null : bytesOf(shm),
    gpus: gpusOf(service),
    user: service.user === undefined ? null : fill(service.user),
    given: written,
    variables: variablesOf(service).filter((one) => !(one in options.places))
  }
}
