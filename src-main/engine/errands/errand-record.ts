import { readdir, readFile, rm } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { Errand } from '../../contract/errands'
import { errorCode, writeFileAtomic } from '../lib'
import { processStart } from '../targets'

/** An errand under way, with whose work it is. The file goes when it has ended before everybody's eyes. */
const Record = z.object({
  version: z.literal(1),
  errand: Errand,
  pid: z.number().int(),
  startTime: z.string()
})

function fileOf(log: string): string {
  return log.replace(/\.log$/, '.json')
}

/** Writes down that an errand has begun. */
export async function keepErrand(errand: Errand): Promise<void> {
  const startTime = (await processStart(process.pid)) ?? ''
  const record = { version: 1, errand, pid: process.pid, startTime }
  await writeFileAtomic(fileOf(errand.log), `${JSON.stringify(record)}\n`)
}

/** Its end was told. */
export async function forgetErrand({ log }: Errand): Promise<void> {
  await rm(fileOf(log), { force: true })
}

/** Errands of a home whose engine ended before they did, newest first, with what they had said. Their records go. */
export async function takeCutErrands(home: string): Promise<{ errand: Errand; said: string[] }[]> {
  const folder = join(home, 'errands')
  let names: string[]
  try {
    names = (await readdir(folder)).filter((name) => name.endsWith('.json'))
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return []
    throw cause
  }
  const cut: { errand: Errand; said: string[] }[] = []
  for (const name of names) {
    const record = parsed(await readFile(join(folder, name), 'utf8'))
    // A command in another terminal has errands of its own in this home.
    if (record !== null && (await processStart(record.pid)) === record.startTime) continue
    await rm(join(folder, name), { force: true })
    if (record === null) continue
    const { errand } = record
    // The folder may have been moved since.
    const log = join(folder, errand.log.slice(dirname(errand.log).length + 1))
    cut.push({ errand: { ...errand, log }, said: await linesOf(log) })
  }
  return cut.sort((a, b) => b.errand.startedAt - a.errand.startedAt)
}

function parsed(text: string): z.infer<typeof Record> | null {
  try {
    const read = Record.safeParse(JSON.parse(text))
    return read.success ? read.data : null
  } catch {
    // Cut while it was written: there was no errand yet.
    return null
  }
}

async function linesOf(log: string): Promise<string[]> {
  try {
    return (await readFile(log, 'utf8')).split('\n').slice(0, -1)
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return []
    throw cause
  }
}
