import type {
  HarnessDiff,
  HarnessRelease,
  ReleaseDetail,
  SetupItem
} from '../../contract/release-detail'
import type { Chain, Release } from '../../contract/releases'
import { fail, isObject, type Redactor } from '../lib'
import {
  compareTrees,
  diffFile,
  type HarnessTree,
  isHarnessRow,
  readGitTree,
  readRemoteTree,
  rowFacts,
  ServedHarness,
  servedTree
} from '../harness'
import { costOf } from '../releases'
import type { AttemptRecord, ReleaseRow, RunRecord } from '../runs'
import type { FileAccess } from '../targets'
import { isFinal } from './attempt-state'
import type { ReefClient } from './reef-client'

/** What the detail of a release is made from. */
export interface DetailSources {
  record: RunRecord
  chain: Chain
  rows: readonly ReleaseRow[]
  /** The stack's service; null when it does not serve. */
  client: ReefClient | null
  /**
   * Bare artifact repository of the attempt that made a release, and the files of the machine it lies on where that may
   * be another one; null where none is known.
   */
  repository: (
    attempt: AttemptRecord
  ) => Promise<{ folder: string; elsewhere: FileAccess | null } | null>
  redact: Redactor
}

/** Receipts that are named one by one. */
const MOST_RECEIPTS = 200

/** A harness tree, where it was read, and what it needs set up. */
interface Found {
  tree: HarnessTree
  from: 'service' | 'disk'
  setup: SetupItem[]
}

/** One release in full. What it learnt from is named by receipt only: the records are the service's to tell. */
export async function detailOfRelease(
  sources: DetailSources,
  step: number
): Promise<ReleaseDetail> {
  const release = releaseAt(sources.chain, step)
  const { record, chain } = sources
  const attempt = record.attempts.find(({ number }) => number === release.attempt)
  const making = attempt === undefined ? undefined : { ...attempt, gpus: attempt.plan.gpus.count }
  return {
    step,
    cost: costOf(release, chain.releases, making),
    learnt: {
      receipts: receiptsOf(sources, release).slice(0, MOST_RECEIPTS),
      records: null,
      why: null,
      scores: null
    },
    harness: await harnessOf(sources, release)
  }
}

/** A file of a harness release against the release it was made from. */
export async function harnessDiff(
  sources: DetailSources,
  step: number,
  path: string
): Promise<HarnessDiff> {
  const release = releaseAt(sources.chain, step)
  const base = baseOf(sources.chain, release)
  const [after, before] = await Promise.all([
    findTree(sources, release),
    base === null ? null : findTree(sources, base)
  ])
  const tree = after?.tree
  if (tree === undefined || !(tree.has(path) || before?.tree.has(path) === true))
    return fail({
      code: 'harness-file-unknown',
      what: {
        en: `r${step} has no file of this name, or its files cannot be read.`,
        zh: `r${step} 中没有该文件，或其文件无法读取。`
      },
      where: path
    })
  const { lines, cut } = await diffFile(before?.tree ?? null, tree, path)
  return {
    path,
    against: before === null ? null : (base?.step ?? null),
    lines: lines?.map(({ sign, text }) => ({ sign, text: sources.redact(text) })) ?? null,
    cut
  }
}

function releaseAt({ releases, scenario }: Chain, step: number): Release {
  const release = releases.find((one) => one.step === step)
  if (release !== undefined) return release
  return fail({
    code: 'release-unknown',
    what: { en: `There is no release r${step}.`, zh: `没有版本 r${step}。` },
    where: scenario
  })
}

/** What was served when this one was made. */
function baseOf({ releases }: Chain, { baseStep }: Release): Release | null {
  return baseStep === null ? null : (releases.find(({ step }) => step === baseStep) ?? null)
}

/** The raw row a release was read from. */
function rowOf({ record, rows, chain }: DetailSources, release: Release): ReleaseRow | undefined {
  const storage = record.attempts.find(({ number }) => number === release.attempt)?.storage
  return rows.find(
    (row) =>
      row.storage === storage && row.step === release.commitStep && row.scenario === chain.scenario
  )
}

function receiptsOf(sources: DetailSources, release: Release): string[] {
  const row = rowOf(sources, release)
  for (const said of [row?.commit, row?.row]) {
    const progress = said?.['record_progress']
    const within = isObject(progress) ? progress['consumed_ids'] : undefined
    const ids = said?.['consumed_ids'] ?? within
    if (Array.isArray(ids)) return ids.filter((id): id is string => typeof id === 'string')
  }
  return []
}

/** Whether a scenario releases a harness: some row says so, or, before the first, the service may have files. */
function mayBeHarness({ chain, record }: DetailSources): boolean {
  if (chain.releases.some(({ metrics }) => isHarnessRow(metrics))) return true
  return chain.releases.length === 1 && record.rollback === 'api' && !record.recipe.practice
}

async function harnessOf(sources: DetailSources, release: Release): Promise<HarnessRelease | null> {
  if (!mayBeHarness(sources)) return null
  const { redact, chain } = sources
  const facts = rowFacts(release.metrics)
  const shown = {
    ...facts,
    request: facts.request === null ? null : { ...facts.request, text: redact(facts.request.text) },
    notes: facts.notes.map(({ name, text }) => ({ name, text: redact(text) }))
  }
  const nothing = { files: null, against: null, from: null }
  switch (release.result) {
    case 'rejected':
    case 'skipped':
    case 'failed':
      return {
        ...shown,
        ...nothing,
        noFiles: {
          en: 'This step published nothing, so it has no files of its own.',
          zh: '这一步没有发布任何内容，因此没有自己的文件。'
        }
      }
    case 'published':
    case 'pending':
    case 'promoted':
    case 'selected':
      break
  }
  const found = await findTree(sources, release)
  if (found === null) {
    // A scenario whose first release shows no files is one that trains weights.
    if (!chain.releases.some(({ metrics }) => isHarnessRow(metrics))) return null
    return { ...shown, ...nothing, noFiles: unreadable }
  }
  const base = baseOf(chain, release)
  const before = base === null ? null : await findTree(sources, base)
  return {
    ...shown,
    setup: found.setup.length > 0 ? found.setup : shown.setup,
    files: await compareTrees(before?.tree ?? null, found.tree),
    noFiles: null,
    against: before === null ? null : (base?.step ?? null),
    from: found.from
  }
}

const unreadable = {
  en: 'Its files cannot be read: the stack does not serve, and its artifact repository is not in reach (or “git” is missing here).',
  zh: '无法读取其文件：运行栈未在服务，且其 artifact 仓库不可访问（或本机缺少“git”）。'
}

async function findTree(sources: DetailSources, release: Release): Promise<Found | null> {
  const { client, record, chain, repository } = sources
  const attempt = record.attempts.find(({ number }) => number === release.attempt)
  const last = record.attempts.at(-1)
  const here = attempt !== undefined && attempt.storage === last?.storage
  if (client !== null && here && last !== undefined && !isFinal(last.state)) {
    const route = `/reef/harness?release_id=${encodeURIComponent(release.releaseId)}`
    const headers = { 'x-reef-scenario': chain.scenario }
    const answer = await client.call('GET', route, ServedHarness, undefined, headers)
    if (answer.kind === 'ok') return { ...servedTree(answer.value), from: 'service' }
  }
  const place = attempt === undefined ? null : await repository(attempt)
  if (place === null) return null
  const { folder, elsewhere } = place
  const { releaseId } = release
  // A release id is the digest of its content: what carries it here is what carries it there.
  const tree =
    (await readGitTree(folder, releaseId)) ??
    (elsewhere === null ? null : await readRemoteTree(elsewhere, folder, releaseId))
  return tree === null ? null : { tree, from: 'disk', setup: [] }
}
