import type { Plan } from '../../contract/launch'
import type { Text } from '../../contract/text'
import type { ComposeFacts } from './compose-facts'
import { CHECKOUT, RUN_FOLDER, throughMounts } from './mounts'

/** The second compose file of an attempt: beside its logs. */
export function composeOverride({ run, attempt }: { run: string; attempt: number }): string {
  return `${run}/logs/attempt-${attempt}/compose.json`
}

/** What a person should know of a start that the file alone would not make. */
function notesOf({ file, service }: ComposeFacts, handed: readonly string[]): Text[] {
  return [
    {
      en: `${file} starts it, service “${service.name}”, with a second file that names this run and this recipe, hands over ${handed.join(', ')} and takes a restart policy away.`,
      zh: `由 ${file} 的服务“${service.name}”启动，并附加第二个文件：标明本次运行与配方，传入 ${handed.join('、')}，并去掉重启策略。`
    }
  ]
}

/**
 * The plan of a Reef container as the checkout's own compose file has it: image, mounts, network, memory, GPUs and the
 * file's own environment are the file's; recipe, overrides and what we add go into a second file. Pure.
 */
export function composed(
  plan: Omit<Plan, 'shell'>,
  compose: ComposeFacts,
  chosen: { recipe: string; shmBytes: number | null; user: string | null }
): Omit<Plan, 'shell'> {
  const { service, file, tool, places } = compose
  const inside = throughMounts(chosen.recipe, service.mounts)
  const folder = chosen.recipe.replace(/[\\/][^\\/]*$/, '')
  const name = chosen.recipe.slice(folder.length + 1)
  const added =
    inside === null ? [{ host: folder, container: '/workspace/recipe', readOnly: true }] : []
  const config = inside ?? `/workspace/recipe/${name}`
  const [reef = 'reef', serve = 'serve', flag = '-c', , ...flags] = plan.argv
  // What the file gives itself stands there; the packages of the checkout are found without being told.
  const asked = plan.environment.filter((one) => !service.given.includes(one.name))
  const handed = asked.map((one) => one.name)
  const known = new Set(handed)
  const others = service.variables.filter((one) => !known.has(one))
  const user = chosen.user ?? service.user
  const { user: _user, ...rest } = plan
  void _user
  return {
    ...rest,
    argv: [reef, serve, flag, config, ...flags],
    cwd: CHECKOUT,
    mounts: [...service.mounts, ...added],
    environment: [...asked, ...others.map((one) => ({ name: one, value: null }))],
    gpus: { ...plan.gpus, devices: service.gpus },
    image: service.image,
    network: service.network,
    shmBytes: chosen.shmBytes ?? service.shmBytes,
    ...(user === null ? {} : { user }),
    notes: [...plan.notes, ...notesOf(compose, handed)],
    compose: {
      tool,
      file,
      version: service.version,
      service: service.name,
      variables: places,
      override: composeOverride({ run: RUN_FOLDER, attempt: 1 }),
      handed,
      added
    }
  }
}
