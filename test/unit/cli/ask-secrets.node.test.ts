import { PassThrough } from 'node:stream'
import { expect, it } from 'vitest'
import { askSecrets, missingSecrets } from '../../../src-main/cli/ask-secrets'
import type { Io } from '../../../src-main/cli/output'

const plan = {
  environment: [
    { name: 'PYTHONUNBUFFERED', value: '1' },
    { name: 'REEF_TOKEN', value: null },
    { name: 'WANDB_API_KEY', value: null }
  ]
}

function terminal(json = false): { io: Io; said: string[]; input: PassThrough } {
  const said: string[] = []
  const io: Io = {
    out: (text) => said.push(text),
    err: (text) => said.push(text),
    exit: () => {},
    language: 'en',
    json: () => json
  }
  return { io, said, input: new PassThrough() }
}

it('asks for the secrets that nobody has set, and shows none', async () => {
  const { io, said, input } = terminal()
  const environment: Record<string, string | undefined> = { WANDB_API_KEY: '' }
  const asked = askSecrets(io, plan, { input, isTerminal: true }, environment)
  input.write('very-secret\n')
  while (said.length < 2) await new Promise((later) => setImmediate(later))
  input.write('\n')
  await asked
  expect(environment).toEqual({ REEF_TOKEN: 'very-secret', WANDB_API_KEY: '' })
  expect(said.map((line) => line.split(' ')[0])).toEqual(['REEF_TOKEN', 'WANDB_API_KEY'])
  expect(said.join()).not.toContain('very-secret')
})

it('asks nobody where nobody sits, or where a program reads the answer', async () => {
  for (const [isTerminal, json] of [
    [false, false],
    [true, true]
  ] as const) {
    const { io, said, input } = terminal(json)
    await askSecrets(io, plan, { input, isTerminal }, {})
    expect(said).toEqual([])
  }
  expect(missingSecrets(plan, { REEF_TOKEN: 'a', WANDB_API_KEY: 'b' })).toEqual([])
})

it('starts nothing when the question is called off with Ctrl+C, or the terminal is gone', async () => {
  for (const callOff of [
    (input: PassThrough) => input.write('\u0003'),
    (input: PassThrough) => input.end()
  ]) {
    const { io, input } = terminal()
    const environment: Record<string, string | undefined> = {}
    const asked = askSecrets(io, plan, { input, isTerminal: true }, environment)
    callOff(input)
    await expect(asked).rejects.toMatchObject({ failure: { code: 'launch-called-off' } })
    expect(environment).toEqual({})
  }
})
