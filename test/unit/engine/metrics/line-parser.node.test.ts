import { describe, expect, it } from 'vitest'
import {
  freshParserState,
  LineParser,
  type Meaning
} from '../../../../src-main/engine/metrics/line-parser'
import type { Row } from '../../../../src-main/engine/metrics/model'

const ESC = '\u001b'
const at = Date.UTC(2026, 2, 4, 10, 15, 22)

function parse(text: string, role: 'service' | 'launcher' = 'service'): Meaning[] {
  const parser = new LineParser(freshParserState(), role)
  const rows = (found: readonly Row[]): Meaning[] => found.map((row) => ({ kind: 'row', row }))
  const read = text.split('\n').flatMap((line) => {
    const meaning = parser.read(line, 0)
    return [...rows(parser.also), meaning]
  })
  return [...read, ...rows(parser.end())]
}

function rows(text: string): [string, number, Record<string, number>][] {
  return parse(text).flatMap((meaning) =>
    meaning.kind === 'row'
      ? [
          [
            meaning.row.axis,
            meaning.row.x,
            Object.fromEntries(meaning.row.keys.map((key, i) => [key, meaning.row.values[i] ?? 0]))
          ] as [string, number, Record<string, number>]
        ]
      : []
  )
}

describe('Slime lines', () => {
  it('reads an optimizer step with its time', () => {
    const [meaning] = parse(
      "[2026-03-04 10:15:22] model.py:918 - step 37: {'train/loss': -0.0012345678, 'train/lr-pg_0': 1e-06, 'train/grad_norm': nan, 'train/step': 37}"
    )
    expect(meaning).toEqual({
      kind: 'row',
      row: {
        axis: 'step',
        x: 37,
        at,
        keys: ['train/loss', 'train/lr-pg_0', 'train/grad_norm', 'train/step'],
        values: [-0.0012345678, 1e-6, NaN, 37]
      }
    })
  })

  it.each([
    ['step', 'step'],
    ['critic-step', 'step'],
    ['rollout', 'rollout'],
    ['perf', 'rollout'],
    ['multi_turn', 'rollout'],
    ['passrate', 'rollout'],
    ['eval', 'eval']
  ])('%s lines stand on the %s axis', (word, axis) => {
    expect(rows(`[2026-03-04 10:15:22] x.py:1 - ${word} 3: {'k': 1}`)).toEqual([
      [axis, 3, { k: 1 }]
    ])
  })

  it.each([
    '(RolloutManager pid=4102, ip=10.0.0.7) ',
    '(MegatronTrainRayActor pid=4711) ',
    `${ESC}[36m(MegatronTrainRayActor pid=4711, ip=10.0.0.7)${ESC}[0m `,
    `${ESC}[2m${ESC}[36m(RolloutManager pid=1)${ESC}[0m `,
    'Rollout generation:  31%|███▏      | 80/256 [00:42<01:33,  1.88it/s]',
    'actor train: 100%|██████████| 8/8 [00:42<00:00,  1.88it/s](MegatronTrainRayActor pid=4711, ip=10.0.0.7) '
  ])('peels %j', (prefix) => {
    expect(
      rows(`${prefix}[2026-03-04 10:15:22] rollout_metrics.py:268 - perf 37: {'a': 1}`)
    ).toEqual([['rollout', 37, { a: 1 }]])
  })

  it('finds the lines of processes that wrote into one line', () => {
    const stamped = '[2026-03-04 10:15:22] model.py:918 - '
    const text = [
      `${stamped}loading(MegatronTrainRayActor pid=4711) ${stamped}step 40: {'a': 1}`,
      `perf 3: {'b': 2}${ESC}[36m(RolloutManager pid=1)${ESC}[0m ${stamped}rollout 4: {'c': 3} [repeated 2x across cluster]`,
      `half a word${stamped}step 5: {'d': 4}${stamped}step 6: {'e': nan}`
    ].join('\n')
    expect(rows(text)).toEqual([
      ['step', 40, { a: 1 }],
      ['rollout', 4, { c: 3 }],
      ['rollout', 3, { b: 2 }],
      ['step', 6, { e: NaN }],
      ['step', 5, { d: 4 }]
    ])
  })

  it('takes no number from a line that another one quotes', () => {
    const line = "[2026-03-04 10:15:22] model.py:918 - step 40: {'a': 1}"
    const text = [
      `First rollout sample: ["the log says ${line}"], label: 1, reward: 0`,
      `First rollout sample: ['${line.replaceAll("'", "\\'")}', "x"], label: 1`,
      `it printed ${line} and then stopped`,
      `it printed ${line}\\nand then stopped`,
      `cut off ${line.slice(0, -1)}`
    ].join('\n')
    expect(rows(text)).toEqual([])
  })

  it('is not led astray by what follows the dict', () => {
    expect(
      rows(
        `perf 2: {'a': 1} ${ESC}[32m [repeated 3x across cluster]${ESC}[0m (Ray deduplicates logs by default. Set RAY_DEDUP_LOGS=0 to disable log deduplication)`
      )
    ).toEqual([['rollout', 2, { a: 1 }]])
  })

  it('takes no number from ordinary text', () => {
    const text = [
      "[2026-03-04 10:15:22] a.py:1 - First rollout sample: ['step 3: {x}'], label: 1, reward: 0",
      'the next step 4: {not a metric}',
      'rollout 3: nothing'
    ].join('\n')
    expect(rows(text)).toEqual([])
  })

  it('reads timers, memory and SGLang decode lines on the time axis', () => {
    const text = [
      '[2026-03-04 10:15:22] timer.py:32 - Timer save_model end (elapsed: 12.3s)',
      "[2026-03-04 10:15:22] memory_utils.py:40 - [Rank 1] Memory-Usage after offload: {'gpu': '0', 'used_GB': 31.5}",
      '(SGLangEngine pid=901) [2026-03-04 10:15:22 TP0] Decode batch, #running-req: 61, #token: 120931, token usage: 0.19, cuda graph: True, gen throughput (token/s): 4211.30, #queue-req: 0'
    ].join('\n')
    expect(rows(text)).toEqual([
      ['wall', at, { 'timer/save_model': 12.3 }],
      ['wall', at, { 'memory/rank1/used_GB': 31.5 }],
      [
        'wall',
        at,
        {
          'sglang/running_requests': 61,
          'sglang/tokens': 120931,
          'sglang/token_usage': 0.19,
          'sglang/gen_throughput': 4211.3,
          'sglang/queued_requests': 0
        }
      ]
    ])
  })
})

describe('NexRL lines', () => {
  const head = '[2026-03-04 10:15:22,771][nexrl.trainer.remote_api_trainer][INFO] - '
  const step = (n: number): string =>
    [
      `${head}rollout metrics: {'rollout/reward_mean': 0.5390625, 'rollout/reward_std': 0.4}, trajectories: 256`,
      "combined_metrics: {'loss': -0.0132, 'loss:sum': -3.38}",
      `${head}Training step ${String(n)} completed, updated sampling path: weaver://m/checkpoints/s`,
      `[2026-03-04 10:15:22,790][LocalLogger][INFO] - step:${String(n)} - rollout/reward_mean:0.539 - training/loss:sum:-3.380 - training/global_step:${String(n)}.000 - timing/training_time:nan`
    ].join('\n')

  it('gives the dicts their step, and keeps the rounded copies out', () => {
    const expected = (n: number): unknown[] => [
      ['step', n, { 'rollout/reward_mean': 0.5390625, 'rollout/reward_std': 0.4 }],
      ['step', n, { 'training/loss': -0.0132, 'training/loss:sum': -3.38 }],
      ['step', n, { 'training/global_step': n, 'timing/training_time': NaN }]
    ]
    expect(rows([step(0), step(1), step(2)].join('\n'))).toEqual([0, 1, 2].flatMap(expected))
  })

  it('holds the dicts of a log that is read from its middle until their step is told', () => {
    const dict = (n: number): unknown[] => [
      ['step', n, { 'rollout/reward_mean': 0.5390625, 'rollout/reward_std': 0.4 }],
      ['step', n, { 'training/loss': -0.0132, 'training/loss:sum': -3.38 }]
    ]
    const rest = (n: number): unknown => [
      'step',
      n,
      { 'training/global_step': n, 'timing/training_time': NaN }
    ]
    expect(rows(step(4))).toEqual([...dict(4), rest(4)])
    const [rollout, combined, , console] = step(4).split('\n')
    expect(rows([rollout, combined, console].join('\n'))).toEqual([...dict(4), rest(4)])
    expect(rows([rollout, combined].join('\n'))).toEqual(dict(0))
    const booted = `${head}Starting NexRL in local mode\n${rollout ?? ''}`
    expect(rows(booted)).toEqual(dict(0).slice(0, 1))
  })

  it('finds the line that was written behind a dict without its line feed', () => {
    const [rollout = '', combined = '', done = ''] = step(0).split('\n')
    expect(rows([combined + rollout, done].join('\n'))).toHaveLength(2)
  })

  it('splits console keys at the last colon and merges two lines of one step', () => {
    const text = [
      '[2026-03-04 10:15:22,790][LocalLogger][INFO] - step:4 - training/loss:sum:-3.380 - a/b:0.5',
      '[2026-03-04 10:15:23,790][LocalLogger][INFO] - step:4 - val/correct:0.610'
    ].join('\n')
    expect(rows(text)).toEqual([
      ['step', 4, { 'training/loss:sum': -3.38, 'a/b': 0.5 }],
      ['step', 4, { 'val/correct': 0.61 }]
    ])
  })

  it('draws its progress line as a bar', () => {
    expect(
      parse(
        'Progress: Batch: 96/256 (remaining: 160) | Workers: 128 active | Trajectories: 91 finished'
      )
    ).toEqual([{ kind: 'bar', bar: { label: 'Batch', done: 96, total: 256, left: null } }])
  })
})

describe('events', () => {
  it.each([
    [
      '[reef] slime-driver: ready at http://127.0.0.1:8000',
      'service-ready',
      { service: 'slime-driver', url: 'http://127.0.0.1:8000' }
    ],
    ['[reef] reef: exited; bringing down the stack', 'service-exited', { service: 'reef' }],
    [
      "[reef] deployment startup failed: service 'reef' exited before ready",
      'startup-failed',
      { reason: "service 'reef' exited before ready" }
    ],
    ['[reef] stack up. logs: /var/lib/reef/*.log', 'stack-up', { logs: '/var/lib/reef/*.log' }],
    ['reef-training-ready', 'driver-ready', {}],
    [
      '  [2026-03-04 10:20:00] successfully saved checkpoint from iteration      19 to /c/d [ t 1/2, p 1/1 ]',
      'checkpoint-saved',
      { iteration: '19', path: '/c/d' }
    ],
    ['    will not load any checkpoints and will start from random', 'random-weights', {}],
    [
      'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 58.00 GiB',
      'out-of-memory',
      { wanted: '58.00 GiB' }
    ],
    [
      'POST /reef/report failed with Foo: bad (HTTP 409)',
      'request-failed',
      { method: 'POST', path: '/reef/report', type: 'Foo', reason: 'bad', status: '409' }
    ]
  ])('%s', (line, kind, data) => {
    expect(parse(line)[0]).toMatchObject({ kind: 'event', event: { kind, data } })
  })

  it('takes only the launcher lines from the launcher', () => {
    const text = [
      "[2026-03-04 10:15:22] model.py:918 - step 37: {'train/loss': 1}",
      '[reef] reef: ready',
      'reef-training-ready'
    ].join('\n')
    expect(parse(text, 'launcher').map((meaning) => meaning.kind)).toEqual([
      'text',
      'event',
      'text'
    ])
  })
})
