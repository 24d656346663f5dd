import type { ImageFacts } from '../../contract/run'
import type { TargetStatus } from '../../contract/targets'
import { type Target, UnreachableError } from '../targets'
import type { TargetFacts } from './plan'

type PracticeContainer = Extract<TargetFacts, { kind: 'practice-container' }>

/** Name of the practice image where nobody can say the exact one yet. */
const SOME_PRACTICE_IMAGE = 'slipway-practice'

/** What is written in a mount should belong to whoever runs Slipway. Root inside a rootless engine already does. */
function userFor(target: Target, status: TargetStatus): string | null {
  const { spec } = target
  const uid = process.getuid?.() ?? 0
  const gid = process.getgid?.() ?? 0
  const here = spec.kind === 'docker' && (spec.via.kind === 'socket' || spec.via.kind === 'context')
  const facts = status.engineFacts
  if (!here || uid === 0 || process.platform !== 'linux') return null
  if (facts === undefined || facts.rootless || facts.engine === 'Docker Desktop') return null
  return `${uid}:${gid}`
}

async function referenceOn(target: Target): Promise<string> {
  try {
    return (await target.images?.practiceReference()) ?? SOME_PRACTICE_IMAGE
  } catch (cause) {
    // A plan can be shown while the engine is away; the launch asks again.
    if (cause instanceof UnreachableError) return SOME_PRACTICE_IMAGE
    throw cause
  }
}

/** What planning the practice stack in a container needs to know of the engine. Asks it; starts nothing. */
export async function practiceContainerFacts(
  target: Target
): Promise<Omit<PracticeContainer, 'ref' | 'insteadOfPort'>> {
  const status = await target.probe(new AbortController().signal)
  // Docker Desktop runs its containers in a machine of its own, whose network the host cannot reach.
  const network = status.engineFacts?.engine === 'Docker Desktop' ? 'published' : 'host'
  const user = userFor(target, status)
  return { kind: 'practice-container', image: await referenceOn(target), network, user }
}

/** Which image, by content, and which engine an attempt is started with; null when the engine has no such image. */
export async function imageFacts(target: Target, reference: string): Promise<ImageFacts | null> {
  const id = (await target.images?.find(reference)) ?? null
  if (id === null) return null
  const { engine, version } = await target.probe(new AbortController().signal)
  return { reference, id, engine, version }
}
