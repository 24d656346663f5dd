import { createHash } from 'node:crypto'
import { readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { CheckpointCatalogue } from '../../../../src-main/contract/checkpoints'
import {
  copyRoot,
  keepCheckpoint,
  letGoCheckpoint,
  exportsOf,
  listCheckpoints,
  mayBeLinked,
  parseTracker,
  listKept,
  planRootCopy,
  unsafeToKeep,
  withKept,
  withRewards,
  verifyCheckpoint
} from '../../../../src-main/engine/checkpoints'
import { openLocalSource } from '../../../../src-main/engine/compare'
import { localFiles } from '../../../../src-main/engine/targets'
import { randomTensor, safetensors, seeded, withFiles } from '../compare/weight-files'

const weights = safetensors({ w: randomTensor('BF16', [4, 8], seeded(1)) })
const record = (rollout: number, status: string): Record<string, string> => ({
  [`root/.reef-retention/records/${String(rollout).padStart(20, '0')}.json`]: JSON.stringify({
    version: 1,
    status,
    job_id: `j${rollout}`,
    rollout_id: rollout,
    bytes: 9,
    reward: rollout / 10
  })
})
const files: Record<string, string | Buffer> = {
  'root/hf/3/model.safetensors': weights,
  'root/hf/3/config.json': '{}',
  'root/hf/7/model.safetensors': weights,
  'root/hf/8/model.safetensors': weights,
  'root/hf/9/model.safetensors': weights,
  'root/hf/.reef-latest-job.json': JSON.stringify({
    status: 'COMPLETE',
    job_id: 'j9',
    rollout_id: 9
  }),
  'root/hf/reef_scenarios.json': '{}',
  'root/hf/.DS_Store': 'x',
  'root/megatron/iter_0000008/__0_0.distcp': 'abc',
  'root/megatron/iter_0000009/deep/er.distcp': 'abcd',
  'root/megatron/iter_0000010/__0_0.distcp': 'half',
  'root/megatron/latest_checkpointed_iteration.txt': '9\n',
  'root/megatron-critic/iter_0000009/x': 'c',
  ...record(7, 'DELETING'),
  ...record(8, 'COMPLETE'),
  ...record(9, 'COMPLETE'),
  'root/.reef-retention/records/broken.json': '{'
}

describe('the catalogue of a checkpoint root', () => {
  it('pairs what each rollout saved and says what will become of it', async () => {
    await withFiles(files, async (folder) => {
      const catalogue = await listCheckpoints(localFiles(), `${folder}/root`)
      const { newestRecord, ...told } = catalogue
      expect(CheckpointCatalogue.omit({ restart: true }).parse(told)).toEqual(told)
      expect(newestRecord).toEqual({ jobId: 'j9', rolloutId: 9 })
      expect(
        catalogue.checkpoints.map((one) => [
          one.rolloutId,
          one.export !== null,
          one.trainer !== null,
          one.critic !== null,
          one.trainerWhole,
          one.fate,
          one.jobId
        ])
      ).toEqual([
        [10, false, true, false, false, 'unrecorded', null],
        [9, true, true, true, true, 'protected', 'j9'],
        [8, true, true, false, true, 'while-space-lasts', 'j8'],
        [7, true, false, false, null, 'being-deleted', 'j7'],
        [3, true, false, false, null, 'unrecorded', null]
      ])
      expect(catalogue).toMatchObject({
        tracker: 9,
        strays: ['hf/.DS_Store'],
        marker: { status: 'COMPLETE', jobId: 'j9', rolloutId: 9 }
      })
      expect(catalogue.checkpoints[1]?.trainer?.files).toBe(1)
      expect(exportsOf(catalogue).map(({ rolloutId, jobId }) => [rolloutId, jobId])).toEqual([
        [9, 'j9'],
        [8, 'j8'],
        [3, null]
      ])
      expect(catalogue.bytes).toBeGreaterThan(0)
    })
  })
  it('takes the reward of a release where the stack wrote none down', async () => {
    await withFiles(files, async (folder) => {
      const catalogue = await listCheckpoints(localFiles(), `${folder}/root`)
      const at = (rollout: number): string => `${folder}/root/hf/${rollout}`
      const rewards = new Map([3, 9].map((rollout) => [at(rollout), 0.25]))
      const { checkpoints } = withRewards(catalogue, rewards)
      expect(checkpoints.map(({ rolloutId, reward }) => [rolloutId, reward])).toEqual([
        [10, null],
        [9, 0.9],
        [8, 0.8],
        [7, 0.7],
        [3, 0.25]
      ])
    })
  })
  it('of an absent or empty root is empty', async () => {
    expect(await listCheckpoints(localFiles(), '/nonexistent/slipway')).toMatchObject({
      checkpoints: [],
      tracker: null,
      marker: null,
      bytes: 0
    })
  })
  it('says when the marker is broken', async () => {
    await withFiles({ 'root/hf/.reef-latest-job.json': '{"status"' }, async (folder) => {
      expect((await listCheckpoints(localFiles(), `${folder}/root`)).marker?.status).toBe(
        'unreadable'
      )
    })
  })
  it.each([
    ['19', 19],
    ['19\n', 19],
    ['release', null],
    ['', null],
    ['1e3', null],
    ['-1', null]
  ])('reads the tracker %j as %s', (text, number) => {
    expect(parseTracker(text)).toBe(number)
  })
})

describe('a copy of a checkpoint root', () => {
  it.each([
    ['hf/7/model.safetensors', true],
    ['megatron/iter_0000007/a/b', true],
    ['megatron-critic/iter_0000007/x', true],
    ['megatron/latest_checkpointed_iteration.txt', false],
    ['hf/.reef-latest-job.json', false],
    ['hf/reef_scenarios.json', false],
    ['hf/7', false],
    ['megatron/reef_adapter_slots/x', false],
    ['.reef-retention/records/1.json', false],
    ['other/iter_0000007/x', false]
  ])('links %s: %s', (path, linked) => {
    expect(mayBeLinked(path)).toBe(linked)
  })

  it('shares bytes of finished checkpoints only, and writing a control file leaves the other alone', async () => {
    await withFiles(files, async (folder) => {
      await symlink('/etc/hostname', `${folder}/root/hf/3/link`)
      const plan = await planRootCopy(localFiles(), `${folder}/root`)
      expect(plan.skipped).toEqual(['hf/3/link'])
      await copyRoot(plan, `${folder}/copy`, new AbortController().signal)
      const inode = async (path: string): Promise<number> => (await stat(`${folder}/${path}`)).ino
      expect(await inode('copy/hf/7/model.safetensors')).toBe(
        await inode('root/hf/7/model.safetensors')
      )
      const tracker = 'megatron/latest_checkpointed_iteration.txt'
      expect(await inode(`copy/${tracker}`)).not.toBe(await inode(`root/${tracker}`))
      await writeFile(`${folder}/copy/${tracker}`, '10')
      expect(await readFile(`${folder}/root/${tracker}`, 'utf8')).toBe('9\n')
      await expect(
        copyRoot(plan, `${folder}/copy`, new AbortController().signal)
      ).rejects.toMatchObject({ failure: { code: 'copy-target' } })
    })
  })
})

describe('keeping a checkpoint', () => {
  const signal = new AbortController().signal

  it('outlives the clean-up of the stack, takes no space, and lets go of nothing else', async () => {
    await withFiles(files, async (folder) => {
      const [root, kept] = [`${folder}/root`, `${folder}/run/kept`]
      const made = await keepCheckpoint(localFiles(), root, 7, kept, signal)
      expect(made).toMatchObject({ path: `${kept}/7`, copied: 0 })
      const weights = 'hf/7/model.safetensors'
      const bytes = await readFile(`${root}/${weights}`)
      expect((await stat(`${kept}/7/${weights}`)).ino).toBe((await stat(`${root}/${weights}`)).ino)
      // Neither other rollouts nor a control file come along.
      const names = await readdir(`${kept}/7`, { recursive: true })
      expect(names.filter((name) => /json$|iteration|iter_0000003|hf\/3/.test(name))).toEqual([])
      await rm(`${root}/hf/7`, { recursive: true })
      expect(await readFile(`${kept}/7/${weights}`)).toEqual(bytes)
      const { checkpoints } = withKept(
        await listCheckpoints(localFiles(), root),
        await listKept(localFiles(), kept)
      )
      expect(checkpoints.find(({ rolloutId }) => rolloutId === 7)?.kept?.path).toBe(`${kept}/7`)
      // A rollout without files is refused.
      await expect(keepCheckpoint(localFiles(), root, 999, kept, signal)).rejects.toMatchObject({
        failure: { code: 'checkpoint-not-here' }
      })
      await letGoCheckpoint(7, kept)
      expect((await listKept(localFiles(), kept)).size).toBe(0)
      expect(await readdir(`${root}/hf`)).toContain('3')
    })
  })

  it.each([
    ['fine', { fate: 'protected', trainerWhole: true }, 'COMPLETE', null],
    ['fine without marker', { fate: 'unrecorded', trainerWhole: null }, null, null],
    [
      'of another rollout',
      { fate: 'protected', trainerWhole: true, rolloutId: 3 },
      'RUNNING',
      null
    ],
    ['being written', { fate: 'protected', trainerWhole: true }, 'CHECKPOINT', 'still writing'],
    ['cut off', { fate: 'protected', trainerWhole: false }, 'COMPLETE', 'cut off'],
    ['being deleted', { fate: 'being-deleted', trainerWhole: true }, 'COMPLETE', 'deleting']
  ] as const)('%s', (_, checkpoint, status, why) => {
    const marker = status === null ? null : { status, jobId: 'j', rolloutId: 7 }
    const told = unsafeToKeep({ rolloutId: 7, ...checkpoint }, marker)?.en ?? null
    if (why === null) expect(told).toBeNull()
    else expect(told).toContain(why)
  })
})

describe('verifying', () => {
  it('counts what is whole and names what is not', async () => {
    const sidecar = (name: string, data: Buffer): string =>
      JSON.stringify({ files: { [name]: createHash('sha256').update(data).digest('hex') } })
    await withFiles(
      {
        'good/adapter_model.safetensors': weights,
        'good/reef-adapter.json': sidecar('adapter_model.safetensors', weights),
        'changed/adapter_model.safetensors': weights,
        'changed/reef-adapter.json': sidecar('adapter_model.safetensors', Buffer.from('other')),
        'short/model.safetensors': weights.subarray(0, weights.length - 1)
      },
      async (folder) => {
        const check = (name: string): ReturnType<typeof verifyCheckpoint> =>
          verifyCheckpoint(openLocalSource, `${folder}/${name}`)
        expect(await check('good')).toMatchObject({
          shards: 1,
          tensors: 1,
          bytes: 64,
          problems: []
        })
        expect((await check('changed')).problems.map(({ file }) => file)).toEqual([
          `${folder}/changed/adapter_model.safetensors`
        ])
        expect((await check('short')).problems[0]?.why.en).toContain('incomplete')
      }
    )
  })
})
