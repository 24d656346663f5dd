import { Command } from 'commander'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { bytesOf, gpusOf } from '../../../src-main/contract/container-text'
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
  [['--gpus', ''], { container: { gpus: [] } }],
  [
    ['--shm-size', '64g', '--user', '1000:1000'],
    { container: { shmBytes: 64 * 1024 ** 3, user: '1000:1000' } }
  ],
  [
    ['--image', 'reef:2', '--models', '/m', '--state', '/s', '--checkout', '/c'],
    { container: { image: 'reef:2', models: '/m', state: '/s', checkout: '/c' } }
  ]
])('%j', (words, choices) => {
  expect(choicesOf(...words)).toEqual(choices)
})

it('refuses a size that is none, with what to write', () => {
  expect(() => choicesOf('--shm-size', '32 gigs')).toThrowError(
    expect.objectContaining({
      failure: expect.objectContaining({ where: '--shm-size' }) as unknown
    })
  )
})

it.each([
  ['512m', 512 * 1024 ** 2],
  ['1.5 GiB', 1.5 * 1024 ** 3],
  ['4096', 4096],
  ['0', null],
  ['-1g', null],
  ['g', null],
  ['1e9', null],
  ['9999999999t', null]
])('reads the size %s', (text, bytes) => {
  expect(bytesOf(text)).toBe(bytes)
})

it('never makes up a size or a GPU', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      const bytes = bytesOf(text)
      if (bytes !== null) expect(Number.isSafeInteger(bytes) && bytes > 0).toBe(true)
      for (const gpu of gpusOf(text) ?? []) expect(text).toContain(gpu)
    })
  )
})
