import { createHash } from 'node:crypto'
import { readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { processStart } from '../targets'
import { thisHost } from './host-identity'

/** `.new-<machine>-<pid>-<start>-<run>`: who makes it stands in the name, so that what a dead one left can be told. */
const NAME = /^\.new-([0-9a-f]+)-(\d+)-([0-9a-f]{12})-/

/** Where run folders are put together before they are moved into place whole. Their names are no run ids. */
export class Nursery {
  constructor(private readonly runs: string) {}

  /** The folder in which this process puts a run together. It does not exist yet. */
  async place(id: string): Promise<string> {
    const { id: machine } = await thisHost()
    const start = await startMark(process.pid)
    return join(this.runs, `.new-${machine}-${process.pid}-${start ?? '0'.repeat(12)}-${id}`)
  }

  /** Removes what processes of this machine left that are no more. Nothing ever ran from there. */
  async clear(): Promise<void> {
    const { id: machine } = await thisHost()
    for (const name of await readdir(this.runs)) {
      const [, where, pid, start] = NAME.exec(name) ?? []
      if (where !== machine || start === (await startMark(Number(pid)))) continue
      await rm(join(this.runs, name), { recursive: true, force: true })
    }
  }
}

async function startMark(pid: number): Promise<string | null> {
  const start = await processStart(pid)
  return start === null ? null : createHash('sha256').update(start).digest('hex').slice(0, 12)
}
