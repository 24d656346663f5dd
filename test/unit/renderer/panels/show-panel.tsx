import '../window/furnish'
import type { ReactElement } from 'react'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, render } from '@testing-library/react'
import { RPCHandler } from '@orpc/server/message-port'
import type { AnyRouter } from '@orpc/server'
import { connectPort, disconnectPort, queryClient } from '../../../../src-renderer/api'
import { startTranslations } from '../../../../src-renderer/i18n'
import { TooltipProvider } from '../../../../src-renderer/ui'

/** One panel on an engine that knows only what the test gives it, over a real MessagePort. Gives how to end both. */
export async function showPanel(panel: ReactElement, router: AnyRouter = {}): Promise<() => void> {
  queryClient.clear()
  await startTranslations('en')
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(router).upgrade(port1)
  port1.start()
  connectPort(port2)
  render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>{panel}</TooltipProvider>
    </QueryClientProvider>
  )
  return () => {
    cleanup()
    disconnectPort()
    port1.close()
  }
}
