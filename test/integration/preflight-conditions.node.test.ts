import { execFileSync } from 'node:child_process'
import { chmod, mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { Check } from '../../src-main/contract/preflight'
import type { Target } from '../../src-main/engine/targets'
import { hereTarget, judged, launchContext, slimeRecipe } from '../support/preflight-yard'

let folder = ''
const servers: Server[] = []
const mounted: string[] = []
const mayMount = process.platform === 'linux' && process.getuid?.() === 0
const skipped = mayMount ? '' : ' (skipped: mounting needs root on Linux)'

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-conditions-'))
})
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((closed) => server.close(closed))
  for (const path of mounted.splice(0)) execFileSync('umount', [path])
  await rm(folder, { recursive: true, force: true })
})

function listen(): Promise<number> {
  const server = createServer()
  servers.push(server)
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', () => {
      const address = server.address()
      resolve(typeof address === 'object' && address !== null ? address.port : 0)
    })
  })
}

async function mount(options: readonly string[], place: string): Promise<void> {
  await mkdir(place, { recursive: true })
  execFileSync('mount', [...options, place], { stdio: 'pipe' })
  mounted.push(place)
}

interface Asked {
  port?: number
  options?: readonly string[]
  target?: Target
}

async function check(
  id: string,
  { port, options, target }: Asked = {}
): Promise<Check | undefined> {
  const text = slimeRecipe(folder, port, options)
  const context = await launchContext({ folder, text, ...(target === undefined ? {} : { target }) })
  return (await judged(context, (one) => one === id)).checks.get(id)
}

function shard(bytes: number): Buffer {
  const header = JSON.stringify({
    a: { dtype: 'F32', shape: [bytes / 4], data_offsets: [0, bytes] }
  })
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(header.length))
  return Buffer.concat([length, Buffer.from(header), Buffer.alloc(bytes)])
}

async function makeModel(): Promise<string> {
  const model = join(folder, 'model')
  await mkdir(model)
  await writeFile(join(model, 'config.json'), '{"model_type":"qwen2"}')
  await writeFile(join(model, 'tokenizer.json'), '{}')
  await writeFile(join(model, 'model.safetensors'), shard(1 << 20))
  return join(model, 'model.safetensors')
}

describe('preflight on this very machine', () => {
  it('names who holds the port and offers the next free one', async () => {
    const port = await listen()
    const taken = await check(`ports/${port}`, { port })
    expect(taken?.verdict).toBe('fail')
    expect(taken?.evidence.en).toContain(`pid ${process.pid}`)
    expect(taken?.fix).toMatchObject({ kind: 'override', path: 'reef.port' })
    await new Promise((closed) => servers.pop()?.close(closed))
    expect((await check(`ports/${port}`, { port }))?.verdict).toBe('pass')
  })

  it('warns of a free port in Ray’s worker range', async () => {
    expect((await check('ports/10777', { port: 10_777 }))?.verdict).toBe('warn')
  })

  it('sees something where a Ray head listens', async () => {
    expect((await check('ports/ray-head'))?.verdict).toBe('pass')
    const server = createServer()
    servers.push(server)
    await new Promise<void>((listening, failed) => {
      server.once('error', failed)
      server.listen(6379, '127.0.0.1', listening)
    })
    expect((await check('ports/ray-head'))?.verdict).toBe('warn')
  })

  it('goes through a model from absent over torn to whole', async () => {
    expect((await check('model/files'))?.evidence.en).toContain('is not there')
    const weights = await makeModel()
    expect((await check('model/files'))?.verdict).toBe('pass')
    await truncate(weights, 1 << 19)
    const torn = await check('model/files')
    expect(torn?.verdict).toBe('fail')
    expect(torn?.evidence.en).toContain('cut short')
  })

  it('finds a stray file among the checkpoints', async () => {
    const hf = join(folder, 'checkpoints', 'hf')
    await mkdir(join(hf, '3'), { recursive: true })
    expect((await check('state/stray-files'))?.verdict).toBe('pass')
    await writeFile(join(hf, '.DS_Store'), '')
    const found = await check('state/stray-files')
    expect(found?.evidence.en).toContain('.DS_Store')
    // Its command, done as it stands, mends it.
    execFileSync('sh', ['-c', found?.command ?? 'false'])
    expect((await check('state/stray-files'))?.verdict).toBe('pass')
  })

  it.each([
    ['COMPLETE', 'pass'],
    ['HEAD_COMMITTED', 'pass'],
    ['CHECKPOINT', 'warn'],
    ['UPDATING_WEIGHTS', 'warn'],
    ['READY_TO_COMMIT', 'warn'],
    ['RUNNING', 'fail'],
    ['REJECTING', 'fail'],
    ['REJECTED', 'fail'],
    [null, 'fail']
  ])('a marker file that says %s: %s', async (status, verdict) => {
    const hf = join(folder, 'checkpoints', 'hf')
    await mkdir(hf, { recursive: true })
    expect((await check('state/job-marker'))?.verdict).toBe('pass')
    const marker =
      status === null ? '{"status": "COM' : JSON.stringify({ status, job_id: 'j', rollout_id: 4 })
    await writeFile(join(hf, '.reef-latest-job.json'), marker)
    expect((await check('state/job-marker'))?.verdict).toBe(verdict)
  })

  it('asks the launcher itself, and takes its refusal for one', async () => {
    const reef = join(folder, 'reef')
    const say = async (script: string): Promise<Check | undefined> => {
      await writeFile(reef, `#!/bin/sh\n${script}\n`)
      await chmod(reef, 0o755)
      const context = await launchContext({ folder, text: slimeRecipe(folder) })
      const plan = { ...context.plan, argv: [reef, ...context.plan.argv.slice(1)] }
      return (await judged({ ...context, plan }, (id) => id.startsWith('oracle/'))).checks.get(
        'oracle/print-config'
      )
    }
    expect((await say('echo "  reef.port = 8900  (file)"'))?.verdict).toBe('pass')
    const other = await say('echo "  reef.port = 9100  (file)"')
    expect(other).toMatchObject({ verdict: 'warn' })
    expect(other?.evidence.en).toContain('reef.port: 9100 ≠ 8900')
    const refused = await say('test "$5" = --print-config; echo "config $3: no" >&2; exit 2')
    expect(refused).toMatchObject({ verdict: 'fail', judgement: false })
    expect(refused?.evidence.en).toContain('recipe.yaml: no')
    await rm(reef)
    expect((await check('oracle/print-config'))?.verdict).toBe('skip')
  })

  it('takes no second over a thousand files', async () => {
    await makeModel()
    const hf = join(folder, 'checkpoints', 'hf')
    await mkdir(hf, { recursive: true })
    for (let number = 0; number < 500; number += 1) {
      await mkdir(join(hf, String(number)))
      await writeFile(join(hf, String(number), 'model.safetensors'), 'x')
      await writeFile(join(folder, 'model', `note-${number}.txt`), 'x')
    }
    const context = await launchContext({ folder, text: slimeRecipe(folder) })
    // Time on the processor, one check after another: what else the machine does must not count.
    for (const id of ['disk/checkpoints', 'disk/artifacts', 'state/stray-files', 'model/files']) {
      const before = process.cpuUsage()
      const { checks } = await judged(context, (one) => one === id)
      const { user, system } = process.cpuUsage(before)
      expect(checks.get(id)?.verdict).not.toBe('unknown')
      expect((user + system) / 1000, id).toBeLessThan(1000)
    }
  })

  describe.skipIf(!mayMount)(`filesystems of its own${skipped}`, () => {
    it('sees a small filesystem under the checkpoints, not the large one above it', async () => {
      await makeModel()
      const place = join(folder, 'checkpoints')
      await mount(['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs'], place)
      expect((await check('disk/checkpoints'))?.verdict).toBe('fail')
      execFileSync('mount', ['-o', 'remount,size=64m', place])
      expect((await check('disk/checkpoints'))?.verdict).toBe('pass')
    })

    it('fails on a loop-mounted filesystem that is full, passes when it is emptied', async () => {
      await makeModel()
      const image = join(folder, 'disk.img')
      await writeFile(image, '')
      await truncate(image, 96 << 20)
      execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image])
      const place = join(folder, 'checkpoints')
      await mount(['-o', 'loop', image], place)
      expect((await check('disk/checkpoints'))?.verdict).toBe('pass')
      const filler = join(place, 'filler')
      execFileSync('sh', ['-c', 'dd if=/dev/zero of="$1" bs=1M 2>/dev/null || true', 'sh', filler])
      const full = await check('disk/checkpoints')
      expect(full).toMatchObject({ verdict: 'fail', judgement: false })
      expect(full?.evidence.en).toMatch(/ 0\.0 GB free/)
      await rm(filler)
      expect((await check('disk/checkpoints'))?.verdict).toBe('pass')
    })

    it('fails where the run itself, and warns where the engine, has no room left', async () => {
      const place = join(folder, 'place')
      await mount(['-t', 'tmpfs', '-o', 'size=16m', 'tmpfs'], place)
      const made = await launchContext({ folder, text: slimeRecipe(folder) })
      const status = await made.status()
      const engine = (rootFolder: string) => ({
        ...{
          engine: 'Docker',
          version: '28',
          api: '1.48',
          system: 'linux',
          architecture: 'x86_64'
        },
        host: null,
        cgroup: 2 as const,
        storage: null,
        logDriver: null,
        rootFolder,
        runtimes: ['runc'],
        rootless: false
      })
      const look = async (at: string): Promise<(string | undefined)[]> => {
        const { checks } = await judged(
          {
            ...made,
            launchFolder: at,
            runsFolder: at,
            plan: { ...made.plan, image: 'reef:1' },
            status: () => Promise.resolve({ ...status, engineFacts: engine(at) })
          },
          (id) => id === 'disk/free' || id === 'docker/storage'
        )
        return ['disk/free', 'docker/storage'].map((id) => checks.get(id)?.verdict)
      }
      expect(await look(place)).toEqual(['fail', 'warn'])
      execFileSync('mount', ['-o', 'remount,size=8g', place])
      expect(await look(place)).toEqual(['pass', 'pass'])
    })

    it('reads the limit of open files of this very process', async () => {
      const limits = execFileSync('prlimit', [
        '--pid',
        String(process.pid),
        '--nofile',
        '-o',
        'SOFT',
        '--noheadings'
      ])
      const limited = async (soft: number): Promise<string | undefined> => {
        execFileSync('prlimit', ['--pid', String(process.pid), `--nofile=${soft}:`])
        return (await check('environment/limits'))?.verdict
      }
      try {
        expect(await limited(8192)).toBe('warn')
        expect(await limited(2048)).toBe('fail')
      } finally {
        execFileSync('prlimit', [
          '--pid',
          String(process.pid),
          `--nofile=${String(limits).trim()}:`
        ])
      }
    })

    it('reads the size of /dev/shm as the stack will find it', async () => {
      const shm = join(folder, 'shm')
      const sized = async (size: string): Promise<Check | undefined> => {
        if (mounted.length === 0) await mount(['-t', 'tmpfs', '-o', `size=${size}`, 'tmpfs'], shm)
        else execFileSync('mount', ['-o', `remount,size=${size}`, shm])
        const here = hereTarget(folder)
        const statfs = (path: string) => here.files.statfs(path === '/dev/shm' ? shm : path)
        const target: Target = { ...here, files: { ...here.files, statfs } }
        return check('shm', { target, options: ['rollout-num-gpus-per-engine: 2'] })
      }
      const small = await sized('64m')
      expect(small).toMatchObject({ verdict: 'fail', judgement: true })
      expect(small?.evidence.en).toContain('0.1 GiB free in the host’s /dev/shm')
      expect((await sized('20g'))?.verdict).toBe('warn')
      expect((await sized('40g'))?.verdict).toBe('pass')
      expect((await check('shm'))?.verdict).toBe('skip')
    })
  })
})
