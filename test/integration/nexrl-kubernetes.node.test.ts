import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { RunService } from '../../src-main/engine/stacks'
import { makeNexrlYard, type NexrlYard, openNexrlService, standIn } from '../support/nexrl-yard'
import { ended, endEverything, until } from '../support/run-service'

let yard: NexrlYard
let cluster: string
let service: RunService

const head = (second: number, logger: string, text: string): string =>
  `2026-03-04T10:15:${String(second).padStart(2, '0')}.000000000Z [2026-03-04 10:15:${String(second).padStart(2, '0')},000][${logger}][INFO] - ${text}`

const podLog = [
  head(1, 'nexrl.main', 'Starting NexRL in local mode'),
  head(2, 'nexrl.controller', 'Starting training loop...'),
  head(3, 'nexrl.controller', 'Module liveness check passed at 1772619303.0'),
  // Two lines of one moment: a connection that breaks between them must lose neither and double neither.
  head(4, 'nexrl.trainer', 'group_id: a, rewards: [0.0, 1.0]'),
  head(4, 'nexrl.trainer', 'group_id: b, rewards: [1.0, 1.0]'),
  head(
    5,
    'nexrl.trainer.remote_api_trainer',
    'Training step 0 completed, updated sampling path: weaver://m-1f2e/checkpoints/step_000001'
  )
]
const reached = head(6, 'nexrl.controller', 'Finish check: steps_reached=True -> stopping')

beforeEach(async () => {
  yard = makeNexrlYard()
  cluster = join(yard.root, 'cluster')
  const bin = join(yard.root, 'bin')
  mkdirSync(cluster)
  mkdirSync(bin)
  standIn(join(bin, 'kubectl'), 'test/support/kubectl.mjs')
  standIn(join(yard.python, 'bin', 'nexrl'), 'test/support/nexrl-launcher.mjs')
  vi.stubEnv('PATH', `${bin}${delimiter}${process.env['PATH'] ?? ''}`)
  vi.stubEnv('NEXRL_CLUSTER', cluster)
  vi.stubEnv('NEXRL_DATA_PATH', yard.root)
  vi.stubEnv('NEXRL_SYSTEM_NAMESPACE', 'team')
  vi.stubEnv('WEAVER_API_KEY', 'sk-yard-0123456789abcdef')
  service = await openNexrlService(yard)
})

afterEach(async () => {
  await endEverything([service])
  vi.unstubAllEnvs()
  await yard.remove()
})

const write = (name: string, text: string): void => {
  writeFileSync(join(cluster, name), text)
}
const lines = (name: string): string[][] =>
  readFileSync(join(cluster, name), 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as string[])

async function launch(part: object = {}, recipe = yard.recipe): Promise<string> {
  const nexrl = { way: 'kubernetes', tag: 't1', ...part }
  return (await service.start(LaunchRequest.parse({ recipe, nexrl }))).run
}

it('launches, follows the pod over a broken connection, and judges it by its log', async () => {
  write('pod.log', podLog.join('\n'))
  write('cut', '4')
  const run = await launch()
  const at = await until(service, run, ({ nexrl }) => nexrl?.trainer.steps === 1)
  expect(at.nexrl?.rewards).toMatchObject({ groups: 2, equalGroups: 1 })
  write('pod.log', [...podLog, reached].join('\n'))
  write('phase', 'Succeeded')
  const end = await until(service, run, ({ summary }) => ended(summary.state))
  // The call that was open did not bring the last line: it is read after the pod's end.
  expect(end.nexrl?.verdict).toBe('done')
  expect(lines('launcher.jsonl')).toEqual([
    ['-m', 'training-service', '-c', yard.recipe, '--run-nexrl', '--tag', 't1']
  ])
  const pod = 'me-nexrl-driver-t1-101500-master-0'
  const calls = lines('calls.jsonl')
  expect(calls[0]).toEqual(['logs', '-f', pod, '-n', 'team', '--timestamps'])
  expect(calls).toContainEqual([
    ...['logs', '-f', pod, '-n', 'team', '--timestamps'],
    ...['--since-time', '2026-03-04T10:15:04.000000000Z']
  ])
})

it('does not believe a green pod whose log never says that all steps were reached', async () => {
  write('pod.log', podLog.join('\n'))
  write('phase', 'Succeeded')
  const run = await launch()
  const { nexrl, summary } = await until(service, run, (detail) => ended(detail.summary.state))
  expect(nexrl?.verdict).toBe('unknown')
  expect(summary.now.en).toContain('Do not count it as done')
})

it('takes the job away when the run is stopped', async () => {
  write('pod.log', podLog.join('\n'))
  const run = await launch()
  await until(service, run, ({ nexrl }) => nexrl?.trainer.steps === 1)
  await service.stop({ run, force: false })
  await until(service, run, ({ summary }) => ended(summary.state))
  expect(lines('calls.jsonl')).toContainEqual([
    ...['delete', 'job.batch.volcano.sh/me-nexrl-driver-t1-101500', '-n', 'team'],
    '--ignore-not-found'
  ])
})

describe('self-hosted', () => {
  const own = (part: object): Promise<string> =>
    launch({ mode: 'self-hosted', ...part }, yard.selfHosted)
  const thing = (name: string, kind = 'job.batch.volcano.sh'): string =>
    `${kind}/me-${name}-t1-101500`
  const services = [
    thing('rollout-router', 'deployment.apps'),
    thing('inference', 'deployment.apps'),
    thing('gpu-worker-default'),
    thing('api-server')
  ]
  const deletion = (things: string[]): string[] => [
    ...['delete', ...things, '-n', 'team', '--ignore-not-found']
  ]

  it('is launched, its driver followed among its pods, and all it made taken away by a stop', async () => {
    write('pod.log', podLog.join('\n'))
    const run = await own({})
    await until(service, run, ({ nexrl }) => nexrl?.trainer.steps === 1)
    expect(lines('launcher.jsonl')).toEqual([
      ['-m', 'self-hosted', '-c', yard.selfHosted, '--run-nexrl', '--tag', 't1']
    ])
    expect(lines('calls.jsonl')[0]?.[2]).toBe('me-nexrl-driver-t1-101500-master-0')
    await service.stop({ run, force: false })
    await until(service, run, ({ summary }) => ended(summary.state))
    expect(lines('calls.jsonl')).toContainEqual(deletion([thing('nexrl-driver'), ...services]))
  })

  it('says what is left in the cluster when the driver has ended by itself', async () => {
    write('pod.log', [...podLog, reached].join('\n'))
    write('phase', 'Succeeded')
    const run = await own({ inferenceUrl: '10.0.0.9:12345' })
    const { nexrl, events } = await until(service, run, ({ summary }) => ended(summary.state))
    expect(nexrl?.verdict).toBe('done')
    expect(lines('launcher.jsonl')[0]?.slice(-2)).toEqual(['--inference-url', '10.0.0.9:12345'])
    // Nobody asked for it to be taken away: a person may want to look at it, and gets the command.
    expect(lines('calls.jsonl').filter(([verb]) => verb === 'delete')).toEqual([])
    const left = events.find(({ kind }) => kind === 'nexrl-cluster-left')
    expect(left?.text.en).toContain(`kubectl ${deletion(services.slice(2)).join(' ')}`)
  })

  it('says what a launcher that failed half-way has left', async () => {
    vi.stubEnv('NEXRL_LAUNCHER_FAILS', 'yes')
    const run = await own({})
    const { summary, events } = await until(service, run, (detail) => ended(detail.summary.state))
    expect(summary.state.kind).toBe('failed')
    const left = events.find(({ kind }) => kind === 'nexrl-cluster-left')
    expect(left?.text.en).toContain(`kubectl ${deletion(services).join(' ')}`)
  })
})
