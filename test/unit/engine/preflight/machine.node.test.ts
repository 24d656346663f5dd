import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { engineOutcome, mountedWords } from '../../../../src-main/engine/preflight/docker'
import { markerOutcome } from '../../../../src-main/engine/preflight/job-marker'
import { strayNames } from '../../../../src-main/engine/preflight/leftovers'
import {
  filesNeed,
  limitsOutcome,
  memoryNeed,
  memoryOutcome
} from '../../../../src-main/engine/preflight/machine'
import {
  memoryInfo,
  softLimit,
  variableState
} from '../../../../src-main/engine/preflight/machine-report'
import { variablesOutcome } from '../../../../src-main/engine/preflight/variables'
import { restartVerdict } from '../../../../src-main/engine/stacks'

const MEMINFO = `MemTotal:       65841212 kB
MemFree:         1230996 kB
MemAvailable:   40024048 kB
SwapTotal:             0 kB
`

describe('memory', () => {
  it('reads /proc/meminfo and compares with what the stack needs', () => {
    const info = memoryInfo(MEMINFO)
    expect(info).toMatchObject({ available: 40024048 * 1024, swap: 0 })
    const facts = { practice: false, family: 'sao', groups: 128, modelBytes: 3.1e9, lora: false }
    expect(memoryOutcome(info, memoryNeed(facts)).verdict).toBe('pass')
    const large = memoryNeed({ ...facts, modelBytes: 16e9 })
    expect(memoryOutcome(info, large).verdict).toBe('warn')
    const search = memoryNeed({ ...facts, family: 'tttd', groups: 512 })
    expect(search.bytes).toBe(256 * 2 ** 30)
    expect(memoryOutcome(memoryInfo(''), large).verdict).toBe('unknown')
  })

  it('reads limits', () => {
    const limits =
      'Limit       Soft Limit Hard Limit Units\nMax open files     1024   524288  files\n'
    expect(softLimit(limits, 'Max open files')).toBe(1024)
    expect(softLimit(limits.replace('1024', 'unlimited'), 'Max open files')).toBe(Infinity)
    expect(softLimit(limits, 'Max nice')).toBeNull()
    const ray = filesNeed({ kind: 'ray' })
    expect(limitsOutcome(65_536, ray).verdict).toBe('pass')
    expect(limitsOutcome(Infinity, ray).verdict).toBe('pass')
    expect(limitsOutcome(1024, ray).verdict).toBe('fail')
    expect(limitsOutcome(1024, filesNeed({ kind: 'practice' })).verdict).toBe('pass')
    const few = filesNeed({ kind: 'workers', workers: 4 })
    expect(limitsOutcome(1024, few).verdict).toBe('pass')
    const many = limitsOutcome(1024, filesNeed({ kind: 'workers', workers: 1000 }))
    expect(many).toMatchObject({ verdict: 'warn', command: 'ulimit -n 4000' })
    expect(many.why?.en).not.toContain('Ray')
  })
})

it('the run’s own folder counts among what is mounted', () => {
  expect(mountedWords({ own: true, others: 0 }).en).toContain('run’s own folder')
  expect(mountedWords({ own: true, others: 3 }).en).toMatch(/own folder.*3 folders/)
  expect(mountedWords({ own: false, others: 3 }).en).toBe('3 folders, all there.')
  expect(mountedWords({ own: false, others: 0 }).en).toBe('None.')
})

describe('variables', () => {
  it('knows a placeholder without keeping the value', () => {
    for (const value of ['sk-your-weaver-api-key-here', '<your token>', 'changeme', 'your_api_key'])
      expect(variableState(value)).toBe('placeholder')
    expect(variableState(' ')).toBe('empty')
    expect(variableState('sk-9f8e7d6c5b4a')).toBe('set')
    fc.assert(
      fc.property(fc.string(), (value) => {
        expect(['set', 'empty', 'placeholder']).toContain(variableState(value))
      })
    )
  })

  it('fails on placeholders, warns on missing ones, leaves the token to its own check', () => {
    const states = new Map([
      ['A', 'set'],
      ['B', 'placeholder'],
      ['C', 'empty']
    ] as const)
    expect(variablesOutcome(['A', 'B'], states)).toMatchObject({ verdict: 'fail', judgement: true })
    expect(variablesOutcome(['A', 'C', 'D'], states).evidence.en).toContain('D, C')
    expect(variablesOutcome(['A', 'REEF_TOKEN'], states).verdict).toBe('pass')
    expect(variablesOutcome(['REEF_TOKEN'], states).evidence.en).toContain('not set')
    expect(variablesOutcome([], states).evidence.en).toBe('The recipe asks for none.')
  })
})

describe('what was left behind', () => {
  it('knows Reef’s own names and finds the others', () => {
    const hf = ['1', '12', '.reef-latest-job.json', 'reef_scenarios.json', '.DS_Store', '12 copy']
    expect(strayNames(hf, '{rollout_id}')).toEqual(['.DS_Store', '12 copy'])
    expect(strayNames(['step-3', '3'], 'step-{rollout_id}')).toEqual(['3'])
    const megatron = ['iter_0000012', 'latest_checkpointed_iteration.txt', 'reef_adapter_slots']
    expect(strayNames([...megatron, '.tracker.abc.tmp', 'notes.txt'], null)).toEqual(['notes.txt'])
  })

  it.each([
    ['COMPLETE', 'pass'],
    ['HEAD_COMMITTED', 'pass'],
    ['RUNNING', 'fail'],
    ['REJECTED', 'fail'],
    ['REJECTING', 'fail']
  ])('a marker that says %s is a %s', (status, verdict) => {
    const marker = JSON.stringify({ status, job_id: 'job', rollout_id: 3 })
    expect(markerOutcome(restartVerdict(marker)).verdict).toBe(verdict)
  })

  it('takes no marker for fine and a torn one for a refusal', () => {
    expect(markerOutcome(restartVerdict(null)).verdict).toBe('pass')
    expect(markerOutcome(restartVerdict('{"status": "RUN')).verdict).toBe('fail')
    expect(
      markerOutcome(restartVerdict('{"status":"READY_TO_COMMIT","job_id":"a"}')).verdict
    ).not.toBe('pass')
  })
})

describe('engine', () => {
  const facts = {
    engine: 'Docker',
    version: '28.5.1',
    api: '1.51',
    system: 'linux',
    architecture: 'x86_64',
    host: 'here',
    cgroup: 2 as const,
    storage: 'overlay2',
    logDriver: 'json-file',
    rootFolder: '/var/lib/docker',
    runtimes: ['runc'],
    rootless: false
  }

  it('fails only where GPUs cannot be given, and remarks on the rest', () => {
    expect(engineOutcome(facts, 2).verdict).toBe('pass')
    expect(engineOutcome({ ...facts, api: '1.39' }, 2).verdict).toBe('fail')
    expect(engineOutcome({ ...facts, api: '1.39' }, 0).verdict).toBe('pass')
    expect(engineOutcome({ ...facts, cgroup: 1 }, 2).verdict).toBe('warn')
    expect(engineOutcome({ ...facts, engine: 'Docker Desktop' }, 2).verdict).toBe('warn')
    expect(engineOutcome({ ...facts, engine: 'Podman' }, 0).why?.en).toContain('CDI')
    expect(engineOutcome({ ...facts, architecture: 'aarch64' }, 2).verdict).toBe('warn')
  })
})
