import type { FileAccess } from '../targets'
import { type GitObjects, remoteObjects } from './git-objects'
import { isHarnessFile, OBJECT_NAME, textOf } from './git-tree'
import type { HarnessTree, TreeFile } from './tree'

/** Files and folders of a tree that are read; a harness is a few texts. */
const MOST_FILES = 2_000
const DEEPEST = 32

/** Entries of a tree object: mode, a space, name, a NUL, the id as `bytes` bytes. */
export function parseTree(
  content: Buffer,
  bytes: number
): { mode: string; name: string; id: string }[] {
  const entries: { mode: string; name: string; id: string }[] = []
  for (let at = 0; at < content.length;) {
    const end = content.indexOf(0, at)
    if (end < 0 || end + 1 + bytes > content.length) break
    const [mode, ...name] = content.toString('utf8', at, end).split(' ')
    const id = content.toString('hex', end + 1, end + 1 + bytes)
    if (mode !== undefined && name.length > 0) entries.push({ mode, name: name.join(' '), id })
    at = end + 1 + bytes
  }
  return entries
}

interface Walk {
  objects: GitObjects
  idBytes: number
  files: Map<string, TreeFile>
}

/** False where the tree could not be read whole: half a harness would look like removed files. */
async function walk(
  { objects, idBytes, files }: Walk,
  tree: string,
  path: string,
  depth: number
): Promise<boolean> {
  if (depth > DEEPEST) return false
  const found = await objects.read(tree)
  if (found === null || found === 'too-large' || found.kind !== 'tree') return false
  for (const { mode, name, id } of parseTree(found.bytes, idBytes)) {
    const inner = path === '' ? name : `${path}/${name}`
    if (mode === '40000') {
      if (!(await walk({ objects, idBytes, files }, id, inner, depth + 1))) return false
      continue
    }
    // A submodule (160000) is a commit of another repository, and no file of this one.
    if (mode === '160000' || !isHarnessFile(inner)) continue
    if (files.size >= MOST_FILES) return true
    const blob = await objects.read(id)
    if (blob === null) return false
    const bytes = blob === 'too-large' ? undefined : blob.bytes
    files.set(inner, { bytes: bytes?.length ?? 0, id, text: textOf(bytes) })
  }
  return true
}

/**
 * The files of a release in a bare artifact repository on another machine. Null without the repository, or for a release
 * it does not hold whole. Public source of the layout: `reef/artifact/git_backend.py`.
 */
export async function readRemoteTree(
  files: FileAccess,
  folder: string,
  releaseId: string,
  git = 'git'
): Promise<HarnessTree | null> {
  if (!OBJECT_NAME.test(releaseId)) return null
  const objects = remoteObjects(files, folder, git)
  try {
    const commit = await objects.read(releaseId)
    if (commit === null || commit === 'too-large') return null
    const tree = /^tree ([0-9a-f]+)\n/.exec(commit.bytes.toString('latin1'))?.[1]
    if (commit.kind !== 'commit' || tree === undefined) return null
    const found: Walk = { objects, idBytes: releaseId.length / 2, files: new Map() }
    return (await walk(found, tree, '', 0)) ? found.files : null
  } finally {
    await objects.dispose()
  }
}
