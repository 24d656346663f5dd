import type { HarnessDiff, HarnessFile } from '../../contract/release-detail'

/** A file of a harness: its text, or null where it is none (binary, kept elsewhere, too large). */
export interface TreeFile {
  bytes: number
  text: string | null
  /** Same id, same content; null where the source gives none. */
  id: string | null
}

/** The files of one release by path. */
export type HarnessTree = ReadonlyMap<string, TreeFile>

/** Lines of a difference that are handed on. */
const MOST_LINES = 4_000
/** Characters of both texts together up to which lines are compared. */
const MOST_COMPARED = 2_000_000

function same(a: TreeFile, b: TreeFile): boolean {
  if (a.id !== null && b.id !== null) return a.id === b.id
  return a.text !== null && b.text !== null ? a.text === b.text : a.bytes === b.bytes
}

function changeOf(
  before: TreeFile | undefined,
  after: TreeFile | undefined
): HarnessFile['change'] {
  if (before === undefined) return 'added'
  if (after === undefined) return 'removed'
  return same(before, after) ? 'same' : 'changed'
}

async function linesOf(
  before: TreeFile | undefined,
  after: TreeFile | undefined
): Promise<HarnessDiff['lines']> {
  const [from, to] = [before, after].map((file) => (file === undefined ? '' : file.text))
  if (from === null || from === undefined || to === null || to === undefined) return null
  if (from.length + to.length > MOST_COMPARED) return null
  const { structuredPatch } = await import('diff')
  const { hunks } = structuredPatch('', '', from, to, '', '', { context: 3 })
  return hunks.flatMap((hunk) => [
    {
      sign: '@' as const,
      text: `-${hunk.oldStart},${hunk.oldLines} +${hunk.newStart},${hunk.newLines}`
    },
    ...hunk.lines.flatMap((line): NonNullable<HarnessDiff['lines']> => {
      const sign = line.charAt(0)
      // “\ No newline at end of file” is no line of either.
      return sign === ' ' || sign === '+' || sign === '-' ? [{ sign, text: line.slice(1) }] : []
    })
  ])
}

/** Every file of both trees, changed ones first, then by path. */
export async function compareTrees(
  before: HarnessTree | null,
  after: HarnessTree
): Promise<HarnessFile[]> {
  const paths = [...new Set([...(before?.keys() ?? []), ...after.keys()])].sort()
  const files = await Promise.all(
    paths.map(async (path): Promise<HarnessFile> => {
      const [old, now] = [before?.get(path), after.get(path)]
      const change = before === null ? 'same' : changeOf(old, now)
      const lines = change === 'same' ? [] : await linesOf(old, now)
      const count = (sign: string): number | null =>
        lines === null ? null : lines.filter((line) => line.sign === sign).length
      const bytes = now?.bytes ?? old?.bytes ?? 0
      return { path, bytes, change, added: count('+'), removed: count('-') }
    })
  )
  return [
    ...files.filter(({ change }) => change !== 'same'),
    ...files.filter(({ change }) => change === 'same')
  ]
}

/** One file of two trees as a unified difference; without a tree before, the whole file is new. */
export async function diffFile(
  before: HarnessTree | null,
  after: HarnessTree,
  path: string
): Promise<Pick<HarnessDiff, 'lines' | 'cut'>> {
  const lines = await linesOf(before?.get(path), after.get(path))
  return {
    lines: lines === null ? null : lines.slice(0, MOST_LINES),
    cut: lines !== null && lines.length > MOST_LINES
  }
}
