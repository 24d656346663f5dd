import { expect, it } from 'vitest'
import { type CompanionFlags, companionsOf } from '../../../src-main/cli/companion-flags'
import { FailureError } from '../../../src-main/engine/lib'

const flags = (more: Partial<CompanionFlags> = {}): CompanionFlags => ({
  companion: [],
  companionIn: 'process',
  companionEnv: [],
  companionRestart: 'on-failure',
  ...more
})

function refusal(more: Partial<CompanionFlags>): string {
  try {
    companionsOf(flags(more))
  } catch (thrown) {
    if (thrown instanceof FailureError) return `${thrown.failure.where}: ${thrown.failure.what.en}`
    throw thrown
  }
  throw new Error('not refused')
}

it('makes companions of command lines, each with a name of its own', () => {
  const companions = companionsOf(
    flags({
      companion: [`python client.py --say 'hello there'`, 'node judge.mjs'],
      companionEnv: ['HF_TOKEN']
    })
  )
  expect(companions).toEqual([
    {
      name: 'agent',
      command: ['python', 'client.py', '--say', 'hello there'],
      where: 'process',
      environment: ['HF_TOKEN'],
      startWhenServing: true,
      stopWithRun: true,
      restart: 'on-failure'
    },
    expect.objectContaining({ name: 'agent-2', command: ['node', 'judge.mjs'] })
  ])
})

it('takes an image for a container of their own', () => {
  expect(companionsOf(flags({ companion: ['a'], companionImage: 'clients:1' }))[0]).toMatchObject({
    where: 'own-container',
    image: 'clients:1'
  })
})

it('is nothing where none was asked for', () => {
  expect(companionsOf(flags())).toEqual([])
})

it.each<[string, Partial<CompanionFlags>, string]>([
  ['an open quote', { companion: ['say "hello'] }, '--companion: A quote is left open'],
  ['an empty command', { companion: ['  '] }, '--companion: The command is empty.'],
  ['a place there is not', { companion: ['a'], companionIn: 'moon' }, '--companion-in: “moon”'],
  [
    'a policy there is not',
    { companion: ['a'], companionRestart: 'soon' },
    '--companion-restart: “soon”'
  ],
  ['choices for none', { companionEnv: ['HF_TOKEN'] }, '--companion: There is no companion']
])('refuses %s', (_what, more, said) => {
  expect(refusal(more)).toContain(said)
})
