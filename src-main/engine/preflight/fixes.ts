import { mkdir, rm } from 'node:fs/promises'
import { basename, extname } from 'node:path'
import type { LaunchRequest } from '../../contract/launch'
import type { PreflightFix } from '../../contract/preflight'
import type { RecipeCheck } from '../../contract/recipes'
import { fail, FailureError } from '../lib'
import { copyRoot, planExportCopy } from '../checkpoints'
import { applyEdits, type RecipeLibrary } from '../recipes'
import type { CopyStart } from '../stacks'
import type { FileAccess } from '../targets'
import { withValues } from './copy-offer'
import type { Leftover } from './launch-context'

const MOST_COPIES = 50

export interface FixSurroundings {
  library: Pick<RecipeLibrary, 'read' | 'save' | 'create'>
  /** The recipe as it is in its file, without this launch's overrides: edits count from there. */
  check: (path: string) => Promise<RecipeCheck>
  /** Ended containers of ours on the launch's target, and how one is removed. */
  leftovers: (
    request: LaunchRequest
  ) => Promise<{ found: readonly Leftover[]; remove: (id: string) => Promise<void> }>
  /** How the launch could begin from a copy; null where it cannot. */
  copyStart: (request: LaunchRequest) => Promise<CopyStart | null>
  /** Files of this machine: only there a copy is made. */
  files: FileAccess
}

/**
 * Does what one click may do and gives the launch as it is afterwards. A shipped recipe is never changed: the edit is
 * made in a copy, and the launch goes on with that. Throws FailureError when the fix does not apply any more.
 */
export async function applyFix(
  request: LaunchRequest,
  fix: PreflightFix,
  surroundings: FixSurroundings
): Promise<LaunchRequest> {
  switch (fix.kind) {
    case 'override': {
      const others = request.overrides.filter(({ path }) => path !== fix.path)
      return { ...request, overrides: [...others, { path: fix.path, value: fix.value }] }
    }
    case 'make-folder':
      await mkdir(fix.path, { recursive: true })
      return request
    case 'edit':
      return edited(request, fix, surroundings)
    case 'remove-leftover':
      await removeLeftovers(fix.what, await surroundings.leftovers(request))
      return request
    case 'start-from-copy':
      return fromCopy(request, fix.to, surroundings)
  }
}

/** Copies what the fix named, and nothing else that may have become the newest meanwhile. */
async function fromCopy(
  request: LaunchRequest,
  to: string,
  { copyStart, files }: FixSurroundings
): Promise<LaunchRequest> {
  const start = await copyStart(request)
  if (start?.to !== to)
    return fail({
      code: 'fix-gone',
      what: {
        en: 'There is nothing to copy to that folder any more.',
        zh: '已无法复制到该目录。'
      },
      remedy: { en: 'Run preflight again.', zh: '请重新预检。' },
      where: to
    })
  const plan = await planExportCopy(files, start.root, start.name)
  const { signal } = new AbortController()
  try {
    await copyRoot(plan, to, signal)
  } catch (thrown) {
    // Half a copy is nobody's; a folder that was there before is not ours.
    const there = thrown instanceof FailureError && thrown.failure.code === 'copy-target'
    if (!there) await rm(to, { recursive: true, force: true })
    throw thrown
  }
  return { ...request, overrides: withValues(request.overrides, start.overrides) }
}

/** Only what is still provably ours and dead: the list is made anew, whatever the click was about. */
async function removeLeftovers(
  what: string,
  { found, remove }: Awaited<ReturnType<FixSurroundings['leftovers']>>
): Promise<void> {
  const wanted = new Set(what.split(','))
  const ids = found.flatMap(({ id }) => (wanted.has(id) ? [id] : []))
  if (ids.length === 0)
    return fail({
      code: 'fix-gone',
      what: { en: 'There is nothing of ours to remove any more.', zh: '已没有可清理的残留。' },
      remedy: { en: 'Run preflight again.', zh: '请重新预检。' },
      where: what
    })
  for (const id of ids) await remove(id)
}

async function edited(
  request: LaunchRequest,
  fix: Extract<PreflightFix, { kind: 'edit' }>,
  { library, check }: FixSurroundings
): Promise<LaunchRequest> {
  const findings = (await check(request.recipe)).findings.filter(
    (one) => one.rule === fix.rule && one.file === undefined
  )
  const found = findings.find((one) => one.fix?.title.en === fix.title.en)
  if (found?.fix === undefined)
    return fail({
      code: 'fix-gone',
      what: { en: 'The recipe no longer has this mistake.', zh: '配方中已没有该问题。' },
      where: request.recipe,
      remedy: { en: 'Run preflight again.', zh: '请重新预检。' }
    })
  const before = await library.read(request.recipe)
  const recipe = before.readOnly ? await copyOf(library, before.path) : before.path
  const file = await library.read(recipe)
  await library.save({
    path: recipe,
    text: applyEdits(file.text, found.fix.edits),
    modified: file.modified
  })
  return { ...request, recipe }
}

async function copyOf(library: FixSurroundings['library'], from: string): Promise<string> {
  const stem = basename(from, extname(from))
  for (let number = 1; ; number += 1) {
    const name = number === 1 ? `${stem}-mended` : `${stem}-mended-${number}`
    try {
      return (await library.create({ from, name })).path
    } catch (thrown) {
      // Only a name that is taken is worth another try.
      const taken = thrown instanceof FailureError && thrown.failure.code === 'already-exists'
      if (!taken || number === MOST_COPIES) throw thrown
    }
  }
}
