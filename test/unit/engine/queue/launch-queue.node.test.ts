import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LaunchRequest, type Plan } from '../../../../src-main/contract/launch'
import type { QueuedLaunch } from '../../../../src-main/contract/queue'
import { FailureError, systemClock } from '../../../../src-main/engine/lib'
import { LaunchQueue, type Refused } from '../../../../src-main/engine/queue'
import { refusedAlert } from '../../../../src-main/engine/alerts'
import { granted } from '../../../../src-main/engine/queue/wishes'
import { mayStart, type OwnStack, portsNeeded } from '../../../../src-main/engine/queue/may-start'
import { planLaunch } from '../../../../src-main/engine/stacks'
import { readRecipeForPlan } from '../../../../src-main/engine/stacks'

const recipe = `
schema-version: 2
reef: { port: 8900 }
recipe: { implementation: "recipes.sao.recipe:SAORecipe", config: { batch-size: 128 } }
inference: { model-path: /m, num-gpus: 1 }
training: { options: { actor-num-gpus-per-node: 1 }, config: { checkpoint_dir: /c } }
`

function planOf(request: LaunchRequest): Plan {
  const parsed = readRecipeForPlan(recipe, { path: request.recipe, overrides: [], environment: {} })
  return planLaunch(parsed, request, {
    kind: 'reef-process',
    ref: { id: request.target, name: request.target, kind: 'process' },
    command: 'reef'
  })
}

const gpu = (index: number, usedBytes = 0) => ({
  index,
  name: 'H200',
  memoryBytes: 141e9,
  usedBytes,
  utilisation: 0
})
const request = (name: string, target = 'gpu'): LaunchRequest =>
  LaunchRequest.parse({ recipe: `/r/${name}.yaml`, target, name })

describe('whether a launch may start', () => {
  const plan = planOf(request('a'))
  const none = { own: [], gpus: [], taken: [], ports: portsNeeded(plan, []) }
  const own = (gpus: number, ports: number[] = []): OwnStack => ({ name: 'other', gpus, ports })

  it('waits for the port another stack of ours has', () => {
    const verdict = mayStart({ ...none, plan, own: [own(0, [8900])] })
    expect(verdict).toMatchObject({
      kind: 'wait',
      why: { en: expect.stringContaining('8900') as unknown }
    })
    const ports = portsNeeded({ ...plan, practice: true }, [])
    expect(mayStart({ ...none, plan, ports, own: [own(0, [8900])] }).kind).toBe('go')
  })

  it.each([
    ['go', [gpu(0), gpu(1)], []],
    ['wait', [gpu(0), gpu(1, 60e9)], []],
    ['go', [gpu(0, 4e8), gpu(1), gpu(2, 60e9)], []],
    // Promised to a stack that has not taken its memory yet.
    ['wait', [gpu(0), gpu(1)], [own(1)]],
    ['go', [gpu(0), gpu(1), gpu(2)], [own(1)]],
    ['go', [], []],
    ['wait', [], [own(2)]]
  ])('says %s, case %#', (kind, gpus, stacks) => {
    expect(mayStart({ ...none, plan, own: stacks, gpus }).kind).toBe(kind)
  })

  it('waits for a port of a program that is not ours, and names it', () => {
    const owner = { pid: 7, command: 'python -m http.server' }
    const taken = [{ port: 8900, owner }]
    expect(mayStart({ ...none, plan, taken })).toMatchObject({
      kind: 'wait',
      why: { en: expect.stringMatching(/8900.*http\.server \(pid 7\)/) as unknown }
    })
    expect(mayStart({ ...none, plan, taken: [{ port: 8900, owner: null }] }).kind).toBe('wait')
  })

  it('waits for a port that was asked for by hand, though the practice stack could take another', () => {
    const practice = { ...plan, practice: true }
    const asked = [
      { path: 'reef.port', value: '9000' },
      { path: 'reef.port', value: '9001' },
      { path: 'training.options.lr', value: '1' }
    ]
    expect(portsNeeded(practice, asked)).toEqual([9001])
    expect(portsNeeded(practice, [])).toEqual([])
    expect(portsNeeded(plan, asked)).toEqual([8900])
    const verdict = mayStart({
      ...{ ...none, plan: practice, own: [own(0, [9001])] },
      ports: portsNeeded(practice, asked)
    })
    expect(verdict).toMatchObject({ why: { en: expect.stringContaining('9001') as unknown } })
  })
})

describe('the queue', () => {
  let home: string
  let busy: OwnStack[]
  let started: string[]
  let rung: Refused[]
  const open: LaunchQueue[] = []

  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-queue-'))
    busy = [{ name: 'first', gpus: 2, ports: [] }]
    started = []
    rung = []
  })
  afterEach(async () => {
    for (const queue of open.splice(0)) await queue.dispose()
    await rm(home, { recursive: true })
  })

  async function openQueue(active = true, wishMs = 60_000): Promise<LaunchQueue> {
    const queue = await LaunchQueue.open({
      home,
      clock: systemClock,
      active,
      everyMs: 20,
      plan: (asked) => Promise.resolve(planOf(asked)),
      own: (target) => Promise.resolve(target === 'gpu' ? busy : []),
      gpus: () => Promise.resolve([gpu(0), gpu(1)]),
      taken: () => Promise.resolve([]),
      wishMs,
      refused: (item) => Promise.resolve(void rung.push(item)),
      start: ({ name }) => {
        if (name === 'bad') {
          const text = { en: 'no', zh: '否' }
          return Promise.reject(new FailureError({ code: 'preflight-failed', what: text }))
        }
        started.push(name ?? '')
        busy = [{ name: name ?? '', gpus: 2, ports: [] }]
        return Promise.resolve()
      }
    })
    open.push(queue)
    queue.begin()
    return queue
  }

  const hasRung = (times: number): Promise<void> =>
    vi.waitFor(() => {
      expect(rung).toHaveLength(times)
    }, 10_000)

  async function until(
    queue: LaunchQueue,
    wanted: (items: QueuedLaunch[]) => boolean
  ): Promise<QueuedLaunch[]> {
    for await (const { queue: items } of queue.watch()) if (wanted(items)) return items
    throw new Error('ended')
  }

  it('starts one after the other as GPUs get free, others at once, and is kept over an end', async () => {
    const first = await openQueue()
    await first.add(request('a'))
    await first.add(request('b'))
    await first.add(request('c', 'elsewhere'))
    const waiting = await until(first, (items) =>
      items.every(({ state }) => state.kind === 'waiting' && !state.why.en.includes('about'))
    )
    expect(waiting.map(({ name }) => name)).toEqual(['a', 'b'])
    expect(waiting[0]?.state).toMatchObject({
      why: { en: expect.stringContaining('2 GPUs') as unknown }
    })
    expect(started).toEqual(['c'])
    await first.dispose()
    const second = await openQueue()
    busy = []
    await until(second, (items) => items.length === 1)
    expect(started).toEqual(['c', 'a'])
    busy = []
    await until(second, (items) => items.length === 0)
    expect(started).toEqual(['c', 'a', 'b'])
  })

  it('keeps what is refused for a person to see, and lets the next one go', async () => {
    busy = []
    const queue = await openQueue()
    const { id: bad } = await queue.add(request('bad'))
    await queue.add(request('good'))
    const left = await until(queue, (items) => items.length === 1 && started.length === 1)
    expect(left[0]).toMatchObject({ id: bad, state: { kind: 'refused' } })
    expect(rung).toMatchObject([{ id: bad, state: { failure: { code: 'preflight-failed' } } }])
    await queue.wish({ kind: 'remove', id: bad })
    expect(await until(queue, (items) => items.length === 0)).toEqual([])
  })

  it('tries one that could not start again, by the window or a command, and rings each time', async () => {
    busy = []
    const queue = await openQueue()
    const { id } = await queue.add(request('bad'))
    await hasRung(1)
    expect(await queue.wish({ kind: 'again', id })).toBe(true)
    await hasRung(2)
    expect(await (await openQueue(false)).wish({ kind: 'again', id })).toBe(true)
    await hasRung(3)
    const ids = rung.map((item) => refusedAlert(item).id)
    expect(ids.every((one) => one.startsWith(`queue ${id} `))).toBe(true)
    expect(refusedAlert(rung[0] ?? expect.fail())).toMatchObject({
      run: null,
      runName: 'bad',
      kind: 'queue',
      text: { en: 'no', zh: '否' }
    })
    busy = [{ name: 'other', gpus: 2, ports: [] }]
    const { id: waiting } = await queue.add(request('waits', 'gpu'))
    await expect(queue.wish({ kind: 'again', id: waiting })).rejects.toMatchObject({
      failure: { code: 'queue-not-refused' }
    })
  })

  it('does not start again what was being started when Slipway ended', async () => {
    const item = {
      id: 'x',
      request: request('a'),
      name: 'a',
      queuedAt: 0,
      state: { kind: 'starting' }
    }
    await writeFile(join(home, 'queue.json'), JSON.stringify({ version: 1, queue: [item] }))
    busy = []
    const queue = await openQueue()
    const [kept] = await until(queue, (items) => items.length === 1)
    expect(kept?.state).toMatchObject({ kind: 'refused', failure: { code: 'queue-interrupted' } })
    expect(started).toEqual([])
    await queue.dispose()
    open.splice(0)
    // Told once it is written down, and by the same time again: one alert.
    await openQueue()
    await hasRung(2)
    const [first, second] = rung.map((one) => refusedAlert(one).id)
    expect(second).toBe(first)
  })

  it('does what a command wants of it, at once or when it is opened next', async () => {
    const window = await openQueue()
    const [{ id: a }, { id: b }] = [await window.add(request('a')), await window.add(request('b'))]
    await until(window, (items) => items.length === 2)
    expect(await (await openQueue(false)).wish({ kind: 'first', id: b })).toBe(true)
    const order = await until(window, (items) => items[0]?.id === b)
    expect(order.map(({ id }) => id)).toEqual([b, a])
    await window.dispose()
    const later = await openQueue(false, 1)
    expect((await until(later, () => true)).map(({ id }) => id)).toEqual([b, a])
    expect(await later.wish({ kind: 'remove', id: b })).toBe(false)
    await expect(later.wish({ kind: 'remove', id: 'no' })).rejects.toMatchObject({
      failure: { code: 'queue-unknown' }
    })
    const next = await openQueue()
    expect((await until(next, (items) => items.length === 1))[0]?.id).toBe(a)
  })

  it('lets a launch of a command wait, once, at once or from when it is opened next', async () => {
    const window = await openQueue()
    const told = await (await openQueue(false)).add(request('a'))
    expect(told.done).toBe(true)
    expect((await until(window, (items) => items.length === 1))[0]).toMatchObject({
      id: told.id,
      name: 'a'
    })
    await window.dispose()
    const later = await (await openQueue(false, 1)).add(request('b'))
    expect(later.done).toBe(false)
    // Nobody keeps the queue, and another command sees and reaches what the first one left.
    const glance = await openQueue(false, 1)
    const seen = await until(glance, () => true)
    expect(seen.map(({ id }) => id)).toEqual([told.id, later.id])
    const gone = await (await openQueue(false, 1)).add(request('c'))
    const third = await openQueue(false, 1)
    expect(await third.wish({ kind: 'remove', id: gone.id })).toBe(false)
    expect(await until(await openQueue(false, 1), () => true)).toHaveLength(2)
    const next = await openQueue()
    const items = await until(next, ({ length }) => length === 2)
    expect(items.map(({ id }) => id)).toEqual([told.id, later.id])
    const [, item] = items
    if (item === undefined) throw new Error('not there')
    expect(granted(items, { kind: 'add', item })).toEqual(items)
  })

  it('puts a damaged file aside', async () => {
    await writeFile(join(home, 'queue.json'), '{')
    const queue = await openQueue()
    await queue.add(request('a'))
    expect(await readFile(join(home, 'queue.json'), 'utf8')).toContain('"name": "a"')
  })
})
