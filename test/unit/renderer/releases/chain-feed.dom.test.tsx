import '../window/furnish'
import { RPCHandler } from '@orpc/server/message-port'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render, screen } from '@testing-library/react'
import { afterEach, expect, it } from 'vitest'
import { connectPort, queryClient } from '../../../../src-renderer/api'
import {
  chainQuery,
  holdChain,
  useChain
} from '../../../../src-renderer/features/releases/chain-feed'
import { FixtureEngine } from '../../../support/fixture-engine'

const RUN = 'r-0412'
const PATIENCE = { timeout: 30_000 }

afterEach(() => {
  cleanup()
  queryClient.clear()
})

function connected(): { engine: FixtureEngine; close: () => void } {
  const engine = new FixtureEngine({})
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(engine.router()).upgrade(port1)
  port1.start()
  connectPort(port2)
  return {
    engine,
    close: () => {
      port1.close()
    }
  }
}

function Count() {
  const chain = useChain(RUN)
  return <p>{chain.data === undefined ? 'none' : `${chain.data.releases.length} releases`}</p>
}

const page = (
  <QueryClientProvider client={queryClient}>
    <Count />
  </QueryClientProvider>
)

it('asks for a chain once, though it is both fetched and followed', async () => {
  const { engine, close } = connected()
  render(page)
  await screen.findByText(/\d+ releases/, {}, PATIENCE)
  expect(engine.chainStreams).toBe(1)
  close()
})

it('asks itself when who was to bring it lets go', async () => {
  const { close } = connected()
  const letGo = holdChain(RUN, null)
  const chain = queryClient.fetchQuery(chainQuery(RUN, null))
  letGo()
  expect((await chain).releases.length).toBeGreaterThan(0)
  close()
})
