import { commandWords } from '@contract/command-words'
import type { Companion } from '@contract/launch'

/** A command that makes traffic, as it stands in its fields. */
export interface CompanionDraft extends Omit<
  Companion,
  'command' | 'environment' | 'image' | 'name'
> {
  name: string
  /** One line, as it would be typed at a terminal. */
  command: string
  image: string
  /** Names with spaces or commas between. */
  environment: string
}

export const newCompanion: CompanionDraft = {
  name: '',
  command: '',
  where: 'process',
  image: '',
  environment: '',
  startWhenServing: true,
  stopWithRun: true,
  restart: 'on-failure'
}

/** A companion as the engine takes it; null while its name, its command or its image is missing. */
function companionOf(draft: CompanionDraft): Companion | null {
  const command = commandWords(draft.command)
  const [name, image] = [draft.name.trim(), draft.image.trim()]
  if (name === '' || command === null || command.length === 0) return null
  const own = draft.where === 'own-container'
  if (own && image === '') return null
  const { where, startWhenServing, stopWithRun, restart } = draft
  return {
    name,
    command,
    where,
    startWhenServing,
    stopWithRun,
    restart,
    environment: draft.environment.split(/[\s,，、]+/).filter((each) => each !== ''),
    ...(own ? { image } : {})
  }
}

/** Those that are finished. */
export function companionsOf(drafts: readonly CompanionDraft[]): Companion[] {
  return drafts.flatMap((draft) => companionOf(draft) ?? [])
}

/** What a companion lacks to be started. */
export type CompanionLack = 'name' | 'command' | 'quote' | 'image'

/** What the first unfinished companion lacks; null when all are finished. */
export function lackOf(drafts: readonly CompanionDraft[]): CompanionLack | null {
  const draft = drafts.find((one) => companionOf(one) === null)
  if (draft === undefined) return null
  if (draft.name.trim() === '') return 'name'
  const command = commandWords(draft.command)
  if (command === null) return 'quote'
  return command.length === 0 ? 'command' : 'image'
}
