import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MessageChannel } from 'node:worker_threads'
import { createORPCClient, ORPCError } from '@orpc/client'
import { RPCLink } from '@orpc/client/message-port'
import type { ContractRouterClient } from '@orpc/contract'
import { RPCHandler } from '@orpc/server/message-port'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { contract, type Contract } from '../../src-main/contract'
import { Failure } from '../../src-main/contract/failure'
import { openEngine, type Engine } from '../../src-main/engine'

// The real engine behind a real message port, as the page meets it.
let home: string
let engine: Engine
let client: ContractRouterClient<Contract>
let close: () => void

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-contract-'))
  engine = await openEngine({
    home,
    resources: resolve('resources'),
    recipes: resolve('recipes'),
    version: '0.0.0-test',
    host: null,
    watch: 'all'
  })
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(engine.router).upgrade(port1)
  client = createORPCClient(new RPCLink({ port: port2 }))
  close = () => {
    port1.close()
    port2.close()
  }
})

afterAll(async () => {
  close()
  await engine.dispose()
  await rm(home, { recursive: true, force: true })
})

/** Names of all procedures below a contract or router, `topic.name`. */
function procedures(tree: object, prefix = ''): string[] {
  return Object.entries(tree).flatMap(([name, value]: [string, unknown]) => {
    if (typeof value !== 'object' || value === null) return []
    return '~orpc' in value ? [`${prefix}${name}`] : procedures(value, `${prefix}${name}.`)
  })
}

async function failureOf(call: Promise<unknown>): Promise<Failure> {
  const thrown: unknown = await call.then(
    () => null,
    (cause: unknown) => cause
  )
  expect(thrown).toBeInstanceOf(ORPCError)
  return Failure.parse(thrown instanceof ORPCError ? thrown.data : null)
}

describe('the contract over a port', () => {
  it('is implemented in full, and nothing beside it', () => {
    expect(procedures(engine.router).sort()).toEqual(procedures(contract).sort())
  })

  it('answers calls', async () => {
    expect(await client.runs.list()).toEqual({ runs: [], damaged: [] })
    expect((await client.settings.set({ theme: 'light' })).theme).toBe('light')
    expect((await client.settings.get()).theme).toBe('light')
    const names = (await client.recipes.list()).filter((recipe) => recipe.practice)
    expect(names.map((recipe) => recipe.family).sort()).toEqual(['sao', 'tttd'])
  })

  it('carries a failure with its words in both languages', async () => {
    const failure = await failureOf(client.runs.get({ run: 'nobody' }))
    expect(failure.what.en).not.toBe('')
    expect(failure.what.zh).not.toBe('')
  })

  it('carries a failure out of the middle of a stream', async () => {
    const stream = await client.runs.follow({ run: 'nobody' })
    await failureOf(stream.next())
  })

  it('refuses input that is not of the contract', async () => {
    const thrown: unknown = await client.settings
      .set(JSON.parse('{"theme":"plaid"}') as { theme: 'dark' })
      .catch((cause: unknown) => cause)
    expect(thrown).toBeInstanceOf(ORPCError)
  })

  it('streams what changes, and ends the stream when the caller stops listening', async () => {
    const ended = new AbortController()
    const stream = await client.settings.watch(undefined, { signal: ended.signal })
    expect((await stream.next()).value).toMatchObject({ theme: 'light' })
    await client.settings.set({ theme: 'dark' })
    expect((await stream.next()).value).toMatchObject({ theme: 'dark' })
    await stream.return()
    expect((await stream.next()).done).toBe(true)
  })

  it('plans without starting anything, and lets no id leave the runs folder', async () => {
    const { path } = (await client.recipes.list()).find((recipe) => recipe.practice) ?? {}
    const plan = await client.launch.plan({ recipe: path ?? '' })
    expect(plan.practice).toBe(true)
    const failure = await failureOf(
      client.metrics.series({
        run: '../../etc',
        keys: ['train/loss'],
        axis: 'native',
        columns: 10,
        smoothing: { kind: 'none' }
      })
    )
    expect(failure.code).toBeTruthy()
  })
})
