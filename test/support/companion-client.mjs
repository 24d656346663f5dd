/**
 * An agent for tests: asks the stack it was started for and reports a score for each answer.
 *
 *   node companion-client.mjs MARK [patient]
 *
 * The first start (no file MARK yet) crashes after 40 reports; later ones go on until they are told to end. A patient
 * one asks again where nobody listens.
 */
import console from 'node:console'
import { existsSync, writeFileSync } from 'node:fs'
import process from 'node:process'
import { setTimeout as wait } from 'node:timers/promises'

const { SLIPWAY_ADDRESS: address, SLIPWAY_SCENARIO: scenario, REEF_TOKEN: token = '' } = process.env
const [, , mark = '', manner] = process.argv
const first = !existsSync(mark)
writeFileSync(mark, '')

/** Where nobody answers, `fetch` throws a TypeError. */
async function ask(route, body) {
  try {
    return await globalThis.fetch(`${address}${route}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'x-reef-scenario': scenario,
        authorization: `Bearer ${token}`
      },
      body: JSON.stringify(body)
    })
  } catch (cause) {
    if (manner !== 'patient' || !(cause instanceof TypeError)) throw cause
    await wait(100)
    return ask(route, body)
  }
}

async function post(route, body) {
  const response = await ask(route, body)
  if (!response.ok) throw new Error(`${route}: ${response.status} ${await response.text()}`)
  return response
}

console.log(`asking ${scenario}, ${first ? 'for the first time' : 'again'}`)
for (let count = 1; ; count += 1) {
  const messages = [{ role: 'user', content: `What is 1 + ${count % 9}?` }]
  const answer = await post('/v1/chat/completions', { model: 'any', messages })
  const receipt = answer.headers.get('x-reef-agent-record-id')
  await post('/reef/report', { score: count % 2, references: [receipt] })
  if (first && count === 40) {
    console.error('crashing, as asked')
    process.exit(3)
  }
  await wait(20)
}
