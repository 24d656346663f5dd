import { bytesOf, gpusOf } from '@contract/container-text'
import type { ContainerChoices } from '@contract/launch'

/** The choices for a container as they stand in their fields. */
export type ContainerTexts = Readonly<Record<keyof ContainerChoices, string>>

export const noContainerTexts: ContainerTexts = {
  image: '',
  models: '',
  state: '',
  checkout: '',
  gpus: '',
  shmBytes: '',
  user: '',
  compose: '',
  composeService: ''
}

const TYPED = [
  ...(['image', 'models', 'state', 'checkout', 'user'] as const),
  ...(['compose', 'composeService'] as const)
]

/** True when something is typed as a size that is none. */
export function hasWrongSize({ shmBytes }: ContainerTexts): boolean {
  return shmBytes.trim() !== '' && bytesOf(shmBytes) === null
}

/** The choices that were made; empty fields take the default that the plan shows. Null when none was made. */
export function containerChoicesOf(texts: ContainerTexts): ContainerChoices | null {
  const choices: ContainerChoices = {}
  for (const name of TYPED) {
    const typed = texts[name].trim()
    if (typed !== '') choices[name] = typed
  }
  const gpus = gpusOf(texts.gpus)
  if (gpus !== null) choices.gpus = gpus
  const shmBytes = bytesOf(texts.shmBytes)
  if (shmBytes !== null) choices.shmBytes = shmBytes
  return Object.keys(choices).length === 0 ? null : choices
}
