import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { deflateSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import {
  compareTrees,
  diffFile,
  isHarnessRow,
  readGitTree,
  readRemoteTree,
  rowFacts,
  servedTree
} from '../../../../src-main/engine/harness'
import { parseLoose } from '../../../../src-main/engine/harness/git-objects'
import { parseTree } from '../../../../src-main/engine/harness/remote-tree'
import type { HarnessTree } from '../../../../src-main/engine/harness'
import { localFiles } from '../../../../src-main/engine/targets'

// Each git command is a process of its own, which takes its time on a busy machine.
vi.setConfig({ testTimeout: 60_000 })

let root: string
let repository: string

const identity = { ...process.env }
for (const who of ['AUTHOR', 'COMMITTER']) {
  identity[`GIT_${who}_NAME`] = 'test'
  identity[`GIT_${who}_EMAIL`] = 'test@localhost'
}

function git(args: readonly string[], input: string | Buffer = ''): string {
  const options = { input, env: identity }
  return execFileSync('git', [`--git-dir=${repository}`, ...args], options)
    .toString()
    .trim()
}

/** A release in the layout of an artifact repository: a commit with a manifest and its files. */
function publish(files: Readonly<Record<string, string | Buffer>>): string {
  const index = join(root, `index-${Math.random()}`)
  const env = { ...identity, GIT_INDEX_FILE: index }
  for (const [path, content] of Object.entries({ 'reef-artifact.json': '{}', ...files })) {
    const id = git(['hash-object', '-w', '--stdin'], content)
    const add = ['update-index', '--add', '--cacheinfo', `100644,${id},${path}`]
    execFileSync('git', [`--git-dir=${repository}`, ...add], { env })
  }
  const tree = execFileSync('git', [`--git-dir=${repository}`, 'write-tree'], { env })
  return git(['commit-tree', tree.toString().trim(), '-m', 'release'])
}

beforeAll(() => {
  root = mkdtempSync(join(tmpdir(), 'slipway-harness-'))
  repository = join(root, 'artifacts.git')
  execFileSync('git', ['init', '--bare', '-q', repository])
})

afterAll(() => {
  rmSync(root, { recursive: true, force: true })
})

describe('harness trees of an artifact repository', () => {
  it('are read whole, without the manifest, and compared file by file', async () => {
    const pointer = 'version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 9\n'
    const before = publish({
      'AGENTS.md': 'one\ntwo\nthree\n',
      'skills/a b.md': 'old\n',
      'same.txt': 'x\n'
    })
    const after = publish({
      'AGENTS.md': 'one\n2\nthree\n',
      'same.txt': 'x\n',
      '工具.json': '{}\n',
      'blob.bin': Buffer.from([0, 1, 2]),
      'large.bin': pointer
    })
    const [old, now] = [await readGitTree(repository, before), await readGitTree(repository, after)]
    if (old === null || now === null) throw new Error('not read')
    expect([...old.keys()]).toEqual(['AGENTS.md', 'same.txt', 'skills/a b.md'])
    expect(now.get('blob.bin')).toMatchObject({ bytes: 3, text: null })
    expect(now.get('large.bin')?.text).toBeNull()
    const files = await compareTrees(old, now)
    expect(files.map(({ path, change, added, removed }) => [path, change, added, removed])).toEqual(
      [
        ['AGENTS.md', 'changed', 1, 1],
        ['blob.bin', 'added', null, null],
        ['large.bin', 'added', null, null],
        ['skills/a b.md', 'removed', 0, 1],
        ['工具.json', 'added', 1, 0],
        ['same.txt', 'same', 0, 0]
      ]
    )
    const { lines, cut } = await diffFile(old, now, 'AGENTS.md')
    expect(cut).toBe(false)
    expect(lines?.map(({ sign, text }) => sign + text)).toEqual([
      '@-1,3 +1,3',
      ' one',
      '-two',
      '+2',
      ' three'
    ])
  })

  it('are absent without git, repository or release, and no release id is an option', async () => {
    const release = publish({ a: 'a' })
    expect(await readGitTree(join(root, 'nowhere.git'), release)).toBeNull()
    expect(await readGitTree(repository, 'f'.repeat(40))).toBeNull()
    expect(await readGitTree(repository, '--output=/tmp/x')).toBeNull()
    expect(await readGitTree(repository, release, join(root, 'no-git'))).toBeNull()
  })

  it('are the same when read through the file access of another machine, loose or packed', async () => {
    const release = publish({
      'AGENTS.md': 'one\n',
      'skills/deep/a b.md': 'two\n',
      '工具.json': '{}\n',
      'blob.bin': Buffer.from([0, 1, 2]),
      empty: ''
    })
    const here = await readGitTree(repository, release)
    expect(here?.size).toBe(5)
    const files = localFiles()
    const noGit = join(root, 'no-git')
    const sorted = (tree: HarnessTree | null): unknown => [...(tree ?? [])].sort()
    expect(sorted(await readRemoteTree(files, repository, release, noGit))).toEqual(sorted(here))
    git(['update-ref', 'refs/reef/head', release])
    git(['repack', '-a', '-d', '-q'])
    const half = publish({ 'AGENTS.md': 'one\n', 'new.md': 'three\n' })
    expect(sorted(await readRemoteTree(files, repository, release))).toEqual(sorted(here))
    expect(sorted(await readRemoteTree(files, repository, half))).toEqual(
      sorted(await readGitTree(repository, half))
    )
    // Packed, and no git here to read the packs with: no files rather than half of them.
    expect(await readRemoteTree(files, repository, half, noGit)).toBeNull()
    expect(await readRemoteTree(files, repository, 'f'.repeat(40))).toBeNull()
    expect(await readRemoteTree(files, repository, '../../etc/passwd')).toBeNull()
    expect(await readRemoteTree(files, join(root, 'nowhere.git'), release)).toBeNull()
  })

  it('refuse damaged objects', async () => {
    expect(await parseLoose(Buffer.from('not deflated'))).toBeNull()
    expect(await parseLoose(deflateSync(Buffer.from('blob 9\0short')))).toBeNull()
    expect(await parseLoose(deflateSync(Buffer.from('blob 5\0right')))).toMatchObject({
      kind: 'blob'
    })
    expect(await parseLoose(deflateSync(Buffer.alloc(17 * 1024 * 1024)))).toBeNull()
    expect(parseTree(Buffer.from('100644 torn\0abc'), 20)).toEqual([])
  })

  it('compare alike whether read from disk or given by the service', async () => {
    const files = { 'AGENTS.md': 'one\n', 'b.md': 'two\n' }
    const disk = await readGitTree(repository, publish(files))
    const { tree, setup } = servedTree({ files, requires: ['gh', { name: 'KEY', kind: 'env' }] })
    if (disk === null) throw new Error('not read')
    expect((await compareTrees(disk, tree)).map(({ change }) => change)).toEqual(['same', 'same'])
    expect(setup).toEqual([
      { name: 'gh', kind: null, check: null },
      { name: 'KEY', kind: 'env', check: null }
    ])
  })
})

describe('rows of harness recipes', () => {
  it('say verdict, request, proposal, mutations, notes and setup', () => {
    const facts = rowFacts({
      selected: false,
      selection: { reason: 'lost', policy: 'paired' },
      wins: 0,
      losses: 2,
      ties: 1,
      candidate_score: 2,
      current_score: 3,
      interval_lower: -1.5,
      interval_upper: 0.1,
      mutation: { op: 'edit', id: 'm1', options: {} },
      proposal: { id: 'p1', session: 's', release_id: 'r', reason: 'too long' },
      training_request: { id: 'q', text: 'shorter', requires: [{ name: 'gh', kind: 'service' }] },
      proposal_notes: { design: 'd', review: '', undeclared_env: ['A', 'B'], empty: null }
    })
    expect(facts).toEqual({
      verdict: {
        selected: false,
        reason: 'lost',
        policy: 'paired',
        wins: 0,
        losses: 2,
        ties: 1,
        candidate: 2,
        current: 3,
        interval: [-1.5, 0.1]
      },
      proposal: { id: 'p1', reason: 'too long' },
      request: { id: 'q', text: 'shorter', client: null },
      mutations: [{ op: 'edit', id: 'm1' }],
      notes: [
        { name: 'design', text: 'd' },
        { name: 'undeclared_env', text: 'A, B' }
      ],
      setup: [{ name: 'gh', kind: 'service', check: null }]
    })
  })

  it('are told from those of weights, read in older words, and survive what is not of their form', () => {
    expect(isHarnessRow({ 'train/loss': 1, selected: true })).toBe(false)
    expect(isHarnessRow({ mutations: [] })).toBe(true)
    expect(rowFacts({ verdict: 'no effect', selected: false }).verdict).toMatchObject({
      selected: false,
      reason: 'no effect'
    })
    const odd = rowFacts({
      selection: 7,
      mutations: 'x',
      proposal: [],
      proposal_notes: 'y',
      wins: 'z'
    })
    expect(odd).toEqual({
      verdict: null,
      proposal: null,
      request: null,
      mutations: [],
      notes: [],
      setup: []
    })
  })
})
