import type { Clock } from '../lib'
import type { FileAccess } from '../targets'
import { isTrackerFile } from './importers'
import type { IngestSource } from './model'

/** Milliseconds between two searches: on another machine each is a journey. */
const SEARCH_EVERY = 30_000
const DEEPEST = 5
const MOST_FOLDERS = 200
/** Folders of weights and samples, which are large and hold no numbers. */
const PASSED_OVER =
  /^(?:checkpoints?|iter_\d+|release_?\d*|hf|weights|adapters?|debug|\.git|node_modules)$/

/** Finds the TensorBoard and W&B files that a stack writes below its folders. */
export class TrackerFinder {
  private found: IngestSource[] = []
  private searchedAt = Number.NEGATIVE_INFINITY

  constructor(
    private readonly where: {
      files: FileAccess
      folders: readonly string[]
      attempt: number
      clock: Clock
    }
  ) {}

  /** The files known by now; looks for new ones now and then, and at once when `now` is set. */
  async find(now = false): Promise<readonly IngestSource[]> {
    const ticks = this.where.clock.ticks()
    if (!now && ticks - this.searchedAt < SEARCH_EVERY) return this.found
    this.searchedAt = ticks
    const { files, folders, attempt } = this.where
    const paths = new Set<string>()
    for (const folder of folders) for (const path of await below(files, folder)) paths.add(path)
    this.found = [...paths].sort().map((path) => ({
      id: `${String(attempt)}/${path}`,
      attempt,
      path,
      files,
      role: 'tracker'
    }))
    return this.found
  }
}

async function below(files: FileAccess, root: string): Promise<string[]> {
  const found: string[] = []
  let level = [root]
  let looked = 0
  for (let depth = 0; depth < DEEPEST && level.length > 0; depth++) {
    const next: string[] = []
    for (const folder of level) {
      if (++looked > MOST_FOLDERS) return found
      for (const { kind, name } of (await files.list(folder)) ?? []) {
        if (kind === 'file' && isTrackerFile(name)) found.push(`${folder}/${name}`)
        else if (kind === 'directory' && !PASSED_OVER.test(name)) next.push(`${folder}/${name}`)
      }
    }
    level = next
  }
  return found
}
