import { basename, join } from 'node:path'
import { redactor, type Clock } from '../lib'
import { LogBook, type BookSource } from '../logs'
import type { RunRecord } from '../runs'
import { companionsFolder, findLogSources, type RunService } from '../stacks'
import type { FileAccess } from '../targets'

interface Options {
  runs: RunService
  clock: Clock
  secret: (name: string) => Promise<string | null>
  /** What tells for each log of a run the milliseconds to add to its stamps, which carry no time zone. */
  zones: (run: string) => Promise<(source: string) => number>
}

/** The logs of runs, for reading: every attempt's services and its launcher, redacted as they are read. */
export class LogReaders {
  private readonly books = new Map<string, Promise<LogBook>>()

  constructor(private readonly options: Options) {}

  /** The book of a run, its sources as they are now. */
  async of(run: string): Promise<LogBook> {
    const opening = this.books.get(run) ?? this.open(run)
    this.books.set(run, opening)
    opening.catch(() => this.books.delete(run))
    const book = await opening
    book.setSources(await this.sources(run))
    return book
  }

  private async open(run: string): Promise<LogBook> {
    const { runs, secret } = this.options
    const record = await runs.store.read(run)
    const names = record.attempts.flatMap(({ plan }) =>
      plan.environment.flatMap(({ name, value }) => (value === null ? [name] : []))
    )
    names.push(...record.companions.flatMap(({ environment }) => environment))
    const values = await Promise.all([...new Set(names)].map(secret))
    return new LogBook({
      redact: redactor(values.flatMap((value) => value ?? [])),
      cacheFolder: join(runs.paths(run).logs, 'index')
    })
  }

  private async sources(run: string): Promise<BookSource[]> {
    const { runs, clock, zones } = this.options
    const [record, target, zoneOf] = await Promise.all([
      runs.store.read(run),
      runs.targetOf(run),
      zones(run)
    ])
    const found = await Promise.all(
      record.attempts.map(async (attempt) => {
        const { handle, number, runDir, plan } = attempt
        const attemptFolder = runs.paths(run).attempt(number)
        return findLogSources({
          files: target.files,
          runDir,
          handle,
          attempt: number,
          attemptFolder,
          companions: companionsFolder(attempt, attemptFolder),
          nexrl: plan.nexrl !== undefined,
          clock
        })
      })
    )
    const imported = importedLogs(record, target.files)
    return [...imported, ...found.flat()].map(({ id, attempt, path, files }) => ({
      id,
      attempt,
      service: id.slice(id.indexOf('/') + 1),
      path,
      files,
      zone: zoneOf(id)
    }))
  }
}

/** Logs a record was made of, where they still stand. */
function importedLogs(
  { imported }: RunRecord,
  files: FileAccess
): Pick<BookSource, 'id' | 'attempt' | 'path' | 'files'>[] {
  return (imported?.files ?? [])
    .filter(({ format }) => format === 'log')
    .map(({ path }) => ({ id: `1/${basename(path)}`, attempt: 1, path, files }))
}
