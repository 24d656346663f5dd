import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { z } from 'zod'

const run = promisify(execFile)

/** What an artifact repository says of one release. */
export interface ArtifactFacts {
  releaseId: string
  contentId: string
  parentReleaseId: string | null
}

/** The part of an artifact repository that the chain needs. Absent answers are null: the chain is read without them. */
export interface ArtifactRepository {
  resolve(releaseId: string): Promise<ArtifactFacts | null>
  /** The release scenarios start from. */
  base(): Promise<ArtifactFacts | null>
  /** The head of a scenario. */
  head(scenario: string): Promise<ArtifactFacts | null>
}

const Manifest = z.looseObject({
  content_id: z.string().nullish(),
  artifact_id: z.string().nullish(),
  parent_release_id: z.string().nullish(),
  parent_version: z.string().nullish()
})

/** Ref name of a scenario's head: url-safe base64 of its name without padding. */
export function scenarioRef(scenario: string): string {
  return `refs/reef/scenarios/${Buffer.from(scenario, 'utf8').toString('base64url')}`
}

const OBJECT_NAME = /^[0-9a-f]{40}(?:[0-9a-f]{24})?$/

/** Never a pager, a prompt, a hook or a helper program: the repository is only looked at. */
const quietly = [
  '-c',
  'core.fsmonitor=false',
  '-c',
  'core.hooksPath=/dev/null',
  '-c',
  'safe.directory=*'
]

/**
 * Reads a bare artifact repository on this machine with the `git` command. Without git, or where the folder is no
 * repository, every answer is null. Public source of the layout: `reef/artifact/git_backend.py`.
 */
export function gitArtifactRepository(folder: string, git = 'git'): ArtifactRepository {
  const ask = async (...args: string[]): Promise<string | null> => {
    try {
      const { stdout } = await run(git, [...quietly, `--git-dir=${folder}`, ...args], {
        env: { ...process.env, GIT_TERMINAL_PROMPT: '0', GIT_OPTIONAL_LOCKS: '0' },
        maxBuffer: 16 * 1024 * 1024,
        timeout: 20_000
      })
      return stdout
    } catch {
      // No git, no repository, no such object: the same to the caller, who goes on without.
      return null
    }
  }
  const describe = async (rev: string): Promise<ArtifactFacts | null> => {
    const sha = (await ask('rev-parse', '--verify', '--quiet', `${rev}^{commit}`))?.trim()
    if (sha === undefined || !OBJECT_NAME.test(sha)) return null
    const text = await ask('cat-file', 'blob', `${sha}:reef-artifact.json`)
    const manifest = text === null ? null : parseManifest(text)
    return manifest === null ? null : { releaseId: sha, ...manifest }
  }
  return {
    resolve: async (releaseId) => (OBJECT_NAME.test(releaseId) ? describe(releaseId) : null),
    base: () => describe('refs/reef/base'),
    head: (scenario) => describe(scenarioRef(scenario))
  }
}

function parseManifest(text: string): Omit<ArtifactFacts, 'releaseId'> | null {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return null
  }
  const parsed = Manifest.safeParse(value)
  if (!parsed.success) return null
  return {
    contentId: parsed.data.content_id ?? parsed.data.artifact_id ?? '',
    parentReleaseId: parsed.data.parent_release_id ?? parsed.data.parent_version ?? null
  }
}
