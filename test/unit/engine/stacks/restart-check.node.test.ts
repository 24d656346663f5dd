import { describe, expect, it } from 'vitest'
import { commitLogName } from '../../../../src-main/engine/releases'
import { checkpointsAndRestart } from '../../../../src-main/engine/stacks'
import { localFiles } from '../../../../src-main/engine/targets'
import { withFiles } from '../compare/weight-files'

const marker = (rollout: number, job: string): Record<string, string> => ({
  'root/hf/.reef-latest-job.json': JSON.stringify({
    status: 'COMPLETE',
    job_id: job,
    rollout_id: rollout
  })
})
const saved: Record<string, string> = {
  'root/hf/9/model.safetensors': '',
  'root/megatron/iter_0000009/__0_0.distcp': 'abc',
  'root/megatron/latest_checkpointed_iteration.txt': '9',
  'root/.reef-retention/records/00000000000000000009.json': JSON.stringify({
    version: 1,
    status: 'COMPLETE',
    job_id: 'j9',
    rollout_id: 9,
    bytes: 9,
    reward: 1
  })
}
const commit = (step: number, job: string): string =>
  JSON.stringify({
    record: 'reef-commit/5',
    scenario: 'default',
    step,
    operation: 'training',
    training_job_id: job,
    recorded_at: 1000 + step,
    artifact_ref: { release_id: `r${step}`, parent_release_id: null, content_id: `c${step}` },
    metrics: {}
  })
const log = (...jobs: string[]): Record<string, string> => ({
  [`records/${commitLogName('default')}`]: jobs
    .map((job, at) => `${commit(at + 1, job)}\n`)
    .join('')
})

async function restartOf(files: Record<string, string>) {
  let told: Awaited<ReturnType<typeof checkpointsAndRestart>> | null = null
  await withFiles({ 'root/hf/reef_scenarios.json': '{}', ...files }, async (folder) => {
    told = await checkpointsAndRestart(localFiles(), {
      checkpointDir: `${folder}/root`,
      recordDir: `${folder}/records`,
      scenarios: ['default']
    })
  })
  return told
}

describe('a restart from the newest checkpoint', () => {
  it('is proved where marker, tracker, record and commit log name the same job', async () => {
    expect(await restartOf({ ...saved, ...marker(9, 'j9'), ...log('j8', 'j9') })).toMatchObject({
      restart: { kind: 'offered', rolloutId: 9, jobId: 'j9' }
    })
  })

  it('is not proved where the commit log ends with another job, or there is none', async () => {
    for (const files of [log('j9', 'j10'), {}])
      expect(await restartOf({ ...saved, ...marker(9, 'j9'), ...files })).toMatchObject({
        restart: { kind: 'not-offered', why: { en: /./ } }
      })
  })

  it('tells a root without a marker from one that is in doubt', async () => {
    expect(await restartOf({})).toMatchObject({ marker: null, restart: { kind: 'not-offered' } })
  })
})
