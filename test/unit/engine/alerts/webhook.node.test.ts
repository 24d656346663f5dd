import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import { afterEach, expect, it } from 'vitest'
import { z } from 'zod'
import type { Alert } from '../../../../src-main/contract/alerts'
import { Webhook } from '../../../../src-main/engine/alerts'
import {
  isWebhookAddress,
  WEBHOOK,
  webhookBody,
  type WebhookOptions
} from '../../../../src-main/engine/alerts/webhook'
import { systemClock } from '../../../../src-main/engine/lib'

const alert: Alert = {
  id: 'run-1 crash 1',
  at: 0,
  run: 'run-1',
  runName: 'My run',
  kind: 'crash',
  step: 7,
  text: { en: 'It ended: HF_TOKEN=hf_0123456789abcdefghij', zh: '已结束' }
}

const servers: Server[] = []
const hooks: Webhook[] = []

afterEach(async () => {
  for (const hook of hooks.splice(0)) await hook.dispose()
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
})

/** A place that answers with these codes, one a request, and keeps what it was sent. */
async function place(...codes: number[]): Promise<{ address: string; bodies: unknown[] }> {
  const bodies: unknown[] = []
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (part: string) => {
      text += part
    })
    request.on('end', () => {
      bodies.push(JSON.parse(text))
      const code = codes[bodies.length - 1] ?? 200
      response.writeHead(code, code === 302 ? { location: '/elsewhere' } : {}).end()
    })
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = z.object({ port: z.number() }).parse(server.address())
  return { address: `http://127.0.0.1:${port}/hook/secret-part`, bodies }
}

function hookTo(address: string | null, more: Partial<WebhookOptions> = {}): Webhook {
  let kept = address
  const hook = new Webhook({
    clock: systemClock,
    secret: () => Promise.resolve(kept),
    store: (_name, value) => {
      kept = value
      return Promise.resolve()
    },
    cannotStore: () => Promise.resolve(null),
    environment: {},
    againMs: [1, 1],
    ...more
  })
  hooks.push(hook)
  return hook
}

it('posts the alert once, with its sentence and without a secret', async () => {
  const { address, bodies } = await place()
  const hook = hookTo(address)
  await hook.send(alert)
  expect(bodies).toHaveLength(1)
  expect(bodies[0]).toMatchObject({
    text: expect.stringContaining('My run: It ended') as unknown,
    alert: { kind: 'crash', run: 'run-1', step: 7, at: '1970-01-01T00:00:00.000Z', zh: '已结束' }
  })
  expect(webhookBody(alert)).not.toContain('hf_0123456789')
  expect((await hook.status()).last?.why).toBeNull()
})

it('tries again where that may help, and only there', async () => {
  const busy = await place(503, 429, 200)
  await hookTo(busy.address).send(alert)
  expect(busy.bodies).toHaveLength(3)
  const gone = await place(404, 200)
  const hook = hookTo(gone.address)
  await hook.send(alert)
  expect(gone.bodies).toHaveLength(1)
  expect((await hook.status()).last?.why?.en).toContain('404')
})

it('follows no redirection: the address is for one place', async () => {
  const { address, bodies } = await place(302)
  await hookTo(address).send(alert)
  expect(bodies).toHaveLength(1)
})

it('says that nobody is there, without the address', async () => {
  const { address } = await place()
  const server = servers.splice(0)[0]
  await new Promise((closed) => server?.close(closed))
  const hook = hookTo(address)
  await hook.send(alert)
  const why = (await hook.status()).last?.why?.en ?? ''
  expect(why).toContain('could not be reached')
  expect(why).not.toContain('secret-part')
})

it('posts nowhere without an address, and gives up when put down', async () => {
  const hook = hookTo(null)
  await hook.send(alert)
  expect((await hook.status()).last).toBeNull()
  const never = await place(503)
  const waiting = hookTo(never.address, { againMs: [3_600_000] })
  const sent = waiting.send(alert)
  while (never.bodies.length === 0) await new Promise((later) => setImmediate(later))
  await waiting.dispose()
  await sent
  expect(never.bodies).toHaveLength(1)
})

it('keeps an address where the system keeps secrets, and only one it may post to', async () => {
  const hook = hookTo(null)
  expect(await hook.setAddress(' https://example.org/hook ')).toMatchObject({ address: 'stored' })
  expect(await hook.setAddress(null)).toMatchObject({ address: 'missing' })
  await expect(hook.setAddress('http://example.org/')).rejects.toMatchObject({
    failure: { code: 'webhook-malformed' }
  })
  const why = { en: 'no keyring', zh: '没有密钥环' }
  const without = hookTo(null, { cannotStore: () => Promise.resolve(why) })
  await expect(without.setAddress('https://example.org/')).rejects.toMatchObject({
    failure: { what: why, where: WEBHOOK }
  })
})

it.each([
  ['https://example.org/x', true],
  ['http://127.0.0.1:8080/', true],
  ['http://[::1]/', true],
  ['http://127.0.0.1.example.org/', false],
  ['http://example.org/', false],
  ['https://me:pw@example.org/', false],
  ['ftp://example.org', false],
  ['', false]
])('may post to %s: %s', (address, may) => {
  expect(isWebhookAddress(address)).toBe(may)
})
