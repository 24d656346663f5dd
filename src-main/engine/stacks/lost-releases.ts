import type { Text } from '../../contract/text'
import { type Clock, FailureError } from '../lib'
import type { AttemptRecord, ReleaseRow, RunRecord } from '../runs'
import type { FileAccess } from '../targets'
import type { EventText } from './attempt-journal'
import { ReleaseReader } from './release-reader'

/** Whether rows of a run's releases were kept once, by what the run itself says. Pure. */
export function hadReleases({ seen }: Pick<RunRecord, 'seen'>): boolean {
  return seen.served !== null
}

/** Said of a chain whose kept file is gone. */
export const lostNote: Text = {
  en: 'The file that keeps the releases of this run (releases.jsonl) is gone. What is shown was read from the commit logs of the stack; what these do not hold is lost.',
  zh: '保存该运行各版本的文件（releases.jsonl）已不存在。所示内容读自运行栈的提交日志；日志中没有的内容已丢失。'
}

/** Told when a file that was taken away while its run is watched is written anew. */
export function rewritten(rows: number): EventText {
  return {
    kind: 'releases-rewritten',
    text: {
      en: `The file that keeps the releases (releases.jsonl) was gone; its ${rows} rows were written anew from memory.`,
      zh: `保存各版本的文件（releases.jsonl）曾经消失；已根据内存重新写入 ${rows} 行。`
    },
    data: { severity: 'warning', rows }
  }
}

/** Told when it was gone before anybody watched. `rows`: what the logs of earlier folders gave back. */
export function restored(rows: number): EventText {
  return {
    kind: 'releases-restored',
    text: {
      en: `The file that keeps the releases (releases.jsonl) was gone. They are read again from the service, and ${rows} rows of earlier folders from their commit logs; what these do not hold is lost.`,
      zh: `保存各版本的文件（releases.jsonl）已不存在。将从服务重新读取，并已从早先目录的提交日志读回 ${rows} 行；其中没有的内容已丢失。`
    },
    data: { severity: 'warning', rows }
  }
}

/** One attempt for each storage, in the order they were begun. */
function storages(attempts: readonly AttemptRecord[]): AttemptRecord[] {
  const byStorage = new Map(attempts.map((attempt) => [attempt.storage, attempt]))
  return [...byStorage.values()]
}

/**
 * The release rows of these attempts as the commit logs on disk tell them. What cannot be read, because folders are gone
 * or away, is left out. Writes nothing.
 */
export async function rowsFromLogs(
  attempts: readonly AttemptRecord[],
  scenarios: readonly string[],
  files: () => Promise<FileAccess>,
  clock: Clock
): Promise<ReleaseRow[]> {
  const rows: ReleaseRow[] = []
  for (const { number: attempt, storage, recordDir } of storages(attempts)) {
    if (recordDir === null) continue
    const append = (): Promise<void> => Promise.resolve()
    const reader = new ReleaseReader({ attempt, storage, clock, known: [], append })
    try {
      for (const scenario of scenarios) await reader.readLog(await files(), recordDir, scenario)
    } catch (cause) {
      if (!(cause instanceof FailureError)) throw cause
    }
    rows.push(...reader.rows)
  }
  return rows
}
