import { resolve } from 'node:path'
import type { Command } from 'commander'
import { bytesOf, gpusOf } from '../contract/container-text'
import type { ContainerChoices } from '../contract/launch'
import { fail } from '../engine/lib'

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
