import { stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join, posix, win32 } from 'node:path'
import { ContainerChoices, type LaunchRequest, type Plan } from '../../contract/launch'
import type { Text } from '../../contract/text'
import { errorCode, fail } from '../lib'
import type { ContainerPlaces } from './plan'

async function exists(path: string): Promise<boolean> {
  try {
    await stat(path)
    return true
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT' || errorCode(cause) === 'ENOTDIR') return false
    throw cause
  }
}

/** The Reef checkout a recipe lies in: the nearest folder above it that has Reef's image definition. */
async function checkoutOf(recipe: string): Promise<string> {
  for (let folder = dirname(recipe); ; folder = dirname(folder)) {
    if (await exists(join(folder, 'docker', 'Dockerfile.reef'))) return folder
    if (dirname(folder) === folder) return dirname(recipe)
  }
}

/** `user` or `user:group`, each a number or a name, as `docker run --user` takes it. */
const userShape = /^[\w.][\w.-]*(:[\w.][\w.-]*)?$/

function refuse(where: string, what: Text, remedy: Text): never {
  return fail({ code: 'container-choice-unreadable', where, what, remedy })
}

/**
 * Refuses a choice that no container engine could take: FailureError `container-choice-unreadable`. Folders are of the
 * target's machine, so nothing is looked for here.
 */
export function checkContainerChoices(choices: ContainerChoices): void {
  for (const name of ['models', 'state', 'checkout'] as const) {
    const folder = choices[name]
    if (folder === undefined || posix.isAbsolute(folder) || win32.isAbsolute(folder)) continue
    refuse(
      name,
      {
        en: `The folder “${folder}” is not written from the root on, and the target’s machine has no “here”.`,
        zh: `文件夹“${folder}”不是绝对路径，而目标机器上没有“当前目录”。`
      },
      { en: 'Write the whole path, such as /srv/models.', zh: '请填写完整路径，例如 /srv/models。' }
    )
  }
  const { user, image } = choices
  if (user !== undefined && !userShape.test(user)) {
    refuse(
      'user',
      { en: `“${user}” is no user of a container.`, zh: `“${user}”不是有效的容器用户。` },
      {
        en: 'Write uid:gid, such as 1000:1000, or a name.',
        zh: '请填写 uid:gid（例如 1000:1000）或用户名。'
      }
    )
  }
  if (image !== undefined && (image.trim() === '' || /\s/.test(image))) {
    refuse(
      'image',
      { en: `“${image}” is no name of an image.`, zh: `“${image}”不是有效的镜像名称。` },
      { en: 'Write name:tag, or name@sha256:….', zh: '请填写 名称:标签，或 名称@sha256:…。' }
    )
  }
}

/** Where a Reef container finds its things: the choices that were made, else what `docker/README.md` of Reef uses. */
export async function containerPlaces(request: LaunchRequest): Promise<ContainerPlaces> {
  const chosen = request.container ?? {}
  return {
    image: chosen.image ?? 'reef',
    models: chosen.models ?? join(homedir(), 'models'),
    state: chosen.state ?? join(homedir(), 'reef-run'),
    checkout: chosen.checkout ?? (await checkoutOf(request.recipe)),
    gpus: chosen.gpus ?? null,
    shmBytes: chosen.shmBytes ?? null,
    user: chosen.user ?? null
  }
}

/** What a compose file does not say itself, or says by a variable. */
const composeTakes: readonly (keyof ContainerChoices)[] = [
  'compose',
  'composeService',
  'models',
  'state',
  'checkout',
  'shmBytes',
  'user'
]

/** What a person calls each choice. */
const CHOICE_NAMES: Record<keyof ContainerChoices, Text> = {
  image: { en: 'image', zh: '镜像' },
  models: { en: 'model folder', zh: '模型目录' },
  state: { en: 'state folder', zh: '状态目录' },
  checkout: { en: 'checkout', zh: '检出目录' },
  gpus: { en: 'GPUs', zh: 'GPU' },
  shmBytes: { en: 'size of /dev/shm', zh: '/dev/shm 的大小' },
  user: { en: 'user', zh: '用户' },
  compose: { en: 'compose file', zh: 'compose 文件' },
  composeService: { en: 'compose service', zh: 'compose 服务' }
}

/** Says when choices for a container were made for a stack that takes none, rather than dropping them silently. */
export function unusedChoices(plan: Plan, choices: ContainerChoices | undefined): Text[] {
  const made = ContainerChoices.keyof().options.filter((name) => choices?.[name] !== undefined)
  const takes: readonly (keyof ContainerChoices)[] =
    plan.image === null || plan.practice
      ? []
      : plan.nexrl
        ? ['image']
        : plan.compose
          ? composeTakes
          : made
  const taken = made.filter((name) => takes.includes(name))
  const unused = made.filter((name) => !taken.includes(name))
  if (unused.length === 0) return []
  const names = {
    en: unused.map((name) => CHOICE_NAMES[name].en).join(', '),
    zh: unused.map((name) => CHOICE_NAMES[name].zh).join('、')
  }
  return [
    plan.image === null
      ? {
          en: `This stack runs without a container: ${names.en} is not used.`,
          zh: `该运行栈不使用容器，以下选择不起作用：${names.zh}。`
        }
      : {
          en: `This stack’s container does not take ${names.en}: that choice is not used.`,
          zh: `该运行栈的容器不接受以下选择，它们不起作用：${names.zh}。`
        }
  ]
}
