import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { CheckoutFacts } from '../../../../src-main/contract/errands'
import {
  buildArgv,
  type BuildRequest,
  checkBuild
} from '../../../../src-main/engine/errands/build-command'
import { checkAddress } from '../../../../src-main/engine/errands/clone-command'
import { readDockerfile } from '../../../../src-main/engine/errands/dockerfile'
import { buildDone, ended } from '../../../../src-main/engine/errands/outcome'
import { Lines } from '../../../../src-main/engine/errands/watched-command'
import { dockerWords } from '../../../../src-main/engine/targets'

const dockerfile = `# syntax=docker/dockerfile:1
ARG SLIME_IMAGE_TAG=latest
FROM slimerl/slime:\${SLIME_IMAGE_TAG} AS base
ARG SGLANG_COMMIT
ARG OPENCODE_VERSION="1.2.3"
RUN echo a \\
    FROM nowhere
FROM --platform=linux/amd64 base as reef
FROM example/tttd@sha256:ab AS tttd
FROM scratch AS empty
`
const facts: CheckoutFacts = {
  folder: '/srv/Reef',
  buildable: true,
  commit: null,
  branch: null,
  ...readDockerfile(dockerfile)
}
const request: BuildRequest = {
  kind: 'build',
  target: 'd',
  checkout: '/srv/Reef',
  reference: 'reef:tttd',
  arguments: []
}

const refused = (where: string): Error =>
  expect.objectContaining({ failure: expect.objectContaining({ where }) as unknown }) as Error

describe('a Dockerfile', () => {
  it('says its stages, arguments and base images', () => {
    expect(facts).toMatchObject({
      stages: ['base', 'reef', 'tttd', 'empty'],
      bases: ['slimerl/slime:latest', 'example/tttd@sha256:ab'],
      arguments: [
        { name: 'SLIME_IMAGE_TAG', value: 'latest' },
        { name: 'SGLANG_COMMIT', value: null },
        { name: 'OPENCODE_VERSION', value: '1.2.3' }
      ]
    })
  })

  it('is read whatever it holds', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(readDockerfile(`${text}\nFROM last:1`).bases.length).toBeGreaterThanOrEqual(0)
        expect(readDockerfile(text).stages.every((stage) => text.includes(stage))).toBe(true)
      })
    )
  })
})

describe('a build', () => {
  it('is one docker build, through the words that lead to the engine', () => {
    const asked = {
      ...request,
      stage: 'tttd',
      arguments: [{ name: 'SLIME_IMAGE_TAG', value: 'v1 b' }]
    }
    expect(() => checkBuild(asked, facts)).not.toThrow()
    expect(buildArgv(asked, dockerWords({ kind: 'context', context: 'gpu' })).join(' ')).toBe(
      'docker --context gpu build --file /srv/Reef/docker/Dockerfile.reef --tag reef:tttd --target tttd --build-arg SLIME_IMAGE_TAG=v1 b /srv/Reef'
    )
  })

  it.each([
    [{ kind: 'socket', path: '/run/d.sock' } as const, '--host unix:///run/d.sock'],
    [
      { kind: 'socket', path: '//./pipe/docker_engine' } as const,
      '--host npipe:////./pipe/docker_engine'
    ],
    [{ kind: 'ssh', destination: 'me@gpu' } as const, '--host ssh://me@gpu'],
    [{ kind: 'ssh', destination: 'ssh://me@gpu:22' } as const, '--host ssh://me@gpu:22'],
    [{ kind: 'tcp', host: '::1', port: 2375, tlsFolder: null } as const, '--host tcp://[::1]:2375'],
    [
      { kind: 'tcp', host: 'g', port: 2376, tlsFolder: '/t' } as const,
      '--host tcp://g:2376 --tlsverify --tlscacert /t/ca.pem --tlscert /t/cert.pem --tlskey /t/key.pem'
    ]
  ])('reaches %j', (via, words) => {
    expect(dockerWords(via).join(' ')).toBe(words)
  })

  it.each<[string, Partial<BuildRequest>, CheckoutFacts]>([
    ['/srv/Reef', {}, { ...facts, buildable: false }],
    ['reference', { reference: '--privileged' }, facts],
    ['reference', { reference: 'Reef' }, facts],
    ['stage', { stage: 'nope' }, facts],
    ['arguments', { arguments: [{ name: 'A-B', value: '' }] }, facts],
    ['HF_TOKEN', { arguments: [{ name: 'HF_TOKEN', value: 'x' }] }, facts]
  ])('is refused for its %s', (where, change, of) => {
    expect(() => checkBuild({ ...request, ...change }, of)).toThrowError(refused(where))
  })

  it('is done only when the engine has the image', () => {
    expect(buildDone('reef', 'sha256:1').kind).toBe('done')
    expect(buildDone('reef', null)).toMatchObject({ kind: 'failed' })
  })
})

describe('a clone', () => {
  it.each([
    'https://example.org/owner/reef.git',
    'git@example.org:owner/reef',
    'ssh://git@example.org/owner/reef',
    '/srv/reef with space'
  ])('takes %s', (address) => {
    expect(() => checkAddress(address)).not.toThrow()
  })

  it.each([
    'https://me:secret@example.org/reef',
    'https://token@example.org/reef',
    'ssh://me:secret@example.org/reef',
    '--upload-pack=x',
    'ext::sh -c x',
    'reef'
  ])('refuses %s', (address) => {
    expect(() => checkAddress(address)).toThrowError(refused('address'))
  })
})

describe('the end of a command', () => {
  it.each([
    [['Host key verification failed.', 'fatal: Could not read'], /host key/],
    [['fatal: Authentication failed for x'], /credential helper/],
    [['write /x: no space left on device'], /disk is full/],
    [['whatever'], /last lines/]
  ])('%j says what to do', (lines, what) => {
    const state = ended({ kind: 'code', code: 1 }, ['git', 'clone'], lines)
    expect(state?.kind === 'failed' && state.failure.remedy?.en).toMatch(what)
    expect(state?.kind === 'failed' && state.failure.detail).toBe(lines.join('\n'))
  })

  it('is nothing to tell when it went well', () => {
    expect(ended({ kind: 'code', code: 0 }, ['git'], [])).toBeNull()
    expect(ended({ kind: 'missing' }, ['git'], [])).toMatchObject({ failure: { where: 'git' } })
  })
})

it('cuts lines the same wherever the pieces are cut', () => {
  fc.assert(
    fc.property(
      fc.array(fc.string({ unit: fc.constantFrom('a', '界', '\n', ' ') })),
      fc.nat(40),
      (texts, cut) => {
        const whole = Buffer.from(texts.join('\n'))
        const said = (pieces: Buffer[]): string[] => {
          const got: string[] = []
          const lines = new Lines((line) => got.push(line))
          for (const piece of pieces) lines.write(piece)
          lines.end()
          return got
        }
        expect(said([whole.subarray(0, cut), whole.subarray(cut)])).toEqual(said([whole]))
      }
    )
  )
})
