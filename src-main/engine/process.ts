import { RPCHandler } from '@orpc/server/message-port'
import { hostOver } from './host'
import { openEngine, type Engine } from './index'
import { failureOf } from './router/guard'

// Entry of the engine's own process. The app sends ports: one to its side of the contract (`host`), and one for
// every page (`page`). `quit` asks us to put everything down; stacks go on. Where the home cannot be used we say so to
// the app (`unusable`), which tells the person: no page could.
const LANGUAGE_OF_NOBODY = 'The engine is started by the Slipway app and takes no arguments.'

function variable(name: string): string {
  const value = process.env[name]
  if (value === undefined) throw new Error(`${LANGUAGE_OF_NOBODY} Missing: ${name}.`)
  return value
}

function begin(): void {
  const { parentPort } = process
  let engine: Promise<Engine> | null = null
  parentPort.on('message', ({ data, ports: [port] }) => {
    const kind = (data as { kind: 'host' | 'page' | 'quit' }).kind
    if (kind === 'quit') {
      void quit(engine)
      return
    }
    if (port === undefined) return
    if (kind === 'host') {
      engine = openEngine({
        home: variable('SLIPWAY_HOME'),
        resources: variable('SLIPWAY_RESOURCES'),
        recipes: variable('SLIPWAY_RECIPES'),
        version: variable('SLIPWAY_VERSION'),
        host: hostOver(port),
        watch: 'all'
      })
      engine.catch((thrown: unknown) => {
        parentPort.postMessage({ kind: 'unusable', failure: failureOf(thrown) })
      })
      port.start()
      return
    }
    void engine?.then(({ router }) => {
      new RPCHandler(router).upgrade(port)
      port.start()
    })
  })
}

async function quit(engine: Promise<Engine> | null): Promise<void> {
  // That it could not be opened has been told.
  await (await engine?.catch(() => null))?.dispose()
  process.exit(0)
}

process.on('unhandledRejection', (reason) => {
  console.error('unhandled rejection', reason)
})
begin()
