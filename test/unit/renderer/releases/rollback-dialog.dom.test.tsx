import '../window/furnish'
import { RPCHandler } from '@orpc/server/message-port'
import { QueryClientProvider } from '@tanstack/react-query'
import { cleanup, fireEvent, render, screen, waitFor } from '@testing-library/react'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { connectPort, engine as client, queryClient } from '../../../../src-renderer/api'
import { RollbackDialog } from '../../../../src-renderer/features/releases'
import { startTranslations } from '../../../../src-renderer/i18n'
import { TooltipProvider } from '../../../../src-renderer/ui'
import { FixtureEngine } from '../../../support/fixture-engine'

const RUN = 'r-0412'
const PATIENCE = { timeout: 60_000 }

let engine: FixtureEngine
let port: MessagePort

beforeEach(async () => {
  queryClient.clear()
  await startTranslations('en')
  engine = new FixtureEngine({})
  const { port1, port2 } = new MessageChannel()
  new RPCHandler(engine.router()).upgrade(port1)
  port1.start()
  port = port1
  connectPort(port2)
})
afterEach(() => {
  cleanup()
  port.close()
})

function openDialog(step: number): void {
  render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <RollbackDialog
          act="rollback"
          run={RUN}
          scenario={null}
          step={step}
          before={null}
          onClose={() => undefined}
        />
      </TooltipProvider>
    </QueryClientProvider>
  )
}

it('offers the optimizer only where it is switched on, plans it, and orders it', async () => {
  const { releases } = await client.releases.chain({ run: RUN })
  const step = releases.find((one) => one.restorable && !one.served)?.step ?? 0
  openDialog(step)
  await screen.findByTestId('rollback-why', {}, PATIENCE)
  expect(screen.queryByTestId('rollback-optimizer')).toBeNull()
  cleanup()
  queryClient.clear()
  await client.settings.set({ redeployWithOptimizer: true })
  openDialog(step)
  fireEvent.click(await screen.findByTestId('rollback-optimizer', {}, PATIENCE))
  await screen.findByText(`Go back to r${step} with its optimizer`, {}, PATIENCE)
  await waitFor(() => {
    expect(screen.getByTestId('rollback-confirm').hasAttribute('disabled')).toBe(false)
  }, PATIENCE)
  fireEvent.click(screen.getByTestId('rollback-confirm'))
  await waitFor(() => {
    expect(engine.acts).toContainEqual(
      expect.objectContaining({
        call: 'releases.rollback',
        input: expect.objectContaining({ step, withOptimizer: true }) as unknown
      })
    )
  }, PATIENCE)
}, 120_000)
