// @vitest-environment node
import fc from 'fast-check'
import { commandWords } from '../../../../src-main/contract/command-words'
import { describe, expect, it } from 'vitest'
import {
  emptyDraft,
  inputOf,
  obstacleTo,
  samePlace,
  type LaunchFacts
} from '../../../../src-renderer/features/launch/launch-draft'
import {
  type CompanionDraft,
  type CompanionLack,
  lackOf,
  newCompanion
} from '../../../../src-renderer/features/launch/companion-draft'
import { noContainerTexts } from '../../../../src-renderer/features/launch/container-draft'
import { practiceRecipe } from '../../../../src-renderer/features/launch/practice-recipe'
import {
  isDirty,
  keepMine,
  keptIsNow,
  savedAs,
  startDraft,
  takeTheirs
} from '../../../../src-renderer/features/notes/draft'
import { readAddress } from '../../../../src-renderer/features/settings/target-address'
import { readTags } from '../../../../src-renderer/features/shared/read-tags'
import { sampleRecipes } from '../../../support/fixture/recipes'

describe('launch draft', () => {
  const draft = { ...emptyDraft('/r.yaml'), name: ' x ', tags: 'a，b, a' }
  const ready: LaunchFacts = {
    draft,
    launching: false,
    errors: 0,
    plan: 'ready',
    targetDown: false
  }

  it('keeps nothing on screen from another target or recipe', () => {
    const input = inputOf(draft)
    expect(samePlace(input, inputOf({ ...draft, name: 'y' }))).toBe(true)
    expect(samePlace(input, inputOf({ ...draft, target: 'docker' }))).toBe(false)
    expect(samePlace(input, inputOf({ ...draft, recipe: '/other.yaml' }))).toBe(false)
    expect(samePlace(input, null)).toBe(false)
  })

  it('sends what was filled in, and no row without a field', () => {
    const overrides = [
      { path: 'training.options.lr', value: '0.1' },
      { path: ' ', value: '' }
    ]
    expect(inputOf({ ...draft, overrides })).toEqual({
      recipe: '/r.yaml',
      target: 'local',
      name: 'x',
      tags: ['a', 'b'],
      overrides: [{ path: 'training.options.lr', value: '0.1' }]
    })
    expect(inputOf(emptyDraft(null))).toBeNull()
  })

  it('sends of the container what was chosen, and nothing for empty fields', () => {
    const container = {
      ...noContainerTexts,
      image: ' reef@sha256:ab ',
      gpus: '0，2',
      shmBytes: '64g',
      user: '1000:1000'
    }
    expect(inputOf({ ...draft, container })?.container).toEqual({
      image: 'reef@sha256:ab',
      gpus: ['0', '2'],
      shmBytes: 64 * 1024 ** 3,
      user: '1000:1000'
    })
    expect(inputOf(draft)).not.toHaveProperty('container')
  })

  const agent = { ...newCompanion, name: ' agent ', command: 'python agent.py "a b"' }

  it('sends companions that are finished, an image only where one is used', () => {
    const own = { ...agent, name: 'own', where: 'own-container' as const, image: 'agent:1' }
    const companions = [{ ...agent, environment: 'KEY， OTHER', image: 'x' }, own, newCompanion]
    expect(inputOf({ ...draft, companions })?.companions).toMatchObject([
      {
        name: 'agent',
        command: ['python', 'agent.py', 'a b'],
        where: 'process',
        environment: ['KEY', 'OTHER']
      },
      { name: 'own', image: 'agent:1' }
    ])
    expect(inputOf({ ...draft, companions })?.companions?.[0]).not.toHaveProperty('image')
    expect(inputOf(draft)).not.toHaveProperty('companions')
  })

  it.each([
    ['a  b', ['a', 'b']],
    [`a "b 'c'" 'd "e\\'`, ['a', "b 'c'", 'd "e\\']],
    ['a\\ b "\\"" $c', ['a b', '"', '$c']],
    [`x'' ""`, ['x', '']],
    ['', []],
    ['a "b', null]
  ])('reads the command %j', (line, words) => {
    expect(commandWords(line)).toEqual(words)
  })

  it.each<[string | null, Partial<LaunchFacts>]>([
    [null, {}],
    ['no-recipe', { draft: emptyDraft(null) }],
    ['launching', { launching: true }],
    ['loose-override', { draft: { ...draft, overrides: [{ path: '', value: '1' }] } }],
    ['unfinished-companion', { draft: { ...draft, companions: [newCompanion] } }],
    [
      'unfinished-companion',
      { draft: { ...draft, companions: [{ ...agent, where: 'own-container' }] } }
    ],
    [
      'wrong-size',
      { draft: { ...draft, container: { ...noContainerTexts, shmBytes: '32 gigs' } } }
    ],
    ['errors', { errors: 2, plan: 'failed' }],
    ['target-down', { targetDown: true }],
    ['plan-failed', { plan: 'failed' }],
    ['checking', { errors: undefined }],
    ['no-plan', { plan: 'pending' }]
  ])('says %s', (kind, facts) => {
    expect(obstacleTo({ ...ready, ...facts })?.kind ?? null).toBe(kind)
  })

  it.each<[CompanionLack | null, Partial<CompanionDraft>]>([
    ['name', { name: ' ' }],
    ['quote', { command: 'python agent.py "a' }],
    ['command', { command: ' ' }],
    ['image', { where: 'own-container' }],
    [null, {}]
  ])('says that a companion lacks its %s', (lacks, more) => {
    expect(lackOf([agent, { ...agent, ...more }])).toBe(lacks)
  })

  it('takes the shipped SAO recipe for practice', () => {
    expect(practiceRecipe(sampleRecipes)?.path).toMatch(/practice-sao/)
    expect(practiceRecipe([])).toBeUndefined()
  })
})

describe('notes draft', () => {
  it('takes what was kept elsewhere while nothing is typed here', () => {
    expect(keptIsNow(startDraft('a'), 'b')).toEqual({ base: 'b', text: 'b', theirs: null })
  })

  it('never overwrites typed text: both are there to choose from', () => {
    const typed = { ...startDraft('a'), text: 'mine' }
    const torn = keptIsNow(typed, 'theirs')
    expect(torn).toEqual({ base: 'a', text: 'mine', theirs: 'theirs' })
    expect(takeTheirs(torn).text).toBe('theirs')
    expect(keepMine(torn)).toEqual({ base: 'theirs', text: 'mine', theirs: null })
  })

  it('is clean after its own save came back, and not when more was typed meanwhile', () => {
    const typed = { ...startDraft('a'), text: 'mine' }
    expect(isDirty(savedAs(typed, 'mine'))).toBe(false)
    expect(keptIsNow(savedAs(typed, 'mine'), 'mine')).toEqual(savedAs(typed, 'mine'))
    expect(isDirty(savedAs({ ...typed, text: 'mine!' }, 'mine'))).toBe(true)
  })

  it('loses no text in any order of typing, saving and changes from elsewhere', () => {
    const act = fc.oneof(
      fc.record({ kind: fc.constant('type' as const), text: fc.string() }),
      fc.record({ kind: fc.constant('kept' as const), text: fc.string() })
    )
    fc.assert(
      fc.property(fc.array(act), (acts) => {
        let draft = startDraft('')
        let typed = ''
        for (const { kind, text } of acts) {
          const dirty = isDirty(draft)
          if (kind === 'type') {
            draft = { ...draft, text }
            typed = text
          } else {
            draft = keptIsNow(draft, text)
            if (dirty) expect(draft.text).toBe(typed)
            else typed = draft.text
          }
        }
      })
    )
  })
})

describe('readAddress', () => {
  it.each([
    ['ssh://user@host', { kind: 'docker', via: { kind: 'ssh', destination: 'ssh://user@host' } }],
    ['tcp://10.0.0.3:2376', { kind: 'docker', via: { kind: 'tcp', host: '10.0.0.3', port: 2376 } }],
    ['unix:///var/run/docker.sock', { via: { kind: 'socket', path: '/var/run/docker.sock' } }],
    [' http://host:8900/ ', { kind: 'attach', address: 'http://host:8900', name: 'host:8900' }]
  ])('reads %s', (text, spec) => {
    expect(readAddress(text)).toMatchObject({ kind: 'ok', spec })
  })

  it.each([
    'host',
    'ftp://host',
    'tcp://host',
    'tcp://host:99999',
    'unix://relative',
    'http://',
    'ssh://'
  ])('refuses %s', (text) => {
    expect(readAddress(text).kind).toBe('unreadable')
  })

  it('never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(['ok', 'empty', 'unreadable']).toContain(readAddress(text).kind)
      })
    )
  })
})

it('readTags keeps each tag once, whichever comma parts them', () => {
  expect(readTags(' a, b，c、a ,, ')).toEqual(['a', 'b', 'c'])
})
