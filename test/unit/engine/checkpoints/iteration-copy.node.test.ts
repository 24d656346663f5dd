import { readdir, readFile, stat, symlink, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import {
  copyRoot,
  judgeIteration,
  listCheckpoints,
  planIterationCopy,
  readCriticTracker,
  type IterationVerdict
} from '../../../../src-main/engine/checkpoints'
import { layIteration } from '../../../../src-main/engine/stacks/iteration-start'
import { localFiles } from '../../../../src-main/engine/targets'
import { folderDigest } from '../../../support/folder-digest'
import { withFiles } from '../compare/weight-files'

const tracker = 'latest_checkpointed_iteration.txt'
const record = (rollout: number): [string, string] => [
  `root/.reef-retention/records/${String(rollout).padStart(20, '0')}.json`,
  JSON.stringify({ version: 1, status: 'COMPLETE', job_id: `j${rollout}`, rollout_id: rollout })
]
const marker = (status: string): string =>
  JSON.stringify({ status, job_id: 'j9', rollout_id: 9, checkpoint_path: '/old/hf/9' })

/** What two rollouts of an actor and a critic leave, and what a clean-up and a write that were cut off left beside them. */
const files: Record<string, string> = {
  'root/hf/8/model.safetensors': 'eight',
  'root/hf/9/model.safetensors': 'nine',
  'root/hf/.reef-latest-job.json': marker('COMPLETE'),
  'root/hf/reef_scenarios.json': '{}',
  'root/hf/.reef-delete-7-j7/model.safetensors': 'seven',
  'root/hf/.DS_Store': 'x',
  'root/megatron/iter_0000008/__0_0.distcp': 'moments of 8',
  'root/megatron/iter_0000008/deep/common.pt': 'more of 8',
  'root/megatron/iter_0000009/__0_0.distcp': 'moments of 9',
  [`root/megatron/${tracker}`]: '9\n',
  'root/megatron/rollout/global_dataset_state_dict_8.pt': 'place in the data',
  'root/megatron-critic/iter_0000008/__0_0.distcp': 'critic of 8',
  'root/megatron-critic/iter_0000009/__0_0.distcp': 'critic of 9',
  [`root/megatron-critic/${tracker}`]: '9',
  'root/.reef-retention/storage.lock': '',
  ...Object.fromEntries([record(8), record(9)])
}

const inode = async (path: string): Promise<number> => (await stat(path)).ino
const signal = new AbortController().signal

describe('a root copied to go on from an older iteration', () => {
  it('holds that iteration alone, links only what is finished, and names it in both trackers', async () => {
    await withFiles(files, async (folder) => {
      const root = `${folder}/root`
      await symlink('/etc/hostname', `${root}/hf/8/link`)
      const before = await folderDigest(root)
      await copyRoot(await planIterationCopy(localFiles(), root, 8), `${folder}/copy`, signal)
      const copy = `${folder}/copy`
      expect((await readdir(`${copy}/hf`)).sort()).toEqual([
        '.reef-latest-job.json',
        '8',
        'reef_scenarios.json'
      ])
      expect((await readdir(`${copy}/megatron`)).sort()).toEqual([
        'iter_0000008',
        tracker,
        'rollout'
      ])
      expect(await readdir(`${copy}/.reef-retention/records`)).toEqual([
        '00000000000000000008.json'
      ])
      for (const folder of ['megatron', 'megatron-critic'])
        expect(await readFile(`${copy}/${folder}/${tracker}`, 'utf8')).toBe('8')
      const linked = [
        'hf/8/model.safetensors',
        'megatron/iter_0000008/__0_0.distcp',
        'megatron/iter_0000008/deep/common.pt',
        'megatron-critic/iter_0000008/__0_0.distcp'
      ]
      for (const path of linked)
        expect(await inode(`${copy}/${path}`)).toBe(await inode(`${root}/${path}`))
      const own = [
        'hf/.reef-latest-job.json',
        'hf/reef_scenarios.json',
        `megatron/${tracker}`,
        `megatron-critic/${tracker}`,
        'megatron/rollout/global_dataset_state_dict_8.pt',
        '.reef-retention/storage.lock',
        '.reef-retention/records/00000000000000000008.json'
      ]
      for (const path of own)
        expect(await inode(`${copy}/${path}`)).not.toBe(await inode(`${root}/${path}`))
      // What the next job of a trainer does there: the same numbers again, its control files in place.
      await writeFile(`${copy}/megatron/${tracker}`, '9')
      await writeFile(`${copy}/hf/.reef-latest-job.json`, marker('RUNNING'))
      await writeFile(`${copy}/megatron/iter_0000009`, 'trained anew')
      await writeFile(`${copy}/hf/9`, 'trained anew')
      expect(await folderDigest(root)).toBe(before)
      expect(await readFile(`${root}/megatron/iter_0000009/__0_0.distcp`, 'utf8')).toBe(
        'moments of 9'
      )
    })
  })

  const change = (changed: Record<string, string | null>): Record<string, string> =>
    Object.fromEntries(
      Object.entries({ ...files, ...changed }).flatMap(([path, text]) =>
        text === null ? [] : [[path, text]]
      )
    )
  const cases: [string, Record<string, string | null>, boolean, IterationVerdict][] = [
    ['as it should be', {}, true, { kind: 'whole', critic: true }],
    [
      'no trainer state',
      {
        'root/megatron/iter_0000008/__0_0.distcp': null,
        'root/megatron/iter_0000008/deep/common.pt': null
      },
      true,
      { kind: 'refused', because: 'no-trainer-state' }
    ],
    [
      'a tracker before it',
      { [`root/megatron/${tracker}`]: '7' },
      true,
      { kind: 'refused', because: 'not-whole' }
    ],
    [
      'no export',
      { 'root/hf/8/model.safetensors': null },
      true,
      { kind: 'refused', because: 'no-export' }
    ],
    [
      'no critic of it',
      { 'root/megatron-critic/iter_0000008/__0_0.distcp': null },
      true,
      { kind: 'refused', because: 'critic-missing' }
    ],
    [
      'a critic cut off',
      { [`root/megatron-critic/${tracker}`]: '7' },
      true,
      { kind: 'refused', because: 'critic-missing' }
    ],
    [
      'a job that is out, settled',
      { 'root/hf/.reef-latest-job.json': marker('RUNNING') },
      true,
      { kind: 'refused', because: 'marker-open' }
    ],
    [
      'a job that is out, while it runs',
      { 'root/hf/.reef-latest-job.json': marker('RUNNING') },
      false,
      { kind: 'whole', critic: true }
    ],
    [
      'a broken marker',
      { 'root/hf/.reef-latest-job.json': '{' },
      false,
      { kind: 'refused', because: 'marker-unreadable' }
    ]
  ]
  it.each(cases)('%s', async (_name, changed, settled, verdict) => {
    await withFiles(change(changed), async (folder) => {
      const root = `${folder}/root`
      const catalogue = await listCheckpoints(localFiles(), root)
      const criticTracker = await readCriticTracker(localFiles(), root)
      expect(judgeIteration({ ...catalogue, criticTracker }, 8, settled)).toEqual(verdict)
    })
  })

  it('is made whole or not at all: anew after a cut, once only, and never over something else', async () => {
    await withFiles({ ...files, 'to.slipway-copy/half': 'x' }, async (folder) => {
      const from = { root: `${folder}/root`, rollout: 8 }
      const before = await folderDigest(from.root)
      await layIteration(from, `${folder}/to`, signal)
      expect(await readdir(`${folder}/to`)).not.toContain('half')
      expect(await readdir(folder)).not.toContain('to.slipway-copy')
      const made = await folderDigest(`${folder}/to`)
      await layIteration(from, `${folder}/to`, signal)
      expect(await folderDigest(`${folder}/to`)).toBe(made)
      await expect(
        layIteration({ ...from, rollout: 9 }, `${folder}/to`, signal)
      ).rejects.toMatchObject({ failure: { code: 'iteration-refused' } })
      await expect(layIteration(from, from.root, signal)).rejects.toMatchObject({
        failure: { code: 'iteration-refused' }
      })
      await writeFile(`${from.root}/hf/.reef-latest-job.json`, marker('READY_TO_COMMIT'))
      await expect(layIteration(from, `${folder}/other`, signal)).rejects.toMatchObject({
        failure: { code: 'iteration-refused' }
      })
      expect(await readdir(folder)).not.toContain('other')
      await writeFile(`${from.root}/hf/.reef-latest-job.json`, marker('COMPLETE'))
      expect(await folderDigest(from.root)).toBe(before)
    })
  })
})
