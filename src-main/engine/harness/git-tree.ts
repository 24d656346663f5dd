import { execFile, spawn } from 'node:child_process'
import { promisify } from 'node:util'
import type { HarnessTree, TreeFile } from './tree'

const run = promisify(execFile)

/** Files and bytes of a tree that are read; a harness is a few texts. */
const MOST_FILES = 2_000
const MOST_TEXT = 512 * 1024
const MOST_BYTES = 16 * 1024 * 1024
const PATIENCE_MS = 20_000

/** Name of a git object, which a release id is. */
export const OBJECT_NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/
/** The release's own description, which is no file of the harness. */
const MANIFEST = 'reef-artifact.json'
const KEPT_ELSEWHERE = 'version https://git-lfs.github.com/spec/'

/** Never a prompt, a hook or a helper program: the repository is only looked at. */
const quietly = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'safe.directory=*'
]

function environment(): NodeJS.ProcessEnv {
  return { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' }
}

interface Entry {
  path: string
  id: string
  bytes: number
}

/** Lines of `git ls-tree -r -l -z`: mode, type, id and size, a tab, the path. */
export function parseTreeList(text: string): Entry[] {
  return text.split('\0').flatMap((line) => {
    const found = /^\d+ blob ([0-9a-f]+) +(\d+)\t([^]+)$/.exec(line)
    const [, id, bytes, path] = found ?? []
    if (id === undefined || bytes === undefined || path === undefined) return []
    return !isHarnessFile(path) ? [] : [{ id, bytes: Number(bytes), path }]
  })
}

/** Everything of a release but its own description is a file of the harness. */
export const isHarnessFile = (path: string): boolean => path !== MANIFEST

interface GitObject {
  kind: string
  bytes: Buffer
}

/** Objects by id of what `git cat-file --batch` wrote: a header line each, the bytes, a line feed. */
export function parseBatch(bytes: Buffer): Map<string, GitObject> {
  const contents = new Map<string, GitObject>()
  let at = 0
  while (at < bytes.length) {
    const end = bytes.indexOf(10, at)
    if (end < 0) break
    const [id, kind, size] = bytes.toString('utf8', at, end).split(' ')
    at = end + 1
    const length = Number(size)
    if (id === undefined || kind === undefined || !Number.isInteger(length)) continue
    if (at + length > bytes.length) break
    contents.set(id, { kind, bytes: bytes.subarray(at, at + length) })
    at += length + 1
  }
  return contents
}

/** Text of a file; null where it is none, or lies in another store. */
export function textOf(bytes: Buffer | undefined): string | null {
  if (bytes === undefined || bytes.includes(0)) return null
  const text = bytes.toString('utf8')
  return text.startsWith(KEPT_ELSEWHERE) ? null : text
}

/** Objects of a repository on this machine by id; those it does not hold are absent. */
export async function gitBatch(
  git: string,
  folder: string,
  ids: readonly string[]
): Promise<Map<string, GitObject>> {
  const child = spawn(git, [...quietly, `--git-dir=${folder}`, 'cat-file', '--batch'], {
    env: environment(),
    stdio: ['pipe', 'pipe', 'ignore'],
    timeout: PATIENCE_MS
  })
  const parts: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => parts.push(part))
  const ended = new Promise<void>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', () => {
      resolve()
    })
  })
  // A git that is not there closes its input; its `error` says so.
  child.stdin.on('error', () => undefined)
  child.stdin.end(ids.map((id) => `${id}\n`).join(''))
  await ended
  return parseBatch(Buffer.concat(parts))
}

/**
 * The files of a release in a bare artifact repository on this machine, read with the `git` command. Null without git,
 * without the repository, or for a release it does not hold. Public source of the layout: `reef/artifact/git_backend.py`.
 */
export async function readGitTree(
  folder: string,
  releaseId: string,
  git = 'git'
): Promise<HarnessTree | null> {
  if (!OBJECT_NAME.test(releaseId)) return null
  let entries: Entry[]
  try {
    const { stdout } = await run(
      git,
      [...quietly, `--git-dir=${folder}`, 'ls-tree', '-r', '-l', '-z', '--full-tree', releaseId],
      { env: environment(), maxBuffer: 64 * 1024 * 1024, timeout: PATIENCE_MS }
    )
    entries = parseTreeList(stdout).slice(0, MOST_FILES)
  } catch {
    // No git, no repository, no such release: the same to the caller, who goes on without files.
    return null
  }
  let budget = MOST_BYTES
  const wanted = entries.filter(({ bytes }) => bytes <= MOST_TEXT && (budget -= bytes) >= 0)
  const contents = await gitBatch(git, folder, [...new Set(wanted.map(({ id }) => id))])
  return new Map(
    entries.map(({ path, id, bytes }): [string, TreeFile] => [
      path,
      { bytes, id, text: textOf(contents.get(id)?.bytes) }
    ])
  )
}
