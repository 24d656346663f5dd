import { describe, expect, it } from 'vitest'
import { restartVerdict } from '../../../../src-main/engine/stacks/marker'
import { ObservedTime } from '../../../../src-main/engine/stacks/observed-time'
import { duration, stopCost, whyQuiet } from '../../../../src-main/engine/stacks/quiet'
import { ReefStatus } from '../../../../src-main/engine/stacks/reef-client'
import { diagnose, signatures } from '../../../../src-main/engine/stacks/signatures'

const stages = { served: 0, reported: 0, batchHave: 3, batchNeed: 8, released: 0 }
const status = (value: object): ReefStatus => ReefStatus.parse(value)

describe('diagnose', () => {
  const cases: [string, string][] = [
    [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 58.00 GiB',
      'gpu-out-of-memory'
    ],
    ['OSError: [Errno 28] No space left on device', 'disk-full'],
    ['Error while creating shared memory segment /dev/shm/nccl-x (size 9637888)', 'shared-memory'],
    ['error: [Errno 98] Address already in use', 'port-taken'],
    ['Error: listen EADDRINUSE: address already in use 127.0.0.1:8900', 'port-taken'],
    ["Unexpected result nan (message='found NaN in local grad norm for bucket #0')", 'nan'],
    ['[reef] deployment startup failed: ambiguous training job j-7: x is RUNNING', 'ambiguous-job'],
    ['invalid training marker: /ckpt/hf/.reef-latest-job.json', 'invalid-marker'],
    ['checkpoint storage preflight blocked bridge startup: too big', 'storage-blocked'],
    [
      "[reef] deployment startup failed: service 'reef' did not become ready within 30s",
      'not-ready'
    ],
    ['[reef] slime-driver: exited; bringing down the stack', 'service-exited'],
    ['reef: config serve.yaml: unknown config fields: reef.prt', 'invalid-config'],
    ["ModuleNotFoundError: No module named 'recipes'", 'module-missing'],
    ['docker: could not select device driver "" with capabilities: [[gpu]]', 'gpu-runtime-missing'],
    ['RuntimeError: NCCL error in: …, ncclUnhandledCudaError', 'nccl']
  ]
  for (const [line, id] of cases) {
    it(id, () => {
      const found = diagnose({ kind: 'code', code: 1 }, [`before\n${line}\nafter\n`])
      expect(found.id).toBe(id)
      expect(found.evidence[0]).toBe(line)
    })
  }

  it('prefers the cause to what followed from it', () => {
    const tail = 'CUDA out of memory\n[reef] slime-driver: exited; bringing down the stack\n'
    expect(diagnose({ kind: 'code', code: 1 }, [tail]).id).toBe('gpu-out-of-memory')
  })

  it('falls back on how it ended, with the last lines', () => {
    const found = diagnose({ kind: 'signal', signal: 'SIGKILL' }, ['a\n\nb\n'])
    expect(found.cause.en).toContain('SIGKILL')
    expect(found.evidence).toEqual(['a', 'b'])
    expect(diagnose({ kind: 'oom' }, []).cause.en).toContain('out of memory')
    // The line that follows from it does not hide it.
    const oom = diagnose({ kind: 'oom' }, ['[reef] reef: exited; bringing down the stack\n'])
    expect(oom.cause.en).toContain('out of memory')
    expect(oom.evidence).toEqual(['[reef] reef: exited; bringing down the stack'])
    expect(diagnose({ kind: 'code', code: 137 }, []).cause.en).toContain('ended from outside')
    expect(diagnose({ kind: 'code', code: 3 }, []).cause.en).toContain('ended by itself')
  })

  it('has both languages and unique ids throughout', () => {
    expect(new Set(signatures.map(({ id }) => id)).size).toBe(signatures.length)
    for (const { cause, remedy } of signatures) {
      expect(cause.zh).toMatch(/[\u4e00-\u9fff]/)
      expect(remedy.zh).toMatch(/[\u4e00-\u9fff]/)
    }
  })
})

describe('whyQuiet', () => {
  const facts = {
    silentFor: 720_000,
    withoutTraffic: 720_000,
    status: null,
    stages,
    placement: null,
    ended: [],
    below: null
  }
  const below = { waitingGpus: 0, running: 3, queued: 40, gpuBusy: 97 }
  const ended = [{ name: 'agent', how: { en: 'with code 1', zh: '退出码 1' } }]
  const blocked = { scenarios: { a: { checkpoint_storage: { reasons: ['over the cap'] } } } }
  const cases: [string, Parameters<typeof whyQuiet>[0], string][] = [
    ['no traffic', facts, 'No traffic for 12 min. The batch holds 3 of 8.'],
    [
      'the agent gone',
      { ...facts, ended },
      'No traffic for 12 min. Companion “agent” has ended with code 1. The batch holds 3 of 8.'
    ],
    [
      'GPUs by the dashboard',
      { ...facts, below: { ...below, waitingGpus: 8 } },
      'Ray waits for 8 GPUs.'
    ],
    [
      'a job, with what works below it',
      { ...facts, below, status: status({ training_job: { status: 'RUNNING' } }) },
      'A training job (RUNNING) has run for 12 min without a word. Below it SGLang answers 3 requests and 40 wait; the GPUs are 97 % busy.'
    ],
    [
      'a job that hangs',
      {
        ...facts,
        below: { waitingGpus: null, running: 0, queued: 0, gpuBusy: 1 },
        status: status({ training_job: { status: 'RUNNING' } })
      },
      'A training job (RUNNING) has run for 12 min without a word. Below it the GPUs are idle.'
    ],
    ['never any', { ...facts, withoutTraffic: null }, 'No request has come yet'],
    [
      'an error',
      { ...facts, status: status({ error: 'a: X: y' }) },
      'The service reports: a: X: y'
    ],
    [
      'storage',
      { ...facts, status: status(blocked) },
      'Training waits for disk space: over the cap.'
    ],
    [
      'GPUs',
      { ...facts, placement: 'Waiting for placement group of 8 GPUs' },
      'Ray waits for GPUs'
    ],
    [
      'a job',
      { ...facts, status: status({ training_job: { status: 'RUNNING' } }) },
      'A training job (RUNNING) has run for 12 min'
    ],
    [
      'an uncommitted job',
      { ...facts, status: status({ training_job: { status: 'READY_TO_COMMIT' } }) },
      'A finished training job has waited 12 min'
    ],
    [
      'closed inference',
      { ...facts, status: status({ scenarios: { a: { inference_admission: { open: false } } } }) },
      'Inference is closed for “a”'
    ]
  ]
  for (const [name, given, beginning] of cases) {
    it(name, () => {
      expect(whyQuiet(given).en.startsWith(beginning)).toBe(true)
    })
  }

  it('says durations as people do', () => {
    expect([40_000, 720_000, 7_200_000].map((ms) => duration(ms).en)).toEqual([
      '40 s',
      '12 min',
      '2 h'
    ])
  })
})

describe('stopCost', () => {
  it('costs nothing unless a job is out', () => {
    expect(stopCost(null)).toBeNull()
    expect(stopCost(status({ training_job: { status: 'COMPLETE' } }))).toBeNull()
    expect(stopCost(status({ training_job: null }))).toBeNull()
    expect(stopCost(status({ training_job: { status: 'RUNNING' } }))?.en).toContain('loses it')
    expect(stopCost(status({ training_job: { status: 'UPDATING_WEIGHTS' } }))).not.toBeNull()
  })
})

describe('restartVerdict', () => {
  const marker = (state: string): string => JSON.stringify({ status: state, rollout_id: 4 })
  const cases: [string | null, string][] = [
    [null, 'fine'],
    [marker('COMPLETE'), 'fine'],
    [marker('RUNNING'), 'refused'],
    [marker('REJECTING'), 'refused'],
    [marker('REJECTED'), 'refused'],
    [marker('READY_TO_COMMIT'), 'doubtful'],
    [marker('UPDATING_WEIGHTS'), 'doubtful'],
    ['{"status"', 'refused'],
    ['[]', 'refused'],
    [marker('SOMETHING_NEW'), 'refused']
  ]
  for (const [text, kind] of cases) {
    it(`${text ?? 'no marker'}: ${kind}`, () => {
      expect(restartVerdict(text).kind).toBe(kind)
    })
  }
})

describe('ObservedTime', () => {
  it('does not count a night of sleep, nor a clock that runs back', () => {
    const time = new ObservedTime(20_000)
    time.reset(0)
    expect(time.look(1_000)).toBe(1_000)
    expect(time.look(1_000 + 8 * 3_600_000)).toBe(21_000)
    expect(time.look(500)).toBe(21_000)
    expect(time.look(1_500)).toBe(22_000)
  })
})
