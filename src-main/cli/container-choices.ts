import { resolve } from 'node:path'
import type { Command } from 'commander'
import { bytesOf, gpusOf } from '../contract/container-text'
import type { ContainerChoices } from '../contract/launch'
import { fail } from '../engine/lib'
import type { EngineClient } from './engine-client'

/** What `slipway launch` takes for a stack in a container. Paths are on the target's machine. */
export interface ContainerFlags {
  image?: string
  models?: string
  state?: string
  checkout?: string
  gpus?: string
  shmSize?: string
  user?: string
  compose?: string
  composeService?: string
}

export function addContainerFlags(command: Command): Command {
  return command
    .option('--image <name>', 'container: name or digest of an image on the target')
    .option('--models <folder>', 'container: folder of the models on the target’s machine')
    .option('--state <folder>', 'container: folder there for what the stack keeps')
    .option('--checkout <folder>', 'container: folder there of the Reef checkout')
    .option('--gpus <list>', 'container: indices or ids with commas between, or none; default all')
    .option('--shm-size <size>', 'container: size of /dev/shm, such as 64g; default 32g')
    .option('--compose <file>', 'container: compose file to start it with, or its folder')
    .option('--compose-service <name>', 'container: service of that file; default the only one')
    .option('--user <uid:gid>', 'container: who it runs as; default the image’s own user')
}

/** Bytes of `--shm-size`; undefined when it was not given. FailureError `container-choice-unreadable`. */
function shmBytesOf(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  return (
    bytesOf(text) ??
    fail({
      code: 'container-choice-unreadable',
      where: '--shm-size',
      what: { en: `“${text}” is no size.`, zh: `“${text}”不是有效的大小。` },
      remedy: { en: 'For example --shm-size 32g.', zh: '例如 --shm-size 32g。' }
    })
  )
}

/**
 * Refuses a compose file for a target that starts no containers, where nobody would read it.
 * @throws FailureError `container-choice-unreadable`
 */
export async function refuseComposeElsewhere(
  engine: EngineClient,
  { compose, target }: Pick<ContainerFlags, 'compose'> & { target: string }
): Promise<void> {
  if (compose === undefined) return
  const found = (await engine.targets.list()).find(({ spec }) => spec.id === target)
  if (found === undefined || found.spec.kind === 'docker') return
  fail({
    code: 'container-choice-unreadable',
    where: '--compose',
    what: {
      en: `“${target}” starts processes, not containers: it has no use for a compose file.`,
      zh: `“${target}”启动的是进程而非容器，用不上 compose 文件。`
    },
    remedy: {
      en: 'Name a container engine with --target; “slipway targets” lists them.',
      zh: '请用 --target 指定容器引擎；“slipway targets”可列出。'
    }
  })
}

/** The choices that were made, or nothing: what is left out takes the default that the plan shows. */
export function containerChoices(flags: ContainerFlags): { container?: ContainerChoices } {
  const { image, models, state, checkout, user, compose, composeService } = flags
  // An unset variable in a script takes no GPU rather than all of them.
  const gpus = flags.gpus === undefined ? null : flags.gpus.trim() === '' ? [] : gpusOf(flags.gpus)
  const shmBytes = shmBytesOf(flags.shmSize)
  const container: ContainerChoices = {
    ...(image === undefined ? {} : { image }),
    ...(models === undefined ? {} : { models }),
    ...(state === undefined ? {} : { state }),
    ...(checkout === undefined ? {} : { checkout }),
    ...(gpus === null ? {} : { gpus }),
    ...(shmBytes === undefined ? {} : { shmBytes }),
    ...(user === undefined ? {} : { user }),
    ...(compose === undefined ? {} : { compose: resolve(compose) }),
    ...(composeService === undefined ? {} : { composeService })
  }
  return Object.keys(container).length === 0 ? {} : { container }
}
