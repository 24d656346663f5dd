import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { standIn } from '../../../support/nexrl-yard'

let root: string
let child: ChildProcess | undefined

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'slipway-launcher-'))
  mkdirSync(join(root, 'bin'))
  standIn(join(root, 'bin', 'nexrl'), 'test/support/nexrl-launcher.mjs')
})

afterEach(() => {
  child?.kill('SIGKILL')
  rmSync(root, { recursive: true, force: true })
})

interface Followed {
  said: string
  code: number | null
}

const POD = 'me-nexrl-driver-20260304-101500-master-0'
const JOB = 'job.batch.volcano.sh/me-nexrl-driver-20260304-101500'

/** Runs the follower to its end; `on` is called with all it has said, after each piece. */
function follow(on: (said: string) => void = () => undefined): Promise<Followed> {
  const launcher = [join(root, 'bin', 'nexrl'), '-m', 'training-service', '-c', 'x.yaml']
  const follower = spawn(
    process.execPath,
    [
      resolve('resources/nexrl-launcher/main.mjs'),
      ...['--namespace', 'team', '--poll', '5', '--patience', '500', '--away', '2'].concat([
        '--',
        ...launcher
      ])
    ],
    {
      // Nothing else of the machine: a kubectl that is installed there must not be called.
      env: { NEXRL_CLUSTER: root, PATH: join(root, 'bin') },
      stdio: ['ignore', 'pipe', 'inherit']
    }
  )
  child = follower
  let said = ''
  follower.stdout.on('data', (piece: Buffer) => {
    said += piece.toString('utf8')
    on(said)
  })
  return new Promise((done) => {
    follower.on('close', (code) => {
      done({ said, code })
    })
  })
}

const kubectl = (state: Record<string, string>): void => {
  standIn(join(root, 'bin', 'kubectl'), 'test/support/kubectl.mjs')
  for (const [name, text] of Object.entries(state)) writeFileSync(join(root, name), text)
}

it('says what is left, and ends, where there is no kubectl', { timeout: 60_000 }, async () => {
  const { said, code } = await follow()
  expect(said).toContain('kubectl could not be started')
  expect(said).toContain(`still in the cluster: ${JOB}`)
  expect(code).toBe(127)
})

it('ends when the pod does not come back', { timeout: 60_000 }, async () => {
  kubectl({ phase: 'Gone' })
  const { said, code } = await follow()
  expect(said).toContain(`pod ${POD} is gone; that says nothing about the training`)
  expect(code).toBe(0)
})

it('goes on after a kubectl that hung or was refused', { timeout: 60_000 }, async () => {
  kubectl({ phase: 'Running', hangs: 'get', fails: 'logs' })
  const { said } = await follow((so) => {
    if (!so.includes('cannot be asked about')) return
    for (const name of ['hangs', 'fails']) writeFileSync(join(root, name), '')
    writeFileSync(join(root, 'phase'), 'Succeeded')
  })
  expect(said).toContain(`pod ${POD} cannot be asked about`)
  expect(said).toContain('You must be logged in to the server')
  expect(said).toContain(`pod ${POD} is Succeeded`)
})

it.each(['hangs', 'fails'])(
  'a stop whose deletion %s says what is left, and does not wait for ever',
  { timeout: 60_000 },
  async (how) => {
    kubectl({ phase: 'Running', [how]: 'delete', 'pod.log': '2026-03-04T10:15:01Z hello\n' })
    let asked = false
    const { said, code } = await follow((so) => {
      if (!so.includes('hello') || asked) return
      asked = true
      child?.kill('SIGTERM')
    })
    expect(said).toContain(`deleting ${JOB}`)
    expect(said).toContain(
      `still in the cluster: ${JOB}; take away with: kubectl delete ${JOB} -n team --ignore-not-found`
    )
    expect(code).toBe(1)
  }
)
