import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Check } from '../../../../src-main/contract/preflight'
import type { Plan } from '../../../../src-main/contract/launch'
import type { LaunchContext } from '../../../../src-main/engine/preflight'
import type { Tool } from '../../../../src-main/engine/preflight/tools'
import { judged, launchContext, slimeRecipe } from '../../../support/preflight-yard'

let folder = ''
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-each-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

interface Otherwise {
  options?: readonly string[]
  /** Put in place of parts of the recipe's text. */
  replace?: readonly (readonly [string, string])[]
  plan?: Partial<Plan>
  change?: Partial<LaunchContext>
}

async function check(id: string, otherwise: Otherwise = {}): Promise<Check | undefined> {
  const { options, replace = [], plan = {}, change = {} } = otherwise
  const text = replace.reduce(
    (so, [from, to]) => so.replace(from, to),
    slimeRecipe(folder, 8900, options)
  )
  const made = await launchContext({ folder, text })
  const context = { ...made, ...change, plan: { ...made.plan, ...plan } }
  return (await judged(context, (one) => one === id)).checks.get(id)
}

const verdict = async (id: string, otherwise?: Otherwise): Promise<string | undefined> =>
  (await check(id, otherwise))?.verdict

const said = (stdout: string, code = 0) => ({ kind: 'done' as const, code, stdout, stderr: '' })

describe('GPUs, from recorded answers of nvidia-smi', () => {
  const gpu = (index: number, more = 'Disabled, Default', used = 4): string =>
    `${index}, GPU-${index}, 570.86.15, 81920, ${used}, ${more}, NVIDIA H100 80GB HBM3\n`
  const machine = (gpus: string, apps = '') => {
    const tool: Tool = (_file, args) =>
      Promise.resolve(said(args[0]?.startsWith('--query-gpu') === true ? gpus : apps))
    return { change: { machine: () => Promise.resolve(tool) } }
  }
  const eight = Array.from({ length: 8 }, (_, index) => gpu(index)).join('')

  it('their number', async () => {
    expect(await verdict('gpu/count', machine(eight))).toBe('pass')
    const roles = { gpus: { count: 9, devices: null, roles: [{ role: 'actor', gpus: 9 }] } }
    expect(await verdict('gpu/count', { ...machine(eight), plan: roles })).toBe('fail')
    const away = { change: { machine: () => Promise.resolve(null) } }
    expect(await verdict('gpu/count', away)).toBe('unknown')
  })

  it('who holds them', async () => {
    expect(await verdict('gpu/free', machine(eight))).toBe('pass')
    const held = gpu(0, 'Disabled, Default', 70_000)
    const apps = 'GPU-0, 4242, 70000, python3\n'
    const taken = await check('gpu/free', machine(held, apps))
    expect(taken).toMatchObject({ verdict: 'fail', judgement: true })
    expect(taken?.evidence.en).toContain('pid 4242')
    // The recipe takes two of these three.
    expect(await verdict('gpu/free', machine(held + gpu(1) + gpu(2), apps))).toBe('warn')
  })

  it('how they are set up', async () => {
    expect(await verdict('gpu/mode', machine(eight))).toBe('pass')
    expect(await verdict('gpu/mode', machine(gpu(0, 'Enabled, Default')))).toBe('warn')
    expect(await verdict('gpu/mode', machine(gpu(0, 'Disabled, Prohibited')))).toBe('fail')
  })

  it('how many CUDA_VISIBLE_DEVICES leaves', async () => {
    const visible = (value?: string) => ({ change: { variable: () => value } })
    expect(await verdict('gpu/visible', visible())).toBe('pass')
    expect(await verdict('gpu/visible', visible('0,1,2,3'))).toBe('pass')
    expect(await verdict('gpu/visible', visible('-1'))).toBe('fail')
  })
})

describe('around a container', () => {
  it('folders that would be made by root', async () => {
    const host = join(folder, 'models')
    const plan = { image: 'reef:1', mounts: [{ host, container: '/root/models', readOnly: false }] }
    expect(await check('docker/mounts', { plan })).toMatchObject({
      verdict: 'warn',
      fix: { kind: 'make-folder', path: host }
    })
    await mkdir(host)
    expect(await verdict('docker/mounts', { plan })).toBe('pass')
  })

  it('a checkout that hides the installed package', async () => {
    const plan = { mounts: [{ host: folder, container: '/workspace/Reef', readOnly: false }] }
    expect(await verdict('state/shadowing-checkout', { plan })).toBe('pass')
    await mkdir(join(folder, 'reef.egg-info'))
    expect(await verdict('state/shadowing-checkout', { plan })).toBe('warn')
    expect(await verdict('state/shadowing-checkout')).toBe('skip')
  })

  it('a checkout made without Git LFS', async () => {
    const plan = { mounts: [{ host: folder, container: '/workspace/Reef', readOnly: false }] }
    expect(await verdict('state/lfs-pointers', { plan })).toBe('pass')
    const pointer = `version https://git-lfs.github.com/spec/v1\noid sha256:${'0'.repeat(64)}\nsize 9\n`
    await writeFile(join(folder, 'data.parquet'), pointer)
    expect(await check('state/lfs-pointers', { plan })).toMatchObject({
      verdict: 'fail',
      judgement: true
    })
  })
})

describe('other stacks of ours', () => {
  const run = (gpus: number, writes: readonly string[] = []) => ({
    change: { ownRuns: [{ name: 'night', target: 'local', gpus, writes }] }
  })

  it('that share GPUs', async () => {
    const image = { plan: { image: 'reef:1' } }
    expect(await verdict('docker/other-stacks')).toBe('pass')
    expect(await verdict('docker/other-stacks', { ...run(0), ...image })).toBe('pass')
    expect(await verdict('docker/other-stacks', { ...run(2), ...image })).toBe('warn')
  })

  it('that write the same folders', async () => {
    expect(await verdict('state/second-writer', run(1, ['/elsewhere']))).toBe('pass')
    const clash = await check('state/second-writer', run(1, [join(folder, 'records')]))
    expect(clash).toMatchObject({ verdict: 'fail', judgement: false })
    expect(clash?.evidence.en).toContain('night')
  })
})

it.runIf(process.platform !== 'win32')('folders of somebody else', async () => {
  const records = join(folder, 'records')
  await mkdir(records)
  const stranger = { change: { user: 54_321 } }
  const foreign = await check('state/ownership', stranger)
  expect(foreign?.verdict).toBe('warn')
  expect(foreign?.command).toContain('chown')
  await chmod(records, 0o777)
  expect(await verdict('state/ownership', stranger)).toBe('pass')
})

describe('the environment', () => {
  it('a service that strangers may use', async () => {
    expect(await verdict('environment/token')).toBe('pass')
    const open = [['host: 127.0.0.1', 'host: 0.0.0.0']] as const
    expect(await verdict('environment/token', { replace: open })).toBe('warn')
    const closed = [['host: 127.0.0.1', 'host: 0.0.0.0\n  token: ${REEF_TOKEN}']] as const
    const environment = new Map([['REEF_TOKEN', 'set' as const]])
    expect(await verdict('environment/token', { replace: closed, change: { environment } })).toBe(
      'pass'
    )
  })

  it('keys and placeholders', async () => {
    const plan = { environment: [{ name: 'A_KEY', value: null }] }
    const state = (value: 'set' | 'placeholder') => ({
      plan,
      change: { environment: new Map([['A_KEY', value]]) }
    })
    expect(await verdict('environment/variables', state('set'))).toBe('pass')
    expect(await verdict('environment/variables', { plan })).toBe('warn')
    expect(await verdict('environment/variables', state('placeholder'))).toBe('fail')
  })

  it('Weights & Biases that would ask on a terminal', async () => {
    const options = ['use-wandb: true']
    expect(await verdict('environment/wandb')).toBe('skip')
    expect(await verdict('environment/wandb', { options })).toBe('warn')
    const offline = { variable: (name: string) => (name === 'WANDB_MODE' ? 'offline' : undefined) }
    expect(await verdict('environment/wandb', { options, change: offline })).toBe('pass')
  })

  it('a proxy that catches calls to the machine itself', async () => {
    const proxy = (no?: string) => ({
      change: {
        variable: (name: string) =>
          name === 'http_proxy' ? 'http://p:3128' : name === 'no_proxy' ? no : undefined
      }
    })
    expect(await verdict('environment/proxy')).toBe('pass')
    expect(await verdict('environment/proxy', proxy())).toBe('warn')
    expect(await verdict('environment/proxy', proxy('127.0.0.1,localhost'))).toBe('pass')
  })

  it('a clock that nobody keeps, from recorded answers of timedatectl', async () => {
    const tool = (word: string) => ({ change: { tool: () => Promise.resolve(said(`${word}\n`)) } })
    expect(await verdict('environment/clock', tool('yes'))).toBe('pass')
    expect(await verdict('environment/clock', tool('no'))).toBe('warn')
    expect(await verdict('environment/clock', tool(''))).toBe('skip')
  })
})

it('memory of a GPU is an estimate with its terms, never a fail', async () => {
  await mkdir(join(folder, 'model'))
  const header = '{"a":{"dtype":"BF16","shape":[2048],"data_offsets":[0,4096]}}'
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  const weights = Buffer.concat([length, Buffer.from(header), Buffer.alloc(4096)])
  await writeFile(join(folder, 'model', 'model.safetensors'), weights)
  const shape = { num_hidden_layers: 28, num_attention_heads: 12, num_key_value_heads: 2 }
  const config = { ...shape, hidden_size: 1536, vocab_size: 151_936, model_type: 'qwen2' }
  await writeFile(join(folder, 'model', 'config.json'), JSON.stringify(config))
  const made = await launchContext({ folder, text: slimeRecipe(folder) })
  const status = await made.status()
  const gpu = (memoryBytes: number) => ({
    status: () =>
      Promise.resolve({
        ...status,
        gpus: [{ index: 0, name: 'H100', memoryBytes, usedBytes: 0, utilisation: null }]
      })
  })
  expect(await verdict('model/memory', { change: gpu(80e9) })).toBe('pass')
  const small = await check('model/memory', { change: gpu(8e9) })
  expect(small?.verdict).toBe('warn')
  expect(small?.evidence.en).toMatch(/weights .* gradients .* optimizer .* logits .* KV cache/)
})

it('a place that cannot be reached', async () => {
  const made = await launchContext({ folder, text: slimeRecipe(folder) })
  const status = await made.status()
  const reachable = (how: 'yes' | 'no' | 'unknown') => ({
    change: { status: () => Promise.resolve({ ...status, reachable: how }) }
  })
  expect(await verdict('docker/target', reachable('yes'))).toBe('pass')
  expect(await verdict('docker/target', reachable('no'))).toBe('fail')
  expect(await verdict('docker/target', reachable('unknown'))).toBe('unknown')
})
