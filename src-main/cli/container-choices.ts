import type { Command } from 'commander'
import type { ContainerChoices } from '../contract/launch'

/** What `slipway launch` takes for a stack in a container. Paths are on the target's machine. */
export interface ContainerFlags {
  image?: string
  models?: string
  state?: string
  checkout?: string
  gpus?: string
}

export function addContainerFlags(command: Command): Command {
  return command
    .option('--image <name>', 'container: name or digest of an image on the target')
    .option('--models <folder>', 'container: folder of the models on the target’s machine')
    .option('--state <folder>', 'container: folder there for what the stack keeps')
    .option('--checkout <folder>', 'container: folder there of the Reef checkout')
    .option('--gpus <list>', 'container: indices or ids with commas between, or none; default all')
}

/** `0,2` as a list; `none` and an empty text as no GPU at all. */
function gpuList(text: string): string[] {
  const names = text.split(',').map((name) => name.trim())
  return names.filter((name) => name !== '' && name !== 'none')
}

/** The choices that were made, or nothing: what is left out takes the default that the plan shows. */
export function containerChoices({ image, models, state, checkout, gpus }: ContainerFlags): {
  container?: ContainerChoices
} {
  const container: ContainerChoices = {
    ...(image === undefined ? {} : { image }),
    ...(models === undefined ? {} : { models }),
    ...(state === undefined ? {} : { state }),
    ...(checkout === undefined ? {} : { checkout }),
    ...(gpus === undefined || gpus === 'all' ? {} : { gpus: gpuList(gpus) })
  }
  return Object.keys(container).length === 0 ? {} : { container }
}
