import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as wait } from 'node:timers/promises'
import { expect } from 'vitest'
import { redactor, systemClock } from '../../src-main/engine/lib'
import { Ingest, openMetricStore } from '../../src-main/engine/metrics'
import type { OutputGap, StackHandle, Target } from '../../src-main/engine/targets'
import { BUSYBOX, type TestEngine } from './own-engine'

/** Every so many lines of the service's file one is a measured step. */
const LINES_A_STEP = 500
const FILL = 'x'.repeat(80)

/** Prints numbered lines, and writes the same into a file, with a step among them now and then. */
const program = (lines: number): string =>
  [
    'BEGIN {',
    `  for (i = 1; i <= ${lines}; i++) {`,
    `    line = sprintf("%09d ${FILL}", i)`,
    `    if (i % ${LINES_A_STEP} == 0) line = sprintf("[2026-11-30 07:00:00] model.py:1 - step %d: {'train/loss': %d, 'train/step': %d}", i / ${LINES_A_STEP}, i, i / ${LINES_A_STEP})`,
    '    print line',
    '  }',
    '}'
  ].join('\n')

function expectedLine(i: number): string {
  if (i % LINES_A_STEP !== 0) return `${String(i).padStart(9, '0')} ${FILL}\n`
  const step = i / LINES_A_STEP
  return `[2026-11-30 07:00:00] model.py:1 - step ${step}: {'train/loss': ${i}, 'train/step': ${step}}\n`
}

function expectedDigest(lines: number): string {
  const hash = createHash('sha256')
  for (let i = 1; i <= lines; i += 1) hash.update(expectedLine(i))
  return hash.digest('hex')
}

async function digestOf(file: string): Promise<string> {
  const hash = createHash('sha256')
  const stream = createReadStream(file)
  stream.on('data', (piece) => hash.update(piece))
  await once(stream, 'end')
  return hash.digest('hex')
}

/** The first line of a file that is not the one that was written there, for whoever reads a failure. */
async function firstFault(file: string): Promise<string> {
  let number = 0
  for await (const line of createInterface({ input: createReadStream(file) })) {
    number += 1
    const wanted = expectedLine(number).trimEnd()
    if (line !== wanted)
      return `line ${number} is “${line.slice(0, 120)}”, not “${wanted.slice(0, 120)}”`
  }
  return `it ends after line ${number}`
}

async function expectWhole(file: string, wanted: string): Promise<void> {
  if ((await digestOf(file)) !== wanted) throw new Error(`${file}: ${await firstFault(file)}`)
}

/** Reads the service's file into a store while it grows, by one reader after the other. */
async function readSteps(
  file: string,
  folder: string,
  target: Target,
  wanted: number
): Promise<number[]> {
  let restarts = 0
  for (let last = -1; last !== wanted; restarts += 1) {
    const store = await openMetricStore(folder)
    const ingest = new Ingest({ store, redact: redactor([]), clock: systemClock })
    const source = { id: '1/service', attempt: 1, path: file, files: target.files }
    ingest.setSources([{ ...source, role: 'service' }])
    // A reader that has met many bytes is put down, and the next goes on from what is on disk.
    for (let polls = 0; polls < 4 && last !== wanted; polls += 1) {
      const { behind } = await ingest.poll()
      for await (const sample of store.samples('train/loss')) last = sample.value
      // The file has more soon; nothing tells when.
      if (behind === 0 && last !== wanted) await wait(50)
    }
    await store.close()
  }
  expect(restarts).toBeGreaterThan(1)
  const store = await openMetricStore(folder)
  try {
    const steps: number[] = []
    for await (const sample of store.samples('train/loss')) steps.push(sample.value)
    return steps
  } finally {
    await store.close()
  }
}

/** Copies a container's output with pauses until all of it is here. */
async function copyWithCuts(target: Target, handle: StackHandle, folder: string): Promise<void> {
  const gaps: OutputGap[] = []
  // Cut at moments that nothing chooses, then left alone.
  const cuts = [0, 0, 0].map(() => 300 + Math.random() * 700)
  for (let whole = false; !whole;) {
    const patience = cuts.shift() ?? null
    let stop = (): Promise<void> => Promise.resolve()
    await new Promise<void>((enough) => {
      stop = target.copyOutput(handle, {
        stdout: join(folder, 'stdout.log'),
        stderr: join(folder, 'stderr.log'),
        cursor: join(folder, 'output.cursor'),
        gap: (gap) => gaps.push(gap),
        ended: () => {
          whole = true
          enough()
        }
      })
      if (patience !== null) setTimeout(enough, patience)
    })
    await stop()
  }
  expect(gaps).toEqual([])
}

/**
 * Follows `bytes` of a service's file and as many of the container's own output to their ends, with readers that are
 * put down in between, and compares both with what was written.
 */
export async function followLargeOutput(
  engine: TestEngine,
  target: Target,
  folder: string,
  bytes: number
): Promise<void> {
  const lines = Math.round(bytes / (FILL.length + 11) / LINES_A_STEP) * LINES_A_STEP
  const state = join(folder, 'state')
  await mkdir(state)
  const handle = await target.start({
    runId: 'large',
    attempt: 1,
    cwd: '/',
    environment: {},
    secretNames: [],
    argv: [
      '/bin/sh',
      '-c',
      `awk '${program(lines).replace(/'/g, "'\\''")}' | tee /state/service.log`
    ],
    attemptFolder: folder,
    container: {
      image: BUSYBOX,
      gpus: 'none',
      hostNetwork: true,
      ports: [],
      ipcHost: false,
      shmBytes: null,
      user: null,
      mounts: [{ host: state, container: '/state', readOnly: false }]
    }
  })
  const file = join(state, 'service.log')
  const [steps] = await Promise.all([
    readSteps(file, join(folder, 'metrics'), target, lines),
    copyWithCuts(target, handle, folder)
  ])
  const wanted = expectedDigest(lines)
  await expectWhole(file, wanted)
  await expectWhole(join(folder, 'stdout.log'), wanted)
  expect(steps, 'steps read').toEqual(
    Array.from({ length: lines / LINES_A_STEP }, (_, index) => (index + 1) * LINES_A_STEP)
  )
  const id = handle.kind === 'container' ? handle.id : ''
  const counted = execFileSync(
    'sh',
    ['-c', `docker --host unix://${engine.socket} logs ${id} 2>/dev/null | wc -l`],
    { encoding: 'utf8' }
  )
  expect(Number(counted), 'lines of docker logs').toBe(lines)
  await target.remove(handle)
}
