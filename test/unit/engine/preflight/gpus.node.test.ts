import { describe, expect, it } from 'vitest'
import { readGpuProcesses, readGpuReport } from '../../../../src-main/engine/preflight/gpu-report'
import {
  chosenGpus,
  countOutcome,
  freeOutcome,
  modeOutcome,
  troubleOutcome
} from '../../../../src-main/engine/preflight/gpu-verdicts'
import { runtimeOutcome } from '../../../../src-main/engine/preflight/gpus'
import type { EngineFacts } from '../../../../src-main/contract/targets'

function said(stdout: string, code = 0, stderr = '') {
  return { kind: 'done' as const, code, stdout, stderr }
}

const TWO_A100 = `0, GPU-aaaa, 570.86.15, 81920, 4, Disabled, Default, NVIDIA A100-SXM4-80GB
1, GPU-bbbb, 570.86.15, 81920, 71234, Disabled, Default, NVIDIA A100-SXM4-80GB
`

function gpusOf(text: string) {
  const report = readGpuReport(said(text))
  if (report.kind !== 'gpus') throw new Error(`no GPUs: ${report.trouble}`)
  return report.gpus
}

describe('readGpuReport', () => {
  it('reads recorded lines, memory in bytes', () => {
    const [first, second] = gpusOf(TWO_A100)
    expect(first).toMatchObject({ index: 0, uuid: 'GPU-aaaa', driver: '570.86.15', mig: false })
    expect(first?.total).toBe(81920 * 1024 * 1024)
    expect(second?.used).toBe(71234 * 1024 * 1024)
  })

  it('takes a GPU that does not tell its memory', () => {
    const [gb10] = gpusOf('0, GPU-cc, 580.95.05, [N/A], [N/A], [N/A], Default, NVIDIA GB10\n')
    expect(gb10).toMatchObject({ total: null, used: null, mig: false, name: 'NVIDIA GB10' })
  })

  it.each([
    [
      "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver. Make sure that the latest NVIDIA driver is installed and running.",
      'no-driver'
    ],
    ['Failed to initialize NVML: Driver/library version mismatch', 'mismatch'],
    ['No devices were found', 'no-devices'],
    ['Failed to initialize NVML: Insufficient Permissions', 'no-permission'],
    ['Unable to determine the device handle for GPU 0000:41:00.0: Unknown Error', 'lost'],
    ['Failed to initialize NVML: Unknown Error', 'other']
  ])('tells %s apart', (message, trouble) => {
    expect(readGpuReport(said(message, 9))).toMatchObject({ kind: 'trouble', trouble })
  })

  it('says that the tool is missing or late', () => {
    expect(readGpuReport({ kind: 'missing' })).toMatchObject({ trouble: 'no-tool' })
    expect(readGpuReport({ kind: 'late' })).toMatchObject({ trouble: 'late' })
    expect(troubleOutcome('no-tool', '').verdict).toBe('fail')
    expect(troubleOutcome('late', '').verdict).toBe('unknown')
    expect(troubleOutcome('mismatch', 'x').remedy?.en).toContain('restart')
  })
})

describe('GPUs against the plan', () => {
  const roles = [
    { role: 'actor', gpus: 1 },
    { role: 'SGLang', gpus: 1 }
  ]

  it('counts only the GPUs the stack gets', () => {
    const chosen = chosenGpus(gpusOf(TWO_A100), ['GPU-bbbb'])
    expect(chosen.map((gpu) => gpu.index)).toEqual([1])
    expect(countOutcome(['A100'], 2, roles).verdict).toBe('fail')
    expect(countOutcome(['A100', 'A100'], 2, roles)).toMatchObject({ verdict: 'pass' })
  })

  it('names who holds a GPU; one held is worth knowing, none free enough is a judgement', () => {
    const processes = readGpuProcesses(said('GPU-bbbb, 41822, 71000, python3\n'))
    const gpus = gpusOf(TWO_A100)
    expect(freeOutcome(gpus, processes, 1)).toMatchObject({ verdict: 'warn' })
    expect(freeOutcome(gpus, processes, 2)).toMatchObject({ verdict: 'fail', judgement: true })
    expect(freeOutcome(gpus, processes, 2).evidence.en).toContain('python3 (pid 41822)')
    expect(freeOutcome(gpus.slice(0, 1), processes, 1).verdict).toBe('pass')
  })

  it('sees MIG, a forbidden and an exclusive compute mode', () => {
    const mig = gpusOf(TWO_A100.replace('Disabled', 'Enabled'))
    expect(modeOutcome(mig)).toMatchObject({
      verdict: 'warn',
      command: 'sudo nvidia-smi -i 0 -mig 0'
    })
    expect(modeOutcome(gpusOf(TWO_A100.replace('Default', 'Prohibited'))).verdict).toBe('fail')
    expect(modeOutcome(gpusOf(TWO_A100.replace('Default', 'Exclusive_Process'))).verdict).toBe(
      'warn'
    )
    expect(modeOutcome(gpusOf(TWO_A100)).verdict).toBe('pass')
  })
})

describe('GPUs in containers', () => {
  const facts: EngineFacts = {
    engine: 'Docker',
    version: '28.5.1',
    api: '1.51',
    system: 'linux',
    architecture: 'x86_64',
    host: 'here',
    cgroup: 2,
    storage: 'overlay2',
    logDriver: 'json-file',
    rootFolder: '/var/lib/docker',
    runtimes: ['runc'],
    rootless: false
  }

  it('tells a missing toolkit, an unconfigured engine, snap and rootless apart', () => {
    expect(runtimeOutcome({ ...facts, runtimes: ['nvidia', 'runc'] }, true).verdict).toBe('pass')
    expect(runtimeOutcome(facts, false)).toMatchObject({ verdict: 'fail', judgement: true })
    expect(runtimeOutcome(facts, true)).toMatchObject({ verdict: 'warn' })
    expect(runtimeOutcome(facts, null)).toMatchObject({ verdict: 'warn' })
    const snap = { ...facts, rootFolder: '/var/snap/docker/common/var-lib-docker' }
    expect(runtimeOutcome(snap, true).evidence.en).toContain('snap')
    const rootless = { ...facts, runtimes: ['nvidia'], rootless: true }
    expect(runtimeOutcome(rootless, true).why?.en).toContain('no-cgroups')
  })

  it('refuses a Podman that passes GPUs over, and cannot see whether a newer one has them described', () => {
    const podman = { ...facts, engine: 'Podman' }
    expect(runtimeOutcome({ ...podman, version: '5.3.2' }, null)).toMatchObject({ verdict: 'fail' })
    expect(runtimeOutcome({ ...podman, version: '5.4.0' }, null)).toMatchObject({
      verdict: 'unknown',
      command: expect.stringContaining('nvidia-ctk cdi') as string
    })
  })
})
