import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { watch } from 'node:fs'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import {
  companionPlaces,
  companionWords,
  exitCodeIn,
  sharedFolder,
  SIGNAL,
  STILL_RUNS
} from '../../../../src-main/engine/stacks/companion-script'
import type { AttemptRecord } from '../../../../src-main/engine/runs'

describe.skipIf(process.platform !== 'linux')('the shell line of a companion', () => {
  let root: string
  let places: { folder: string; log: string }
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'slipway-companion-'))
    places = companionPlaces(root, 'agent', 1)
  })
  afterEach(() => rm(root, { recursive: true, force: true }))

  /** In a session of its own, as the engine starts it. */
  function start(...command: string[]): ChildProcess {
    const [program = '', ...words] = companionWords('stack-container', places, command)
    return spawn(program, words, { detached: true, stdio: 'ignore' })
  }

  const ask = (script: string, ...more: string[]): number | null =>
    spawnSync('/bin/sh', ['-c', script, 'sh', places.folder, ...more]).status

  /** Resolves when the log says so. */
  async function said(word: string): Promise<void> {
    const watcher = watch(root)
    const grown = async (): Promise<string> => readFile(places.log, 'utf8').catch(() => '')
    try {
      // Listened for before it is read: what changes in between would be missed for good.
      for (let changed = once(watcher, 'change'); ; changed = once(watcher, 'change')) {
        if ((await grown()).includes(word)) return
        await changed
      }
    } finally {
      watcher.close()
    }
  }

  it('keeps output, words and exit code as they are', async () => {
    const child = start('sh', '-c', 'echo "$1"; echo "$2" >&2; exit 7', 'x', 'a "b" $c', '-n; ls')
    expect(await once(child, 'exit')).toEqual([7, null])
    expect(await readFile(places.log, 'utf8')).toBe('a "b" $c\n-n; ls\n')
    expect(exitCodeIn(await readFile(join(places.folder, 'exit'), 'utf8'))).toBe(7)
    expect(ask(STILL_RUNS)).toBe(1)
  })

  it('says in its log that there is no such command', async () => {
    expect(await once(start('no-such-command'), 'exit')).toEqual([127, null])
    expect(await readFile(places.log, 'utf8')).toContain('not found')
  })

  it('hands a signal to everything it started, once, and writes how that took it', async () => {
    const handler = 'trap "echo asked; exit 5" TERM; echo ready; while :; do wait; sleep 600 & done'
    const child = start('sh', '-c', handler)
    await said('ready')
    expect(ask(STILL_RUNS)).toBe(0)
    expect(ask(SIGNAL, 'TERM')).toBe(0)
    expect(await once(child, 'exit')).toEqual([5, null])
    expect(await readFile(places.log, 'utf8')).toBe('ready\nasked\n')
    expect(await readFile(join(places.folder, 'exit'), 'utf8')).toBe('5\n')
    expect(ask(SIGNAL, 'TERM')).toBe(1)
  })

  it('is killed with everything it started, and leaves no word of its end', async () => {
    const child = start('sh', '-c', 'trap "" TERM; echo ready; while :; do sleep 600; done')
    await said('ready')
    expect(ask(SIGNAL, 'KILL')).toBe(0)
    expect(await once(child, 'exit')).toEqual([null, 'SIGKILL'])
    await expect(stat(join(places.folder, 'exit'))).rejects.toMatchObject({ code: 'ENOENT' })
    expect(ask(STILL_RUNS)).toBe(1)
  })

  it('takes another process with the same pid for another one', async () => {
    const child = start('sh', '-c', 'echo ready; read -r never; sleep 600')
    await said('ready')
    const other = spawnSync('/bin/sh', [
      ...['-c', 'read -r pid began < "$1/pid"; echo "$pid 1$began" > "$1/pid"'],
      ...['sh', places.folder]
    ])
    expect(other.status).toBe(0)
    expect(ask(STILL_RUNS)).toBe(1)
    expect(ask(SIGNAL, 'KILL')).toBe(1)
    expect(child.exitCode).toBeNull()
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL')
    await once(child, 'exit')
  })
})

describe('the folder that stack and companions share', () => {
  const attempt = (mounts: AttemptRecord['plan']['mounts']) =>
    ({ plan: { mounts }, runDir: '/srv/state/run' }) as Pick<AttemptRecord, 'plan' | 'runDir'>
  const folder = '/home/lin/slipway/runs/r1/logs/attempt-2'
  const state = { host: '/srv/state', container: '/var/lib/reef', readOnly: false }

  it('is the attempt’s own where the container has it', () => {
    const mount = { host: '/home/lin/slipway/runs/r1', container: '/run/slipway', readOnly: false }
    expect(sharedFolder(attempt([state, mount]), folder)).toEqual({
      host: folder,
      inside: '/run/slipway/logs/attempt-2',
      mount
    })
  })

  it('is beside the services’ logs elsewhere, by run and attempt', () => {
    expect(sharedFolder(attempt([state]), folder)).toEqual({
      host: '/srv/state/run/companions/r1/attempt-2',
      inside: '/var/lib/reef/run/companions/r1/attempt-2',
      mount: state
    })
  })

  it('is none where nothing of the machine can be written', () => {
    expect(sharedFolder(attempt([{ ...state, readOnly: true }]), folder)).toBeNull()
  })
})

it.each([
  ['0\n', 0],
  ['137\n', 137],
  ['13', null],
  ['', null]
])('%j as the text of an exit file', (text, code) => {
  expect(exitCodeIn(text)).toBe(code)
})
