/* global window, MessageChannel, URLSearchParams */
import { z } from 'zod'
z.config({ jitless: true })
import { RPCHandler } from '@orpc/server/message-port'
import { FixtureEngine } from '../fixture-engine'
import '../../../src-renderer/theme/app.css'
import '../../../src-renderer/main'

// The whole window against an engine in memory: ?empty=1&lang=zh&theme=light&damaged=1&old=1
const query = new URLSearchParams(window.location.search)
const engine = new FixtureEngine({
  empty: query.has('empty'),
  damaged: query.has('damaged'),
  oldRuntime: query.has('old'),
  language: query.get('lang') ?? 'en',
  theme: query.get('theme') ?? 'dark'
})
const { port1, port2 } = new MessageChannel()
new RPCHandler(engine.router()).upgrade(port1)
port1.start()
window.postMessage('slipway-port', '*', [port2])
// For scripts that look at the window: tells the engine to go on.
window.fixtureEngine = engine
