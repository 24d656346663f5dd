/** The `reef` service: HTTP, records, commit log. Usage: node http.mjs <run_dir> */
import { allRoutes } from '../http/service.mjs'
import { HttpService } from '../http/server.mjs'
import { loadModel } from '../model/model-files.mjs'
import { newId } from '../store/scenario.mjs'
import { Scenarios } from '../store/scenarios.mjs'
import { startService } from './child.mjs'
import { TrainingLoop } from './training-loop.mjs'

const { log, runtime, crash, channel } = startService('reef', process.argv[2] ?? '')
const incarnation = newId().slice(0, 12)
/** @param {string} line */
const say = (line) => log.say('service.py:140', line)

const model = await loadModel(runtime.modelPath)
const scenarios = new Scenarios({ runtime, model, crash, say })
await scenarios.openAll()
for (const { name } of runtime.scenarios) {
  const { created } = await scenarios.create(name, null)
  if (created) say(`scenario '${name}' created`)
}
const loop = new TrainingLoop({ runtime, scenarios, channel, log, incarnation })
/** @type {import('../http/service.mjs').Service} */
const service = {
  runtime,
  scenarios,
  loop,
  base: model.base,
  modelName: model.name,
  incarnation,
  served: 0,
  reported: 0
}
const http = new HttpService({
  routes: allRoutes(service),
  tokens: runtime.tokens,
  origins: runtime.origins,
  report: say
})

let stopping = false
async function stop() {
  if (stopping) return
  stopping = true
  say('shutting down')
  await loop.stop()
  await http.close()
  for (const scenario of scenarios.open.values()) await scenario.close()
  say('stopped')
  process.exit(0)
}
process.on('SIGTERM', () => void stop())
process.on('SIGINT', () => void stop())

await http.listen(runtime.host, runtime.port)
if (runtime.tokens.length === 0)
  say('no service token set: this service is open to who can reach it')
say(`serving ${model.name} on http://${runtime.host}:${runtime.port}`)
void loop.pump()
channel.ready()
