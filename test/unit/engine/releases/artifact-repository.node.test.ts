import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  gitArtifactRepository,
  scenarioRef
} from '../../../../src-main/engine/releases/artifact-repository'

// A real repository, laid out as Reef does: one commit a release, its facts in reef-artifact.json, heads under refs/reef.
let folder: string
let base: string
let head: string

function git(...args: string[]): string {
  const author = ['-c', 'user.name=test', '-c', 'user.email=test@localhost']
  return execFileSync('git', ['-C', folder, ...author, ...args], { encoding: 'utf8' }).trim()
}

function release(facts: Record<string, unknown>): string {
  writeFileSync(join(folder, 'reef-artifact.json'), JSON.stringify(facts))
  git('add', '.')
  git('commit', '-q', '-m', 'release')
  return git('rev-parse', 'HEAD')
}

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'slipway-artifacts-'))
  git('init', '-q')
  base = release({ content_id: 'ck-base', parent_release_id: null })
  head = release({ artifact_id: 'ck-head', parent_version: base })
  git('update-ref', 'refs/reef/base', base)
  git('update-ref', scenarioRef('algebra day'), head)
})

afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
})

it('reads base, head and any release, by the old and the new names of its fields', async () => {
  const repository = gitArtifactRepository(join(folder, '.git'))
  expect(await repository.base()).toEqual({
    releaseId: base,
    contentId: 'ck-base',
    parentReleaseId: null
  })
  const ofHead = { releaseId: head, contentId: 'ck-head', parentReleaseId: base }
  expect(await repository.head('algebra day')).toEqual(ofHead)
  expect(await repository.resolve(head)).toEqual(ofHead)
})

it('knows nothing where there is nothing, and takes no option for a release id', async () => {
  const repository = gitArtifactRepository(join(folder, '.git'))
  expect(await repository.head('nobody')).toBeNull()
  expect(await repository.resolve('--upload-pack=x')).toBeNull()
  expect(await gitArtifactRepository(join(folder, 'absent')).base()).toBeNull()
})
