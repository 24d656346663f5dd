import { Command } from 'commander'
import { expect, it } from 'vitest'
import {
  addContainerFlags,
  containerChoices,
  type ContainerFlags
} from '../../../src-main/cli/container-choices'

function choicesOf(...words: string[]) {
  const command = addContainerFlags(new Command('launch')).parse(words, { from: 'user' })
  return containerChoices(command.opts<ContainerFlags>())
}

it.each([
  [[], {}],
  [['--gpus', 'all'], {}],
  [['--gpus', '0, 2'], { container: { gpus: ['0', '2'] } }],
  [['--gpus', 'none'], { container: { gpus: [] } }],
  [
    ['--image', 'reef:2', '--models', '/m', '--state', '/s', '--checkout', '/c'],
    { container: { image: 'reef:2', models: '/m', state: '/s', checkout: '/c' } }
  ]
])('%j', (words, choices) => {
  expect(choicesOf(...words)).toEqual(choices)
})
