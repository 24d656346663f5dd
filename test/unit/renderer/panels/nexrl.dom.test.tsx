import { useState } from 'react'
import { screen } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { afterEach, describe, expect, it } from 'vitest'
import type { NexrlChoices, NexrlPipeline, NexrlPlan } from '@contract/nexrl'
import { NexrlFields, VariablesList } from '../../../../src-renderer/features/nexrl-launch'
import { NoReleases, PipelinePanel } from '../../../../src-renderer/features/nexrl-run'
import { RecordsTab } from '../../../../src-renderer/features/records'
import { sampleDetail, sampleRuns } from '../../../support/fixture/runs'
import { showPanel } from './show-panel'

let close = (): void => undefined
afterEach(() => close())

const plan: NexrlPlan = {
  way: 'driver',
  mode: 'training-service',
  runNexrl: true,
  tag: '',
  checkout: null,
  namespace: null,
  service: 'weaver',
  syncMode: 'sync',
  totalSteps: 100,
  prompts: 32,
  repeats: 8,
  workers: 256,
  heartbeat: 10,
  extendEvery: 0,
  variables: [
    { name: 'WEAVER_API_KEY', need: 'required', from: 'person', why: { en: 'Key.', zh: '密钥。' } }
  ]
}

describe('how NexRL is launched', { timeout: 60_000 }, () => {
  const seen: NexrlChoices[] = []

  function Choosing(props: { plan: NexrlPlan }) {
    const [choices, change] = useState<NexrlChoices>({})
    return (
      <>
        <NexrlFields
          choices={choices}
          plan={props.plan}
          change={(next) => {
            seen.push(next)
            change(next)
          }}
        />
        <VariablesList plan={props.plan} />
      </>
    )
  }

  it('asks for the cluster’s own things only where the cluster is chosen', async () => {
    const user = userEvent.setup()
    close = await showPanel(<Choosing plan={plan} />)
    expect(screen.queryByTestId('nexrl-tag')).toBeNull()
    expect(screen.getByText('WEAVER_API_KEY')).toBeDefined()
    await user.click(screen.getByTestId('nexrl-way-kubernetes'))
    // Another’s inference service is for one’s own GPUs only.
    expect(screen.queryByTestId('nexrl-inference-url')).toBeNull()
    await user.click(screen.getByTestId('nexrl-mode-self-hosted'))
    await user.click(screen.getByTestId('nexrl-inference-url'))
    await user.paste('10.0.0.9:1')
    expect(seen.at(-1)).toMatchObject({ mode: 'self-hosted', inferenceUrl: '10.0.0.9:1' })
    await user.click(screen.getByTestId('nexrl-mode-training-service'))
    expect(seen.at(-1)?.inferenceUrl).toBeUndefined()
    await user.click(screen.getByTestId('nexrl-run'))
    expect(seen.at(-1)).toMatchObject({ way: 'kubernetes', runNexrl: false })
  })

  it('offers to keep weights only where Weaver keeps them for an hour', async () => {
    close = await showPanel(<Choosing plan={plan} />)
    expect(screen.getByTestId('nexrl-extend')).toBeDefined()
    close()
    close = await showPanel(<Choosing plan={{ ...plan, service: 'own' }} />)
    expect(screen.queryByTestId('nexrl-extend')).toBeNull()
  })
})

describe('the pipeline of a driver', { timeout: 60_000 }, () => {
  const pipeline: NexrlPipeline = {
    plan,
    verdict: 'ended-early',
    said: { en: 'Ended early after 12 steps.', zh: '提前结束。' },
    loader: { done: 96, of: 256, exhausted: true },
    workers: { active: 128, of: 256 },
    rewards: { mean: 0.539, groups: 40, equalGroups: 31 },
    pool: { finished: 91 },
    trainer: { steps: 12, of: 100, skipped: 2, lastAt: Date.now() },
    sync: { mode: 'sync', version: 11, lag: 1, lastAt: null, failures: 3 },
    exported: [{ step: 12, path: 'weaver://m/checkpoints/step_000012', at: 0, expiresAt: 1 }],
    exportedCount: 12,
    model: 'm-1f2e',
    heartbeatAt: null,
    errors: 4
  }
  const text = (id: string): string => screen.getByTestId(id).textContent

  it('shows each stage with its counts, and what is wrong in it', async () => {
    close = await showPanel(<PipelinePanel pipeline={pipeline} />)
    expect(screen.getByTestId('nexrl-verdict').dataset['verdict']).toBe('ended-early')
    expect(screen.getByText('Ended early after 12 steps.')).toBeDefined()
    expect(text('pipeline-loader')).toContain('96 of 256')
    expect(text('pipeline-loader')).toContain('data used up')
    expect(text('pipeline-rewards')).toContain('31 all equal')
    expect(text('pipeline-trainer')).toContain('12 of 100')
    expect(text('pipeline-trainer')).toContain('2 skipped')
    expect(text('pipeline-sync')).toContain('3 failed')
    // Weights whose time is over are no longer called kept.
    expect(text('pipeline-exported')).toContain('expired')
  })

  it('is no service with records: that is said, not that one is on its way', async () => {
    const [first] = sampleRuns(Date.now())
    if (first === undefined) throw new Error('no run')
    const detail = { ...sampleDetail(first, ''), address: null, nexrl: pipeline }
    close = await showPanel(<RecordsTab detail={detail} />)
    expect(text('records-driver')).toContain('NexRL keeps no records')
    close()
    close = await showPanel(<NoReleases run="r" pipeline={pipeline} />)
    expect(text('nexrl-no-releases')).toContain('stands under Weaver')
  })

  it('shows a dash where the log has said nothing yet', async () => {
    const early: NexrlPipeline = {
      ...pipeline,
      verdict: 'starting',
      loader: { done: null, of: 256, exhausted: false },
      exported: [],
      exportedCount: 0
    }
    close = await showPanel(<PipelinePanel pipeline={early} />)
    expect(text('pipeline-loader')).toContain('–')
    expect(text('pipeline-exported')).toContain('none yet')
  })
})
