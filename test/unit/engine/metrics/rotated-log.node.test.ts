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

  it('whose rest was compressed is said to be lost, and the compressed file is not read as text', async () => {
    const ingest = ingestOf()
    await writeFile(path, lines(0, 2))
    await readAll(ingest)
    await appendFile(path, line(2))
    await writeFile(`${path}.1.gz`, gzipSync(await readFile(path)))
    await rename(path, join(folder, 'gone'))
    await rm(join(folder, 'gone'))
    // Another inode than the one that has just become free.
    await writeFile(join(folder, 'holds-the-inode'), '')
    await writeFile(path, lines(3, 5))
    await readAll(ingest)
    expect(await steps()).toEqual([0, 1, 3, 4])
    expect(await kinds()).toEqual(['log-replaced'])
  })
})

it('is read once and whole, however writing, rotating, reading and restarting are mixed', async () => {
  const act = fc.constantFrom('write', 'write', 'read', 'restart', 'move', 'copy')
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
          if (one === 'move' || one === 'copy') {
            // As logrotate numbers them; a reader has been there since the last time.
            await readAll(ingest)
            await write()
            await rm(`${path}.1`, { force: true })
            if (one === 'move') await rename(path, `${path}.1`)
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
