import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createServer, type Server } from 'node:http'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { Check } from '../../../../src-main/contract/preflight'
import { judged, launchContext, slimeRecipe } from '../../../support/preflight-yard'
import { startWeaver, WEAVER_KEY, type WeaverServer } from '../../../support/weaver-server'

let folder = ''
let weaver: WeaverServer
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-weaver-access-'))
  weaver = await startWeaver()
})
afterAll(async () => {
  await weaver.close()
  await rm(folder, { recursive: true, force: true })
})

async function listening(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const at = server.address()
  return at === null || typeof at === 'string' ? '' : `http://127.0.0.1:${at.port}`
}

interface Asked {
  key?: string | undefined
  server?: string
  model?: string
  mode?: string
  backend?: string
}

async function ask(asked: Asked): Promise<Check | undefined> {
  const { server = weaver.url, model, mode, backend = 'weaver' } = asked
  const key = 'key' in asked ? asked.key : WEAVER_KEY
  const made = await launchContext({ folder, text: slimeRecipe(folder) })
  const file = { kind: 'file', file: 'recipe.yaml', line: 1 } as const
  const resolved = [
    { path: 'service.inference_service.backend', value: backend, origin: file },
    ...(model === undefined
      ? []
      : [{ path: 'service.inference_service.model', value: model, origin: file }]),
    ...(mode === undefined
      ? []
      : [{ path: 'service.weaver_service.training_mode', value: mode, origin: file }])
  ]
  const context = {
    ...made,
    recipe: { ...made.recipe, dialect: 'nexrl' as const, resolved },
    variable: (name: string) =>
      ({ WEAVER_API_KEY: key, WEAVER_BASE_URL: `${server}/` })[name] ?? undefined,
    environment: new Map(key === undefined ? [] : [['WEAVER_API_KEY', 'set' as const]])
  }
  return (await judged(context, (id) => id === 'nexrl/weaver')).checks.get('nexrl/weaver')
}

it('asks Weaver itself, and judges its answer', async () => {
  const offered = await ask({ model: 'Qwen/Qwen3-8B', mode: 'full_ft' })
  expect(offered?.verdict).toBe('pass')
  expect(offered?.evidence.en).toContain('it trains Qwen/Qwen3-8B (full_ft)')
  expect(weaver.requests.every(({ method }) => method === 'GET')).toBe(true)

  const absent = await ask({ model: 'Qwen/Qwen9' })
  expect(absent?.verdict).toBe('warn')
  expect(absent?.evidence.en).toContain('does not list Qwen/Qwen9')
  // Its catalogue names the mode but no price for it.
  const unpriced = await ask({ model: 'Qwen/Qwen3-32B', mode: 'full_ft' })
  expect(unpriced?.verdict).toBe('warn')
  expect(unpriced?.evidence.en).toContain('only as lora')

  const wrong = await ask({ key: 'sk-another-key-0123456789' })
  expect(wrong).toMatchObject({ verdict: 'fail' })
  expect(JSON.stringify(wrong)).not.toContain('sk-another-key')
  // That it is not set is told once, by the check of all that the driver reads.
  expect((await ask({ key: undefined }))?.verdict).toBe('skip')
})

it('is unknown where nobody answers, and not asked where Weaver is not used', async () => {
  const asked = weaver.requests.length
  expect((await ask({ backend: 'tinker' }))?.verdict).toBe('skip')
  expect(weaver.requests).toHaveLength(asked)
  const away = await startWeaver()
  await away.close()
  const gone = await ask({ server: away.url })
  expect(gone?.verdict).toBe('unknown')
  expect(gone?.evidence.en).toContain('ECONNREFUSED')
  // Asked once, not four times with pauses between.
  expect(gone?.took).toBeLessThan(900)
})

it('asks a Weaver that is not well once', async () => {
  const asked: string[] = []
  const sick = createServer((request, response) => {
    asked.push(request.url ?? '')
    response.writeHead(503)
    response.end()
  })
  const server = await listening(sick)
  try {
    expect(await ask({ server })).toMatchObject({ verdict: 'warn' })
    expect(asked).toHaveLength(1)
  } finally {
    sick.close()
  }
})
