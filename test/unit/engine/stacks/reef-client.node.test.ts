import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { z } from 'zod'
import { ReefClient } from '../../../../src-main/engine/stacks'

let held: ServerResponse[]
let still: boolean
const server = createServer((_request, response) => {
  if (still) held.push(response)
  else response.end('{}')
})

beforeEach(async () => {
  held = []
  still = false
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  server.closeAllConnections()
  await new Promise((closed) => server.close(closed))
})

it('waits long for a busy service, and not again while it stays silent', async () => {
  const { port } = z.object({ port: z.number() }).parse(server.address())
  const asked = (deadlines: { first: number; again: number }): ReefClient =>
    new ReefClient(`http://127.0.0.1:${port}`, null, new AbortController().signal, deadlines)
  // Where the first deadline held again, the second question would not end within the test.
  const client = asked({ first: 50, again: 50 })
  still = true
  expect(await client.health()).toMatchObject({ kind: 'away' })
  expect(client.late).toBe(true)
  const patient = asked({ first: 3_600_000, again: 1 })
  const waiting = patient.health()
  while (held.length === 0) await new Promise((later) => setImmediate(later))
  expect(patient.late).toBe(false)
  still = false
  for (const response of held) response.end('{}')
  expect(await waiting).toMatchObject({ kind: 'ok' })
  expect(await client.health()).toMatchObject({ kind: 'ok' })
  expect(client.late).toBe(false)
})

it('takes a refused connection for an answer', async () => {
  const client = new ReefClient('http://127.0.0.1:1', null, new AbortController().signal)
  expect(await client.health()).toMatchObject({ kind: 'away' })
  expect(client.late).toBe(false)
})
