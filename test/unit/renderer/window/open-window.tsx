import './furnish'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { RPCHandler } from '@orpc/server/message-port'
import { connectPort, queryClient } from '../../../../src-renderer/api'
import { listenForShortcuts } from '../../../../src-renderer/commands'
import { App } from '../../../../src-renderer/features/frame'
import { startTranslations } from '../../../../src-renderer/i18n'
import { layout, queueView, routes, runsView } from '../../../../src-renderer/state'
import { TooltipProvider } from '../../../../src-renderer/ui'
import { FixtureEngine, type FixtureOptions } from '../../../support/fixture-engine'

/** The whole window on an engine in memory, over a real MessagePort. `close` ends both. */
export async function openWindow(
  options: FixtureOptions = {}
): Promise<{ engine: FixtureEngine; connect: () => void; close: () => void }> {
  queryClient.clear()
  routes.setState({ entries: [{ page: 'runs' }], at: 0 })
  runsView.setState({ view: { kind: 'all' }, filter: '', selected: [], cursor: null, folded: [] })
  queueView.setState({ open: false })
  layout.setState({ paletteOpen: false, cheatSheetOpen: false })
  await startTranslations('en')
  const engine = new FixtureEngine(options)
  const ports: MessagePort[] = []
  const connect = (): void => {
    const { port1, port2 } = new MessageChannel()
    new RPCHandler(engine.router()).upgrade(port1)
    port1.start()
    ports.push(port1)
    connectPort(port2)
  }
  const deaf = listenForShortcuts()
  connect()
  render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <App />
      </TooltipProvider>
    </QueryClientProvider>
  )
  return {
    engine,
    connect,
    close: () => {
      cleanup()
      deaf()
      for (const port of ports) port.close()
    }
  }
}
