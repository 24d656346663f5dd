import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:net'
import { join } from 'node:path'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import type { RunDetail } from '../../src-main/contract/run'
import { type RunService, portIsFree } from '../../src-main/engine/stacks'
import { PRACTICE_COMMAND } from '../../src-main/engine/targets'
import { describeWithDocker, startEngine } from '../support/docker-engine'
import { dockerRuns, kinds, launchAndDie } from '../support/docker-runs'
import { comparePractice } from '../support/kill-engine'
import { ended, until } from '../support/run-service'

const PATIENCE = 90_000

const portOf = ({ address }: RunDetail): number => Number(new URL(address ?? '').port)

const told = ({ events }: RunDetail, kind: string): string[] =>
  events.filter((event) => event.kind === kind).map(({ text }) => text.en)

async function listen(port: number): Promise<Server> {
  const server = createServer()
  server.listen(port, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
  })
  return server
}

describeWithDocker('what happens to a stack in a container', () => {
  const runs = dockerRuns()

  const learning = (service: RunService, run: string): Promise<RunDetail> =>
    until(service, run, ({ summary }) => summary.step >= 1, PATIENCE)

  const end = (service: RunService, run: string): Promise<RunDetail> =>
    until(service, run, ({ summary }) => ended(summary.state), PATIENCE)

  async function container() {
    const [id = ''] = await runs.containers()
    return runs.engine.docker.getContainer(id)
  }

  /** Processes of the container whose command line has the word, as this machine numbers them. */
  async function processesOf(word: string): Promise<number[]> {
    const { Titles, Processes } = (await (await container()).top()) as {
      Titles: string[]
      Processes: string[][]
    }
    const [pid, command] = [Titles.indexOf('PID'), Titles.indexOf('CMD')]
    return Processes.flatMap((row) => (row[command]?.includes(word) ? [Number(row[pid])] : []))
  }

  // First, while the image is not there yet: it is being made while the port is taken.
  it('names the port when another program took it before the stack listened', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    const preparing = await until(service, run, ({ summary }) => summary.state.kind === 'preparing')
    const port = portOf(preparing)
    await listen(port)
    const detail = await end(service, run)
    expect(detail.summary.state.kind).toBe('failed')
    expect(detail.summary.now.en).toBe('A port the stack needs is taken.')
    expect(told(detail, 'leftovers').join(' ')).toContain(`listens on port ${port}`)
    expect(await runs.containers()).toEqual([])
  }, 120_000)

  it('takes another port for a restart when the old one has become somebody else’s', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    const first = await learning(service, run)
    await service.stop({ run, force: true })
    await end(service, run)
    await listen(portOf(first))
    await service.restart({ run })
    const second = await until(
      service,
      run,
      ({ summary }) => summary.attempt === 2 && summary.state.kind === 'training',
      PATIENCE
    )
    expect(portOf(second)).not.toBe(portOf(first))
  }, 180_000)

  it('is stopped while nothing is out: its container gone and its port free', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    const detail = await until(
      service,
      run,
      (seen) => seen.summary.step >= 5 && seen.stopCost === null,
      PATIENCE
    )
    const port = portOf(detail)
    expect(await portIsFree(port, '127.0.0.1')).toBe(false)
    await service.stop({ run, force: false })
    const stopped = await end(service, run)
    expect(stopped.summary.state).toMatchObject({ kind: 'stopped', exit: { code: 0 } })
    expect(told(stopped, 'cleared')).toEqual([
      `Nothing of it is left: its container is gone; free again: port ${port}.`
    ])
    expect(await runs.containers()).toEqual([])
    expect(await portIsFree(port, '127.0.0.1')).toBe(true)
    await comparePractice(service, run)
  }, 120_000)

  it('says what stopping costs while a training job is out, and while it waits', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    await learning(service, run)
    // A trainer that is held still keeps the job it is given.
    const held = await processesOf('driver')
    expect(held.length).toBeGreaterThan(0)
    for (const pid of held) process.kill(pid, 'SIGSTOP')
    const out = await until(service, run, ({ stopCost }) => stopCost !== null, PATIENCE)
    expect(out.stopCost?.en).toContain('training job')
    await service.stop({ run, force: false })
    const stopping = await until(service, run, ({ summary }) => summary.state.kind === 'stopping')
    expect(stopping.summary.now.en).toContain('training job')
    for (const pid of held) process.kill(pid, 'SIGCONT')
    const stopped = await end(service, run)
    expect(stopped.summary.state.kind).toBe('stopped')
    expect(kinds(stopped)).toContain('cleared')
    expect(await runs.containers()).toEqual([])
  }, 180_000)

  it('names memory as the cause when the system ended it for want of it', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    await learning(service, run)
    const limit = 160 << 20
    const stack = await container()
    await stack.update({ Memory: limit, MemorySwap: limit })
    // Of all in the container the stack is to be ended, not what takes the memory.
    for (const pid of await processesOf('')) await writeFile(`/proc/${pid}/oom_score_adj`, '1000')
    const hog = 'const held = []; setInterval(() => held.push(Buffer.alloc(4 << 20, 1)), 5)'
    const exec = await stack.exec({ Cmd: [...PRACTICE_COMMAND.slice(0, 1), '-e', hog] })
    await exec.start({ Detach: true })
    const { summary } = await end(service, run)
    expect(summary.state).toMatchObject({ kind: 'failed', exit: { kind: 'oom' } })
    expect(summary.now.en).toBe('The machine ran out of memory, and the system ended the stack.')
    expect(await runs.containers()).toEqual([])
  }, 120_000)

  it('is a failure when it ends before it is ready, with what it said', async () => {
    const service = await runs.open()
    const { recipe } = runs.yard
    const text = await readFile(recipe, 'utf8')
    await writeFile(recipe, text.replace(/^( *)seed: 1$/m, '$1seed: 1\n$1no-such-option: 1'))
    const run = await runs.launch(service)
    const detail = await end(service, run)
    expect(detail.summary.state).toMatchObject({ kind: 'failed', exit: { kind: 'code', code: 2 } })
    expect(JSON.stringify(detail.summary.state)).toContain('no-such-option')
    expect(kinds(detail)).not.toContain('service-ready')
    expect(await runs.containers()).toEqual([])
  }, 120_000)

  it('says that it was ended from outside when somebody kills the container', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    await learning(service, run)
    await (await container()).kill()
    const { summary } = await end(service, run)
    expect(summary.state).toMatchObject({ kind: 'failed', exit: { code: 137 } })
    expect(summary.now.en).toContain('ended from outside')
  }, 120_000)

  it('is only out of reach while it is paused or held still, and goes on afterwards', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    await learning(service, run)
    const stack = await container()
    await stack.pause()
    const paused = await until(
      service,
      run,
      ({ summary }) => summary.state.kind === 'unreachable',
      PATIENCE
    )
    expect(paused.summary.now.en).toContain('paused')
    await stack.unpause()
    await until(service, run, ({ summary }) => summary.state.kind === 'training', PATIENCE)

    const all = await processesOf('')
    for (const pid of all) process.kill(pid, 'SIGSTOP')
    const still = await until(
      service,
      run,
      ({ summary }) => summary.state.kind === 'unreachable',
      PATIENCE
    )
    expect(still.summary.now.en).toContain('its service does not answer')
    for (const pid of all) process.kill(pid, 'SIGCONT')
    const back = await until(
      service,
      run,
      ({ summary }) => summary.state.kind === 'training',
      PATIENCE
    )
    expect(back.attempts).toHaveLength(1)
    await service.stop({ run, force: false })
    await end(service, run)
    await comparePractice(service, run)
  }, 240_000)

  it.each(['before', 'made'] as const)(
    'is started by the next engine when the first died at its start (%s)',
    async (moment) => {
      await launchAndDie(runs, moment)
      expect(await runs.containers()).toHaveLength(moment === 'made' ? 1 : 0)
      const service = await runs.open()
      const [only] = (await service.list()).runs
      const run = only?.id ?? ''
      await service.reconcile()
      const { attempts } = await until(service, run, ({ summary }) => summary.step >= 5, PATIENCE)
      expect(attempts).toHaveLength(1)
      expect(await runs.containers()).toHaveLength(1)
      await service.stop({ run, force: false })
      await end(service, run)
      await comparePractice(service, run)
    },
    180_000
  )

  it('is out of reach while the engine is stopped, and afterwards says how it ended', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    // Enough of everything that a gap or a double would show.
    await until(service, run, ({ summary }) => summary.step >= 5, PATIENCE)
    await runs.engine.down()
    const away = await until(
      service,
      run,
      ({ summary }) => summary.state.kind === 'unreachable',
      PATIENCE
    )
    expect(away.summary.now.en).toContain('cannot be looked at')
    await runs.engine.up()
    const { summary } = await end(service, run)
    // An engine asks its containers to end before it ends itself, and kills what does not. Nobody asked us to stop it.
    expect(summary.state.kind).toBe('failed')
    expect(summary.now.en).toMatch(/engine was restarted|ended from outside/)
    expect(await runs.containers()).toEqual([])
    await comparePractice(service, run)
  }, 180_000)

  async function fillAndMakeRoom(home: string): Promise<void> {
    const service = await runs.open()
    const run = await runs.launch(service)
    await learning(service, run)
    const ballast = join(home, 'ballast')
    // Filled to the last byte: dd ends with an error when no more fits.
    execFileSync('sh', ['-c', `dd if=/dev/zero of='${ballast}' bs=64k 2>/dev/null || true`])
    // Either of the two that write there meets it first: the stack, which ends, or Slipway, which waits.
    const isFull = ({ summary }: RunDetail): boolean => summary.now.en.includes('full')
    await until(service, run, isFull, PATIENCE)
    await rm(ballast)
    const after = await until(
      service,
      run,
      (detail) =>
        ended(detail.summary.state) ||
        (detail.summary.state.kind === 'training' && !isFull(detail)),
      PATIENCE
    )
    if (ended(after.summary.state)) expect(after.summary.now.en).toBe('The disk is full.')
    else {
      await service.stop({ run, force: true })
      await end(service, run)
    }
    expect(await runs.containers()).toEqual([])
    await runs.leave()
    // What was written is whole: another engine reads it.
    const again = await runs.open()
    expect((await again.get(run)).summary.step).toBeGreaterThanOrEqual(1)
  }

  it('says that the disk is full, and reads on once there is room', async () => {
    const { home } = runs.yard
    execFileSync('mkdir', ['-p', home])
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'slipway-test', home])
    try {
      await fillAndMakeRoom(home)
    } finally {
      await runs.leave()
      for (const id of await runs.containers())
        await runs.engine.docker.getContainer(id).remove({ force: true })
      execFileSync('umount', ['-l', home])
    }
  }, 180_000)
})

describeWithDocker('a machine that is restarted', () => {
  const runs = dockerRuns()

  it('ended the attempt, which is said, and it can be started again', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    await until(service, run, ({ summary }) => summary.step >= 1, PATIENCE)
    await runs.engine.crash()
    await until(service, run, ({ summary }) => summary.state.kind === 'unreachable', PATIENCE)
    await runs.engine.up()
    const { summary } = await until(service, run, (seen) => ended(seen.summary.state), PATIENCE)
    expect(summary.state).toMatchObject({ kind: 'failed', exit: { kind: 'code', code: 255 } })
    expect(summary.now.en).toContain('its machine was restarted')
    expect(await runs.containers()).toEqual([])
    await service.restart({ run })
    await until(
      service,
      run,
      (seen) => seen.summary.attempt === 2 && seen.summary.state.kind === 'training',
      PATIENCE
    )
  }, 240_000)
})

describeWithDocker('an engine that keeps its containers while it restarts', () => {
  const runs = dockerRuns(() => startEngine(['--live-restore']))

  it('is out of reach while the engine restarts, and learns on', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    const before = await until(service, run, ({ summary }) => summary.step >= 1, PATIENCE)
    await runs.engine.down()
    await until(service, run, ({ summary }) => summary.state.kind === 'unreachable', PATIENCE)
    await runs.engine.up()
    const back = await until(
      service,
      run,
      ({ summary }) => summary.state.kind === 'training' && summary.step > before.summary.step + 1,
      PATIENCE
    )
    expect(back.attempts).toHaveLength(1)
    await service.stop({ run, force: false })
    await until(service, run, ({ summary }) => summary.state.kind === 'stopped', PATIENCE)
    await comparePractice(service, run)
  }, 180_000)

  it('carries out a stop that was asked for while it was out of reach', async () => {
    const service = await runs.open()
    const run = await runs.launch(service)
    await until(service, run, ({ summary }) => summary.step >= 1, PATIENCE)
    await runs.engine.down()
    await until(service, run, ({ summary }) => summary.state.kind === 'unreachable', PATIENCE)
    await expect(service.stop({ run, force: false })).rejects.toThrow('The stop stands')
    await runs.engine.up()
    const { summary } = await until(service, run, (one) => ended(one.summary.state), PATIENCE)
    expect(summary.state).toMatchObject({ kind: 'stopped', asked: true })
  }, 180_000)
})

describeWithDocker('an engine that restarted while nobody looked', () => {
  // An engine with a bridge tells by it when it was started. A bridge of its own: several engines must not share one.
  const bridge = `slw${process.pid}`
  const runs = dockerRuns(() => {
    execFileSync('ip', ['link', 'add', 'name', bridge, 'type', 'bridge'])
    execFileSync('ip', ['address', 'add', '198.19.213.1/24', 'dev', bridge])
    return startEngine(['--bridge', bridge])
  })
  afterAll(() => {
    execFileSync('ip', ['link', 'delete', bridge])
  })

  /** How a run stands whose container ended by `end` after Slipway was left. */
  async function endUnseen(end: () => Promise<void>): Promise<RunDetail> {
    const first = await runs.open()
    const run = await runs.launch(first)
    await until(first, run, ({ summary }) => summary.step >= 1, PATIENCE)
    await runs.leave()
    await end()
    const second = await runs.open()
    await second.reconcile()
    return until(second, run, ({ summary }) => ended(summary.state), PATIENCE)
  }

  it('is not called done, and not a failure where that is not known', async () => {
    const { summary } = await endUnseen(async () => {
      await runs.engine.down()
      await runs.engine.up()
    })
    expect(summary.now.en).toContain('engine was started again since')
    // Asked to end by its engine, and killed where it did not in time.
    const { state } = summary
    if (state.kind === 'stopped')
      expect(state).toMatchObject({ exit: { kind: 'code', code: 0 }, unsure: true })
    else expect(state).toMatchObject({ kind: 'failed', exit: { kind: 'code', code: 137 } })
    expect(await runs.containers()).toEqual([])
  }, 180_000)

  it('is done when it ended by itself and the engine went on', async () => {
    const { summary } = await endUnseen(async () => {
      const [id = ''] = await runs.containers()
      const container = runs.engine.docker.getContainer(id)
      const over = container.wait()
      await container.kill({ signal: 'SIGTERM' })
      await over
    })
    expect(summary.state).toMatchObject({ kind: 'stopped', exit: { kind: 'code', code: 0 } })
    expect(summary.state).not.toHaveProperty('unsure')
  }, 180_000)
})
