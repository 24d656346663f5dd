import {
  appendFile,
  copyFile,
  mkdtemp,
  readFile,
  rename,
  rm,
  truncate,
  writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { redactor, systemClock } from '../../../../src-main/engine/lib'
import { Ingest, openMetricStore, type MetricStore } from '../../../../src-main/engine/metrics'
import { localFiles } from '../../../../src-main/engine/targets'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
let path: string
let store: MetricStore

async function begin(): Promise<void> {
  folder = await mkdtemp(join(tmpdir(), 'slipway-rotation-'))
  path = join(folder, 'reef.log')
  store = await openMetricStore(join(folder, 'metrics'))
}

async function end(): Promise<void> {
  await store.close()
  await rm(folder, { recursive: true, force: true })
}

function ingestOf(): Ingest {
  const ingest = new Ingest({ store, redact: redactor([]), clock: systemClock })
  const files = localFiles(systemClock)
  ingest.setSources([{ id: '1/reef', attempt: 1, path, files, role: 'service' }])
  return ingest
}

async function readAll(ingest: Ingest): Promise<void> {
  while ((await ingest.poll()).behind > 0);
}

async function steps(): Promise<number[]> {
  const all: number[] = []
  for await (const { x } of store.samples('train/loss')) all.push(x)
  return all
}

async function kinds(): Promise<string[]> {
  return (await store.events()).map(({ kind }) => kind)
}

const line = (step: number): string =>
  `[2026-03-04 10:15:22] model.py:918 - step ${step}: {'train/loss': ${step / 10}, 'train/step': ${step}}\n`

const lines = (from: number, to: number): string => {
  let text = ''
  for (let step = from; step < to; step += 1) text += line(step)
  return text
}

describe('a rotated log', () => {
  beforeEach(begin)
  afterEach(end)

  it('that was moved aside is read to its end before the new one', async () => {
    const ingest = ingestOf()
    await writeFile(path, lines(0, 3))
    await readAll(ingest)
    await appendFile(path, lines(3, 5))
    await rename(path, `${path}.1`)
    await writeFile(path, '')
    // Its writer has not opened the new file yet.
    await appendFile(`${path}.1`, line(5))
    await readAll(ingest)
    await appendFile(`${path}.1`, line(6))
    await appendFile(path, lines(7, 9))
    await readAll(ingest)
    expect(await steps()).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8])
    expect(await kinds()).toEqual(['log-rotated'])
  })

  it('that was copied aside and cut loses nothing in between', async () => {
    const ingest = ingestOf()
    await writeFile(path, lines(0, 3))
    await readAll(ingest)
    await appendFile(path, lines(3, 6))
    await copyFile(path, `${path}.1`)
    await truncate(path, 0)
    await appendFile(path, line(6))
    await readAll(ingest)
    expect(await steps()).toEqual([0, 1, 2, 3, 4, 5, 6])
  })

  it('twice while nobody read is read in the order it was written, also by the next engine', async () => {
    await writeFile(path, lines(0, 2))
    await readAll(ingestOf())
    await appendFile(path, lines(2, 4))
    await rename(path, `${path}.1`)
    await writeFile(path, lines(4, 6))
    await rename(`${path}.1`, `${path}.2`)
    await rename(path, `${path}.1`)
    await writeFile(path, lines(6, 8))
    await readAll(ingestOf())
    expect(await steps()).toEqual([0, 1, 2, 3, 4, 5, 6, 7])
  })

  it('whose rest was packed meanwhile is read on in the packed file', async () => {
    const ingest = ingestOf()
    await writeFile(path, lines(0, 2))
    await readAll(ingest)
    await appendFile(path, line(2))
    await pack(path, `${path}.1.gz`)
    await writeFile(path, lines(3, 5))
    await readAll(ingest)
    expect(await steps()).toEqual([0, 1, 2, 3, 4])
    expect(await kinds()).toEqual(['log-rotated'])
  })

  it('of which nothing is left is said to be lost, and what another text was packed of is not taken for it', async () => {
    const ingest = ingestOf()
    await writeFile(path, lines(0, 2))
    await readAll(ingest)
    await writeFile(`${path}.1.gz`, gzipSync(lines(7, 9)))
    await rename(path, join(folder, 'aside'))
    await writeFile(path, lines(3, 5))
    await readAll(ingest)
    expect(await steps()).toEqual([0, 1, 3, 4])
    expect(await kinds()).toEqual(['log-replaced'])
  })

  it('is read from its oldest part by who comes late, packed ones and dated ones too', async () => {
    await writeFile(path, lines(0, 20_000))
    await pack(path, `${path}.3.gz`)
    await writeFile(path, lines(20_000, 20_003))
    await pack(path, `${path}.2.gz`)
    await writeFile(`${path}.1`, lines(20_003, 20_005))
    await writeFile(path, lines(20_005, 20_007))
    await readAll(ingestOf())
    expect(await steps()).toEqual(Array.from({ length: 20_007 }, (_, step) => step))
    const dated = join(folder, 'dated.log')
    await writeFile(`${dated}-20260314.gz`, gzipSync(lines(0, 2)))
    await writeFile(`${dated}-20260315`, lines(2, 4))
    await writeFile(dated, lines(4, 6))
    const files = localFiles(systemClock)
    const ingest = new Ingest({ store, redact: redactor([]), clock: systemClock })
    ingest.setSources([{ id: '2/reef', attempt: 2, path: dated, files, role: 'service' }])
    await readAll(ingest)
    expect((await steps()).slice(20_007)).toEqual([0, 1, 2, 3, 4, 5])
  })

  it('that is packed and cut off gives what can be unpacked', async () => {
    const whole = gzipSync(lines(0, 3000))
    await writeFile(`${path}.1.gz`, whole.subarray(0, whole.length / 2))
    await writeFile(path, lines(3000, 3002))
    await readAll(ingestOf())
    const read = await steps()
    expect(read.length).toBeGreaterThan(500)
    expect(read.slice(0, -2)).toEqual(read.slice(0, -2).map((_, step) => step))
    expect(read.slice(-2)).toEqual([3000, 3001])
    const told = (await store.events()).find(({ kind }) => kind === 'log-part-cut')
    expect([told?.severity, told?.line, told?.data['zh']]).toEqual([
      'warning',
      expect.stringContaining('reef.log.1.gz is cut short'),
      expect.stringContaining('不完整')
    ])
  })
})

/** As logrotate does: the packed file stands beside the text until it is whole. */
async function pack(from: string, to: string): Promise<void> {
  await writeFile(to, gzipSync(await readFile(from)))
  await rm(from)
  // Another inode than the one that has just become free.
  await writeFile(join(folder, `holds-an-inode-${Math.random()}`), '')
}

it('is read once and whole, however writing, rotating, reading and restarting are mixed', async () => {
  const act = fc.constantFrom('write', 'write', 'read', 'restart', 'move', 'copy', 'pack')
  await fc.assert(
    fc.asyncProperty(fc.array(act, { maxLength: 14 }), async (acts) => {
      await begin()
      try {
        let written = 0
        let ingest = ingestOf()
        const write = async (): Promise<void> => {
          await appendFile(path, lines(written, written + 3))
          written += 3
        }
        await write()
        await readAll(ingest)
        for (const one of acts) {
          if (one === 'write') await write()
          if (one === 'read') await readAll(ingest)
          if (one === 'restart') ingest = ingestOf()
          if (one === 'move' || one === 'copy' || one === 'pack') {
            // As logrotate numbers them; a reader has been there since the last time.
            await readAll(ingest)
            await write()
            await rm(`${path}.1`, { force: true })
            await rm(`${path}.1.gz`, { force: true })
            if (one === 'pack') await pack(path, `${path}.1.gz`)
            else if (one === 'move') await rename(path, `${path}.1`)
            else {
              await copyFile(path, `${path}.1`)
              await truncate(path, 0)
            }
            await write()
            await readAll(ingest)
          }
        }
        await readAll(ingest)
        expect(await steps()).toEqual(Array.from({ length: written }, (_, index) => index))
      } finally {
        await end()
      }
    }),
    { numRuns: 25 }
  )
})
