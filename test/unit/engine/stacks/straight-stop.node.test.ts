import { mkdtemp, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { RunStore } from '../../../../src-main/engine/runs'
import { runPaths } from '../../../../src-main/engine/runs/run-store'
import { stopStraight } from '../../../../src-main/engine/stacks/straight-stop'
import type { Target } from '../../../../src-main/engine/targets'

const full = Object.assign(new Error('no space left on device'), { code: 'ENOSPC' })

/** A run of a full disk whose target counts what is sent to the stack. */
function running(folder: string) {
  const sent: string[] = []
  const attempt = { number: 2, state: { kind: 'serving', since: 1 }, stopAsked: null, handle: {} }
  const store = {
    read: () => Promise.resolve({ target: { id: 'local' }, attempts: [attempt] }),
    paths: () => runPaths(folder)
  } as unknown as RunStore
  const target = {
    askToStop: () => Promise.resolve(void sent.push('ask')),
    kill: () => Promise.resolve(void sent.push('kill'))
  } as unknown as Target
  const stop = (force: boolean) =>
    stopStraight(full, { run: 'r', force }, store, () => Promise.resolve(target))
  return { sent, stop, attempt }
}

async function makeFolder(): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-straight-'))
  onTestFinished(() => rm(folder, { recursive: true }))
  return folder
}

it('sends one signal however often a stop is asked for on a full disk, whoever asks', async () => {
  const folder = await makeFolder()
  const first = running(folder)
  expect((await first.stop(false)).en).toContain('was asked to end. The disk is full')
  const second = running(folder)
  const said = await second.stop(false)
  expect(said.en).toContain('nothing was sent to it again')
  expect(said.zh).toContain('未再次发送信号')
  const { mtime, size } = await stat(join(folder, 'stop-asked-2'))
  expect(said.en).toContain(mtime.toISOString())
  expect(size).toBe(0)
  expect([first.sent, second.sent]).toEqual([['ask'], []])
  await second.stop(true)
  expect(second.sent).toEqual(['kill'])
})

it('sends none where the record says already that it was asked', async () => {
  const { sent, stop, attempt } = running(await makeFolder())
  Object.assign(attempt, { stopAsked: { at: 0, deadline: 1, force: false } })
  expect((await stop(false)).en).toContain('1970-01-01T00:00:00.000Z')
  expect(sent).toEqual([])
})
