import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import type { Context } from '../../../src-main/cli/runs'
import { registerWeaverCommands } from '../../../src-main/cli/weaver'
import { startWeaver, WEAVER_KEY, type WeaverServer } from '../../support/weaver-server'

const MODEL = 'm-1f2e'
const PATH = 'weaver://m-1f2e/checkpoints/step_000002'

let server: WeaverServer
let home: string

beforeEach(async () => {
  server = await startWeaver()
  home = mkdtempSync(join(tmpdir(), 'slipway-weaver-cli-'))
  vi.stubEnv('WEAVER_API_KEY', WEAVER_KEY)
  vi.stubEnv('WEAVER_BASE_URL', `${server.url}/`)
})

afterEach(async () => {
  vi.unstubAllEnvs()
  await server.close()
  rmSync(home, { recursive: true, force: true })
})

async function weaver(...args: string[]): Promise<{ code: number; out: string; err: string }> {
  const said = { code: -1, out: '', err: '' }
  const context: Context = {
    io: {
      out: (text) => {
        said.out += `${text}\n`
      },
      err: (text) => {
        said.err += `${text}\n`
      },
      exit: (code) => {
        said.code = code
      },
      language: 'en'
    },
    engine: {
      home: undefined,
      resources: resolve('resources'),
      recipes: resolve('recipes'),
      version: '0.0.0-test'
    },
    json: () => args.includes('--json'),
    home: () => home
  }
  const program = new Command().exitOverride()
  registerWeaverCommands(program, context)
  await program.parseAsync(['weaver', ...args.filter((one) => one !== '--json')], { from: 'user' })
  return said
}

const sent = (): string[] => server.requests.map(({ method }) => method)

it('shows models, prices and what is left of checkpoints', async () => {
  expect((await weaver('status')).out).toContain('environment')
  expect((await weaver('catalogue')).out).toMatch(/Qwen\/Qwen3-8B +full_ft +\$0\.4 +\$0\.1/)
  expect((await weaver('models', '--session', 's-odd')).out.split('\n').length).toBe(117)
  expect((await weaver('checkpoints', MODEL)).out).toMatch(/step_000002 +sampling .* (?:59|60) min/)
  const json = JSON.parse((await weaver('checkpoints', MODEL, '--json')).out) as {
    checkpoints: { path: string }[]
  }
  expect(json.checkpoints[0]?.path).toBe(PATH)
})

it.each([
  ['extend', MODEL, PATH],
  ['save', MODEL],
  ['export', MODEL, PATH],
  ['download', MODEL, PATH, 'somewhere']
])('%s does nothing until it is confirmed', async (...args) => {
  const { code, err } = await weaver(...args)
  expect(code).toBe(1)
  expect(err).toContain('Nothing was done; say --yes')
  expect(sent().filter((method) => method !== 'GET')).toEqual([])
})

it('does the four acts', async () => {
  expect(await weaver('extend', MODEL, PATH, '--seconds', '86400', '--yes')).toMatchObject({
    code: 0
  })
  expect((await weaver('save', MODEL, '--name', 'k', '--yes')).out).toContain('checkpoints/k')
  expect((await weaver('export', MODEL, PATH, '--yes')).code).toBe(0)
  const { out } = await weaver('download', MODEL, PATH, join(home, 'down'), '--yes')
  expect(out).toMatch(/[0-9a-f]{64} +200000 +adapter_model\.safetensors/)
})

it('shortens a life only with --shorten, and wants a number that is one', async () => {
  const shorter = await weaver('extend', MODEL, PATH, '--seconds', '60', '--yes')
  expect(shorter).toMatchObject({ code: 1 })
  expect(shorter.err).toContain('--shorten')
  expect(sent()).not.toContain('PATCH')
  const args = ['extend', MODEL, PATH, '--seconds', '60', '--shorten', '--yes']
  expect(await weaver(...args)).toMatchObject({ code: 0 })
  const { err } = await weaver('extend', MODEL, PATH, '--seconds', 'long', '--yes')
  expect(err).toContain('A whole number is wanted here')
})

it.each([
  ['WEAVER_API_KEY', 'sk-钥匙-0123456789', 'This is not a key'],
  ['WEAVER_BASE_URL', 'weaver.example.org', 'WEAVER_BASE_URL is no address']
])('says that %s is no such thing, not that the server is away', async (name, value, said) => {
  vi.stubEnv(name, value)
  const { code, err } = await weaver('models')
  expect(code).toBe(1)
  expect(err).toContain(said)
  expect(err).not.toContain('钥匙')
})

it('says what is wrong without a key', async () => {
  vi.stubEnv('WEAVER_API_KEY', '')
  const { code, err } = await weaver('models')
  expect(code).toBe(1)
  expect(err).toContain('There is no key for Weaver.')
})
