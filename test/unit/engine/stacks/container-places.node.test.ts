import { describe, expect, it } from 'vitest'
import { LaunchRequest } from '../../../../src-main/contract/launch'
import {
  checkContainerChoices,
  containerPlaces,
  unusedChoices
} from '../../../../src-main/engine/stacks/container-places'
import { planLaunch } from '../../../../src-main/engine/stacks/plan'
import { readRecipeForPlan } from '../../../../src-main/engine/stacks/recipe-for-plan'

describe('choices for a container', () => {
  it.each([
    ['models', { models: 'models' }],
    ['checkout', { checkout: './Reef' }],
    ['user', { user: '1000:' }],
    ['user', { user: '--privileged' }],
    ['image', { image: ' ' }],
    ['image', { image: 'reef latest' }]
  ])('refuses %s of %j, by its name', (where, choices) => {
    expect(() => checkContainerChoices(choices)).toThrowError(
      expect.objectContaining({
        failure: expect.objectContaining({ code: 'container-choice-unreadable', where }) as unknown
      })
    )
  })

  it('takes what a container engine takes', () => {
    for (const choices of [
      { models: '/srv/models', state: 'C:\\reef', image: 'r.local:5000/reef@sha256:ab' },
      { user: '1000' },
      { user: 'me:render' }
    ])
      expect(() => checkContainerChoices(choices)).not.toThrow()
  })

  it('fills in what was not chosen', async () => {
    const request = LaunchRequest.parse({
      recipe: '/srv/r.yaml',
      container: { checkout: '/srv/Reef', shmBytes: 1024 }
    })
    expect(await containerPlaces(request)).toMatchObject({
      image: 'reef',
      checkout: '/srv/Reef',
      gpus: null,
      shmBytes: 1024,
      user: null
    })
  })

  it('says so where a stack takes none of them', () => {
    const text = 'schema-version: 2\nreef: { port: 8900 }\ntraining: { backend: practice }\n'
    const path = '/r.yaml'
    const plan = planLaunch(
      readRecipeForPlan(text, { path, overrides: [], environment: {} }),
      LaunchRequest.parse({ recipe: path }),
      {
        kind: 'practice-process',
        ref: { id: 'local', name: 'here', kind: 'process' },
        main: '/main.mjs',
        insteadOfPort: null
      }
    )
    expect(unusedChoices(plan, { image: 'reef', user: '1' })[0]?.en).toContain('image, user')
    expect(unusedChoices(plan, undefined)).toEqual([])
    expect(unusedChoices({ ...plan, image: 'reef', practice: false }, { user: '1' })).toEqual([])
  })
})
