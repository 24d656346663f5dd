import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer, type AddressInfo } from 'node:net'
import { createInterface } from 'node:readline'
import { afterEach, describe, expect, it } from 'vitest'
import {
  listeningInodes,
  PortWitness
} from '../../../../../src-main/engine/targets/process/port-owners'

const close: (() => unknown)[] = []

afterEach(async () => {
  for (const one of close.splice(0)) await one()
})

async function listenHere(port = 0): Promise<number> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  close.push(() => new Promise((done) => server.close(done)))
  return (server.address() as AddressInfo).port
}

/** A process of its own that listens; resolves with its pid and port. */
async function listenElsewhere(): Promise<{ pid: number; port: number }> {
  const child = spawn(process.execPath, [
    '-e',
    "require('net').createServer().listen(0, '127.0.0.1', function () { console.log(this.address().port) })"
  ])
  close.push(async () => {
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
  })
  const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
  return { pid: child.pid ?? 0, port: Number(line) }
}

describe.runIf(process.platform === 'linux')('whose service listens on a port', () => {
  it('is told by the socket a process holds', async () => {
    const [here, there] = [await listenHere(), await listenElsewhere()]
    const mine = new PortWitness(() => Promise.resolve([process.pid]))
    expect(await mine.look(here)).toBe('ours')
    expect(await mine.look(there.port)).toBe('foreign')
    const other = new PortWitness(() => Promise.resolve([there.pid]))
    expect(await other.look(there.port)).toBe('ours')
    expect(await other.look(here)).toBe('foreign')
  })

  it('is nobody’s when nothing listens, and not known without processes to ask', async () => {
    const port = await listenHere()
    expect(await new PortWitness(() => Promise.resolve([])).look(port)).toBe('unknown')
    for (const one of close.splice(0)) await one()
    expect(await new PortWitness(() => Promise.resolve([process.pid])).look(port)).toBe('nobody')
  })

  it('asks for the processes once while the same socket listens, and again for another one', async () => {
    const port = await listenHere()
    let asked = 0
    const witness = new PortWitness(() => {
      asked += 1
      return Promise.resolve([process.pid])
    })
    for (let look = 0; look < 3; look += 1) expect(await witness.look(port)).toBe('ours')
    expect(asked).toBe(1)
    for (const one of close.splice(0)) await one()
    await listenHere(port)
    expect(await witness.look(port)).toBe('ours')
    expect(asked).toBe(2)
  })
})

it('reads every listening socket of a table, and no other', () => {
  const row = (local: string, state: string, inode: number): string =>
    `   0: ${local} 00000000:0000 ${state} 00000000:00000000 00:00000000 00000000     0        0 ${inode} 1`
  const table = [
    '  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode',
    row('0100007F:22C4', '0A', 11),
    row('00000000:22C4', '0A', 12),
    row('0100007F:1F90', '01', 13)
  ].join('\n')
  expect([...listeningInodes(table)]).toEqual([[8900, ['11', '12']]])
})
