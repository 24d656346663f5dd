import { mkdtemp, rm, stat } from 'node:fs/promises'
import { createConnection } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { FailureError } from '../../../../src-main/engine/lib'
import { type Act, ActServer, sendAct, socketAddress } from '../../../../src-main/engine/runs'

let home: string
let server: ActServer
let address: string
let heard: Act[]

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-door-'))
  address = await socketAddress(home)
  heard = []
  server = await ActServer.listen(address, 'the-key', (act) => {
    heard.push(act)
    if (act.kind === 'stop' && act.force) {
      throw new FailureError({ code: 'no', what: { en: 'not now', zh: '现在不行' } })
    }
    return Promise.resolve({ releaseId: 'r-1' })
  })
})

afterEach(async () => {
  await server.close()
  await rm(home, { recursive: true })
})

it('carries an act over and its result back', async () => {
  const act: Act = { kind: 'update', run: 'a', change: { notes: 'zwei\nZeilen 两行' } }
  expect(await sendAct({ socket: address, key: 'the-key' }, act)).toEqual({ releaseId: 'r-1' })
  expect(heard).toEqual([act])
})

it('carries the failure of the other side back unchanged', async () => {
  await expect(
    sendAct({ socket: address, key: 'the-key' }, { kind: 'stop', run: 'a', force: true })
  ).rejects.toMatchObject({ failure: { code: 'no', what: { zh: '现在不行' } } })
})

it('does nothing without the key', async () => {
  await expect(
    sendAct({ socket: address, key: 'guess' }, { kind: 'restart', run: 'a' })
  ).rejects.toMatchObject({ failure: { code: 'wrong-key' } })
  expect(heard).toEqual([])
})

it('answers nonsense with a failure and stays up', async () => {
  const reply = await new Promise<string>((resolve) => {
    const socket = createConnection(address, () => socket.write('nonsense\n'))
    socket.once('data', (data) => {
      resolve(data.toString())
      socket.end()
    })
  })
  expect(JSON.parse(reply)).toMatchObject({ ok: false })
  await sendAct({ socket: address, key: 'the-key' }, { kind: 'restart', run: 'a' })
})

it('says when the writer does not answer', async () => {
  await expect(
    sendAct({ socket: join(home, 'none.sock'), key: 'k' }, { kind: 'restart', run: 'a' })
  ).rejects.toMatchObject({ failure: { code: 'writer-gone' } })
})

it('is the owner’s alone, and short enough for every system', async () => {
  expect((await stat(address)).mode & 0o777).toBe(0o600)
  const deep = await socketAddress(join(home, 'x'.repeat(120)))
  expect(Buffer.byteLength(deep)).toBeLessThan(100)
})
