import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
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
  expect(await ask({ key: undefined })).toMatchObject({ verdict: 'fail', judgement: true })
})

it('is unknown where nobody answers, and not asked where Weaver is not used', async () => {
  const asked = weaver.requests.length
  expect((await ask({ backend: 'tinker' }))?.verdict).toBe('skip')
  expect(weaver.requests).toHaveLength(asked)
  const away = await startWeaver()
  await away.close()
  expect((await ask({ server: away.url }))?.verdict).toBe('unknown')
})
