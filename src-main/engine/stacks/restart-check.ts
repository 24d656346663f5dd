import { listCheckpoints } from '../checkpoints'
import { judgeRestartInPlace, markerStatus, readDiskRows } from '../releases'
import type { FileAccess } from '../targets'

/** Where an attempt keeps what a restart goes on from. */
interface Storage {
  checkpointDir: string
  recordDir: string | null
  scenarios: readonly string[]
}

/** The job of the newest training commit on disk; null when no log names one. */
async function headJob(
  files: FileAccess,
  { recordDir, scenarios }: Storage
): Promise<string | null> {
  if (recordDir === null) return null
  let newest: { at: number; job: string } | null = null
  for (const scenario of scenarios) {
    const read = await readDiskRows({ files, recordFolder: recordDir, scenario, repository: null })
    for (const { trainingJobId, recordedAt } of read?.rows ?? [])
      if (trainingJobId !== null && (recordedAt ?? 0) >= (newest?.at ?? 0))
        newest = { at: recordedAt ?? 0, job: trainingJobId }
  }
  return newest?.job ?? null
}

/** The checkpoints of a root, and whether the newest of them can be started from where it lies. */
export async function checkpointsAndRestart(files: FileAccess, storage: Storage) {
  const { newestRecord, ...catalogue } = await listCheckpoints(files, storage.checkpointDir)
  const { marker, tracker } = catalogue
  const restart = judgeRestartInPlace({
    marker: marker === null ? null : { ...marker, status: markerStatus(marker.status) },
    tracker,
    newestRecord,
    headJobId: await headJob(files, storage)
  })
  return { ...catalogue, restart }
}
