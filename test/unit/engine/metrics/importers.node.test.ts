import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Command } from 'commander'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { registerMetricsCommand } from '../../../../src-main/cli/metrics'
import { FailureError } from '../../../../src-main/engine/lib'
import { crc32, crc32c, maskedCrc32c, scriptedCrc32 } from '../../../../src-main/engine/metrics/crc'
import {
  isDamage,
  openMetricStore,
  readMetricFile,
  type Problem,
  type Row
} from '../../../../src-main/engine/metrics'
import {
  bytesField,
  double,
  event,
  float,
  history,
  item,
  nested,
  scalar,
  tensor,
  tfRecord,
  varint,
  wandbFile,
  whole
} from '../../../support/tracker-files'

vi.setConfig({ testTimeout: 60_000 })

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-import-'))
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

type Found = [axis: string, x: number, key: string, value: number, at: number]

async function read(
  name: string,
  bytes: Buffer | string
): Promise<{ format: string; found: Found[]; problems: string[] }> {
  const path = join(folder, name)
  await writeFile(path, bytes)
  const found: Found[] = []
  const problems: string[] = []
  const format = await readMetricFile(path, {
    row: (row: Row) => {
      row.keys.forEach((key, i) => found.push([row.axis, row.x, key, row.values[i] ?? 0, row.at]))
    },
    problem: (problem: Problem) => problems.push(problem.code)
  })
  return { format, found, problems }
}

// A protobuf writer of a few lines: what the specification says and nothing of the reader.
describe('a file packed with gzip', () => {
  const log = Array.from(
    { length: 9000 },
    (_, step) =>
      `[2026-03-04 10:15:22] model.py:918 - step ${step}: {'train/loss': ${step / 10}, 'train/step': ${step}}\n`
  ).join('')

  it('is read as what was packed, by its own name', async () => {
    const packed = await read('reef.log.2.gz', gzipSync(log))
    expect(packed).toEqual(await read('reef.log', log))
    expect(packed.found).toHaveLength(18_000)
    expect(await read('m.csv.gz', gzipSync('step,a\n1,2\n'))).toMatchObject({
      format: 'csv',
      found: [['step', 1, 'a', 2, 0]]
    })
  })

  it('that is cut off gives what it has; one of which nothing is left is refused', async () => {
    const whole = gzipSync(log)
    const { found, problems } = await read('cut.log.gz', whole.subarray(0, whole.length / 2))
    expect(found.length).toBeGreaterThan(2000)
    expect(problems).toEqual(['bad-packed'])
    await expect(read('broken.log.gz', whole.subarray(0, 5))).rejects.toMatchObject({
      failure: { code: 'metrics-file-packed' }
    })
  })

  it('that is cut off inside a number gives no such number, wherever it is cut', async () => {
    const table = `step,a\n${Array.from({ length: 40 }, (_, n) => `${n},0.12345678${n}\n`).join('')}`
    const whole = gzipSync(table)
    const all = (await read('m.csv', table)).found
    for (let length = 18; length < whole.length; length++) {
      const cut = await read('m.csv.gz', whole.subarray(0, length)).catch((thrown: unknown) => {
        if (!(thrown instanceof FailureError)) throw thrown
        expect(thrown.failure.code).toBe('metrics-file-packed')
        return { problems: ['bad-packed'], found: [] }
      })
      expect(cut.problems).toEqual(['bad-packed'])
      expect(cut.found).toEqual(all.slice(0, cut.found.length))
    }
  })
})

describe('checksums', () => {
  it('have the published values', () => {
    const digits = Buffer.from('123456789')
    expect([crc32(digits), scriptedCrc32(digits), crc32c(digits)]).toEqual([
      0xcbf43926, 0xcbf43926, 0xe3069283
    ])
    expect(maskedCrc32c(Buffer.from([0x18, 0, 0, 0, 0, 0, 0, 0]))).toBe(0x224b7fa3)
  })
})

describe('TensorBoard event files', () => {
  const first = tfRecord(Buffer.concat([double(1, 1), bytesField(3, 'brain.Event:2')]))
  const content = Buffer.alloc(8)
  content.writeDoubleLE(0.125)
  const file = Buffer.concat([
    first,
    event(3n, scalar('train/loss', 0.5), scalar('rollout/rewards', NaN)),
    event(-1n, tensor('eval/aime', whole(1, 2n), bytesField(4, content))),
    event(
      4n,
      tensor('a', whole(1, 1n), float(5, 0.25)),
      tensor('b', whole(1, 9n), bytesField(10, varint(-7n)))
    ),
    event(
      5n,
      tensor('half', whole(1, 19n), whole(13, 0x3c00n)),
      tensor('two', whole(1, 1n), float(5, 1), float(5, 2))
    )
  ])
  const at = 1700000000500
  const expected: Found[] = [
    ['step', 3, 'train/loss', 0.5, at],
    ['rollout', 3, 'rollout/rewards', NaN, at],
    ['eval', -1, 'eval/aime', 0.125, at],
    ['step', 4, 'a', 0.25, at],
    ['step', 4, 'b', -7, at],
    ['step', 5, 'half', 1, at]
  ]

  it('begin with the bytes of the specification', () => {
    expect([...first.subarray(0, 13)]).toEqual([
      0x18, 0, 0, 0, 0, 0, 0, 0, 0xa3, 0x7f, 0x4b, 0x22, 0x09
    ])
  })

  it('give scalars and one-element tensors', async () => {
    expect(await read('events.out.tfevents.1.h.2.0', file)).toEqual({
      format: 'tfevents',
      found: expected,
      problems: []
    })
    expect((await read('renamed', file)).format).toBe('tfevents')
  })

  it('tell a torn tail, at every byte, and keep what is whole', async () => {
    const before =
      file.length -
      event(
        5n,
        tensor('half', whole(1, 19n), whole(13, 0x3c00n)),
        tensor('two', whole(1, 1n), float(5, 1), float(5, 2))
      ).length
    for (let length = before + 1; length < file.length; length += 5) {
      const { found, problems } = await read('tfevents', file.subarray(0, length))
      expect([found.length, problems]).toEqual([5, ['torn-tail']])
    }
  })

  it('stop at a bad checksum', async () => {
    const bad = Buffer.from(file)
    bad[first.length + 20] = (bad[first.length + 20] ?? 0) ^ 1
    expect(await read('tfevents', bad)).toEqual({
      format: 'tfevents',
      found: [],
      problems: ['bad-checksum']
    })
  })
})

describe('W&B offline files', () => {
  const small = history(
    item('train/loss', '0.25'),
    nested(['train/step'], '7'),
    item('rollout/rewards', '"NaN"'),
    item('rollout/step', '3'),
    item('note', '"text"'),
    item('_step', '99'),
    item('_timestamp', '1700000000.5')
  )
  const at = 1700000000500
  const expected: Found[] = [
    ['step', 7, 'train/loss', 0.25, at],
    ['step', 7, 'train/step', 7, at],
    ['rollout', 3, 'rollout/rewards', NaN, at],
    ['rollout', 3, 'rollout/step', 3, at]
  ]

  it('give history on the declared axes, over block borders and padding', async () => {
    const big = history(
      item('long', JSON.stringify('x'.repeat(70_000))),
      item('big', '1'),
      item('_step', '5')
    )
    const filler = history(item('pad', JSON.stringify('y'.repeat(32768 - 7 - 7 - 40))))
    const { format, found, problems } = await read(
      'run-1.wandb',
      wandbFile([small, big, filler, small, small])
    )
    expect([format, problems]).toEqual(['wandb', []])
    expect(found).toEqual([...expected, ['step', 5, 'big', 1, 0], ...expected, ...expected])
  })

  it('skip the zero padding at the end of a block', async () => {
    // 7 (header) + 7 (record head) + data leaves 3 bytes in the block.
    const base = history(item('pad', '""')).length
    const size = 32768 - 7 - 7 - 3
    const padded = history(item('pad', JSON.stringify('z'.repeat(size - base - 6))))
    expect(Math.abs(padded.length - size)).toBeLessThan(7)
    const exact = Buffer.concat([padded, Buffer.alloc(0)])
    expect((await read('a.wandb', wandbFile([exact, small]))).found).toEqual(expected)
  })

  it('tell torn tails and stop at bad checksums', async () => {
    const file = wandbFile([small, small])
    const torn = await read('a.wandb', file.subarray(0, file.length - 4))
    expect([torn.found, torn.problems]).toEqual([expected, ['torn-tail']])
    const bad = Buffer.from(file)
    bad[bad.length - 1] = (bad[bad.length - 1] ?? 0) ^ 1
    const damaged = await read('a.wandb', bad)
    expect([damaged.found, damaged.problems]).toEqual([expected, ['bad-checksum']])
    expect((await read('b.wandb', Buffer.from(':W&B\u0000\u0000\u0009'))).problems).toEqual([
      'bad-header'
    ])
  })
})

describe('CSV and JSON Lines', () => {
  it('reads a wide table with quotes, gaps and non-finite values', async () => {
    const text =
      '\ufefftrain/step,train/loss,rollout/step,rollout/rewards,note\r\n1,0.5,0,nan,"a, ""b"""\r\n2,,1,1e-3,x'
    expect(await read('history.csv', text)).toEqual({
      format: 'csv',
      problems: ['text-columns'],
      found: [
        ['step', 1, 'train/step', 1, 0],
        ['step', 1, 'train/loss', 0.5, 0],
        ['rollout', 0, 'rollout/step', 0, 0],
        ['rollout', 0, 'rollout/rewards', NaN, 0],
        ['step', 2, 'train/step', 2, 0],
        ['rollout', 1, 'rollout/step', 1, 0],
        ['rollout', 1, 'rollout/rewards', 0.001, 0]
      ]
    })
  })

  it('reads a long table', async () => {
    const { found } = await read('x.csv', 'run,key,step,value\nr,train/loss,4,0.5\nr,eval/a,4,1\n')
    expect(found).toEqual([
      ['step', 4, 'train/loss', 0.5, 0],
      ['eval', 4, 'eval/a', 1, 0]
    ])
  })

  it('finds the step of a table that was downloaded from W&B', async () => {
    const text = '"Step","run - train/loss","run - train/loss__MIN"\n"20","0.5","0.4"\n"40","",""\n'
    const { found } = await read('wandb_export.csv', text)
    expect(found).toEqual([
      ['step', 20, 'run - train/loss', 0.5, 0],
      ['step', 20, 'run - train/loss__MIN', 0.4, 0]
    ])
  })

  it('takes a comma between semicolons for the decimal one', async () => {
    const { found, problems } = await read('x.csv', 'step;loss;lr\n1;0,5;1e-4\n2;-,25;2,5e-5\n')
    expect(problems).toEqual([])
    expect(found.map(([, x, , value]) => [x, value])).toEqual([
      [1, 0.5],
      [1, 1e-4],
      [2, -0.25],
      [2, 2.5e-5]
    ])
  })

  it.each<[string, string, Problem['code'], RegExp, boolean, (string | number)[]]>([
    [
      'two columns of one name',
      'step,loss,loss\n1,2,3\n',
      'doubled-columns',
      /column loss\./,
      false,
      [2, 3]
    ],
    [
      'rows that do not fit the head',
      'step,loss\n1,2\n2\n3,4,5\n',
      'ragged-rows',
      /^2 rows .* the 2 of the head line, the first of them row 2\./,
      false,
      [2, 4]
    ],
    [
      'a quote that nobody closes, with the lines after it',
      'step,loss,note\n1,2,a\n2,3,"b\n3,4,c\n',
      'bad-line',
      /line at byte 21 is never closed/,
      true,
      [2, 3, 4]
    ]
  ])('tells of %s', async (_what, text, code, said, damage, values) => {
    const path = join(folder, 'm.csv')
    await writeFile(path, text)
    const [problems, rows]: [Problem[], (string | number)[]] = [[], []]
    await readMetricFile(path, {
      row: ({ keys, values }) =>
        keys.forEach((key, i) => key === 'loss' && rows.push(values[i] ?? NaN)),
      problem: (one) => problems.push(one)
    })
    const told = problems.find((one) => one.code === code)
    expect(told?.what.en).toMatch(said)
    expect(told !== undefined && isDamage(told)).toBe(damage)
    expect(rows).toEqual(values)
  })

  it('names the columns of a table that hold text only, once, and takes that for no damage', async () => {
    const path = join(folder, 'm.csv')
    await writeFile(path, 'step,a,host,note\n1,2,n1,\n2,n/a,n1,warm\n')
    const problems: Problem[] = []
    await readMetricFile(path, { row: () => undefined, problem: (one) => problems.push(one) })
    expect(problems.map(({ code }) => code)).toEqual(['text-columns'])
    expect(problems[0]?.what.en).toMatch(/columns host, note\.$/)
    expect(problems.some(isDamage)).toBe(false)
  })

  it.each(['m.jsonl', 'm.csv'])('passes over a line nobody wrote by hand: %s', async (name) => {
    const json = name.endsWith('l')
    const line = (step: number, more: string): string =>
      json ? `{"step": ${step}, "loss": 0.5, "note": "${more}"}` : `${step},0.5,${more}`
    const long = line(2, 'NaN'.repeat(1_000_000))
    const lines = [...(json ? [] : ['step,loss,note']), line(1, 'a'), long, line(3, 'b'), 'x']
    const { found, problems } = await read(name, lines.join('\n'))
    expect(problems).toEqual(['bad-line', json ? 'torn-tail' : 'text-columns'])
    expect(found.filter(([, , key]) => key === 'loss').map(([, x]) => x)).toEqual([1, 3])
    if (!json) return
    // Right below the limit, and cut off: read as it is, not by a stack that overflows.
    const torn = `${line(1, 'a')}\n{"step": 2, "note": "${'NaN_'.repeat(250_000)}`
    expect((await read(name, torn)).problems).toEqual(['torn-tail'])
  })

  it('reads JSON lines with nested names, Python NaN and a torn end', async () => {
    const lines = [
      '{"step": 3, "train": {"loss": 0.5, "grad": NaN}, "text": "NaN, x", "at": 1700000000}',
      '{"record":"reef-commit/5","step":2,"recorded_at":1700000000.5,"metrics":{"train/loss":0.1,"selected":true}}',
      'nonsense',
      '{"step": 4, "a": '
    ]
    expect(await read('m.jsonl', lines.join('\n'))).toEqual({
      format: 'jsonl',
      problems: ['bad-line', 'torn-tail'],
      found: [
        ['step', 3, 'train/loss', 0.5, 1700000000000],
        ['step', 3, 'train/grad', NaN, 1700000000000],
        ['commit', 2, 'train/loss', 0.1, 1700000000500],
        ['commit', 2, 'selected', 1, 1700000000500]
      ]
    })
  })
})

describe('what the HF Trainer leaves', () => {
  const bar = '\r  1%|▏         | 10/1000 [00:05<08:15,  2.00it/s]\r'
  it('is read from its log, a line of training a step, an evaluation at the line before it', async () => {
    const lines = [
      "{'loss': 0.5, 'grad_norm': nan, 'learning_rate': 1e-05, 'epoch': 0.01}",
      `${bar}{'loss': '0.25', 'learning_rate': '2e-05', 'epoch': '0.02'}`,
      "{'eval_loss': 0.75, 'eval_runtime': 2.5, 'epoch': 0.02}",
      "{'train_runtime': 12.5, 'train_loss': 0.4, 'epoch': 0.02}",
      "{'name': 'no metric', 'size': 3}",
      "{'loss': 1, 'epoch': 1} and more text",
      "{'loss': 0.1, 'global_step': 40}"
    ]
    const { format, found, problems } = await read('train.log', lines.join('\n'))
    expect([format, problems]).toEqual(['log', []])
    expect(found.map(([axis, x, key, value]) => [axis, x, key, value])).toEqual([
      ['step', 0, 'loss', 0.5],
      ['step', 0, 'grad_norm', NaN],
      ['step', 0, 'learning_rate', 1e-5],
      ['step', 0, 'epoch', 0.01],
      ['step', 1, 'loss', 0.25],
      ['step', 1, 'learning_rate', 2e-5],
      ['step', 1, 'epoch', 0.02],
      ['step', 1, 'eval_loss', 0.75],
      ['step', 1, 'eval_runtime', 2.5],
      ['step', 1, 'epoch', 0.02],
      ['step', 1, 'train_runtime', 12.5],
      ['step', 1, 'train_loss', 0.4],
      ['step', 1, 'epoch', 0.02],
      ['step', 40, 'loss', 0.1]
    ])
  })

  it('is read from its state, with the steps it says', async () => {
    const state = {
      best_metric: 0.1,
      global_step: 20,
      log_history: [
        { epoch: 0.1, loss: 0.5, step: 10 },
        { epoch: 0.2, eval_loss: 0.25, step: 20 }
      ]
    }
    const { format, found, problems } = await read(
      'trainer_state.json',
      JSON.stringify(state, null, 2)
    )
    expect([format, problems]).toEqual(['json', []])
    expect(found).toEqual([
      ['step', 10, 'epoch', 0.1, 0],
      ['step', 10, 'loss', 0.5, 0],
      ['step', 20, 'epoch', 0.2, 0],
      ['step', 20, 'eval_loss', 0.25, 0]
    ])
  })
})

describe('a JSON document', () => {
  it.each(['list.json', 'list.jsonl', 'list', 'list.json.gz'])(
    'that is a list of objects is read under the name %s, and entries that are none are told',
    async (name) => {
      const text = '\ufeff[ {"step": 5, "a": {"b": 1}}, 7,\n {"a": {"b": NaN}} ]'
      const bytes = name.endsWith('.gz') ? gzipSync(text) : Buffer.from(text)
      expect(await read(name, bytes)).toEqual({
        format: 'json',
        problems: ['bad-line'],
        found: [
          ['step', 5, 'a/b', 1, 0],
          ['step', 2, 'a/b', NaN, 0]
        ]
      })
    }
  )

  it('may be lines of records, or one record, under its name', async () => {
    const lines = await read('metrics.json', '{"step":1,"a":2}\n{"step":2,"a":3}\n')
    expect([lines.found.map(([, x]) => x), lines.problems]).toEqual([[1, 2], []])
    const one = await read('all_results.json', '{\n  "eval_loss": 0.5,\n  "name": "x"\n}')
    expect([one.found, one.problems]).toEqual([[['step', 0, 'eval_loss', 0.5, 0]], []])
  })

  it('that is cut off is told, and gives no number', async () => {
    const cut = await read('trainer_state.json', '{\n "log_history": [\n {"step": 1, "loss": 0.')
    expect(cut).toEqual({ format: 'json', found: [], problems: ['bad-json'] })
  })

  it('is not what a log begins with', async () => {
    const log = "[2026-01-01 00:00:00] model.py:1 - step 1: {'train/loss': 0.5}\n"
    expect((await read('driver', log)).format).toBe('log')
  })
})

describe('a table', () => {
  it.each(['a,step\r1,0\r2,5', 'a,step\r1,0\r2,5\r', '"a",step\r1,0\r2,"5"\r'])(
    'may end its lines with CR alone: %j',
    async (text) => {
      const { found, problems } = await read('old.csv', text)
      expect(found.filter(([, , key]) => key === 'a')).toEqual([
        ['step', 0, 'a', 1, 0],
        ['step', 5, 'a', 2, 0]
      ])
      expect(problems).toEqual([])
    }
  )

  it('without a head line keeps its first row, and says so', async () => {
    const { found, problems } = await read('bare.csv', '1,0.5\n2,0.25\n')
    expect(found).toEqual([
      ['step', 0, 'column-1', 1, 0],
      ['step', 0, 'column-2', 0.5, 0],
      ['step', 1, 'column-1', 2, 0],
      ['step', 1, 'column-2', 0.25, 0]
    ])
    expect(problems).toEqual(['no-head'])
    expect((await read('dated.csv', '2026-01-01,0.5\n2026-01-02,1\n')).found).toHaveLength(2)
  })

  it('that is a head line only says so', async () => {
    for (const text of ['step,loss', 'step,loss\n'])
      expect(await read('head.csv', text)).toMatchObject({ found: [], problems: ['no-rows'] })
  })
})

describe('slipway metrics', () => {
  async function run(...argv: string[]): Promise<{ out: string; err: string; code: number }> {
    return runIn('en', ...argv)
  }

  async function runIn(
    language: 'en' | 'zh',
    ...argv: string[]
  ): Promise<{ out: string; err: string; code: number }> {
    const result = { out: '', err: '', code: -1 }
    const program = new Command('slipway').option('--json').exitOverride()
    registerMetricsCommand(program, {
      out: (text) => (result.out += `${text}\n`),
      err: (text) => (result.err += `${text}\n`),
      exit: (code) => (result.code = code),
      language
    })
    await program.parseAsync(['node', 'slipway', 'metrics', ...argv])
    return result
  }

  it('summarises and lists, as JSON and CSV, one key or all', async () => {
    const log = join(folder, 'driver.log')
    await writeFile(
      log,
      "step 1: {'train/loss': 0.5, 'train/grad_norm': 2}\nstep 2: {'train/loss': nan}\n"
    )
    expect(JSON.parse((await run(log, '--summary', '--json')).out)).toEqual({
      keys: [
        {
          key: 'train/grad_norm',
          axis: 'step',
          count: 1,
          first: 1,
          last: 1,
          lastValue: 2,
          nonFinite: 0
        },
        {
          key: 'train/loss',
          axis: 'step',
          count: 2,
          first: 1,
          last: 2,
          lastValue: null,
          nonFinite: 1
        }
      ]
    })
    expect((await run(log, '--csv', '--key', 'train/loss')).out).toBe(
      'key,axis,step,at,value\ntrain/loss,step,1,,0.5\ntrain/loss,step,2,,NaN\n'
    )
    const text = await run(log)
    expect([text.out.split('\n')[0]?.split(/ +/), text.code]).toEqual([
      ['key', 'axis', 'count', 'first', 'last', 'value', 'non-finite'],
      0
    ])
  })

  it('ends with 2 where no line is a metric, and not where a metric lies beside it', async () => {
    const other = join(folder, 'passwd')
    await writeFile(other, 'root:x:0:0:root:/root:/bin/bash\nbin:x:2:2:bin:/bin:/bin/sh\n')
    const alone = await run(other, '--json')
    expect(alone).toMatchObject({ code: 2, out: '' })
    expect(alone.err).toContain('no line of it is a metric')
    const table = join(folder, 'a.jsonl')
    await writeFile(table, '{"step":1,"a":2}\n')
    const both = await run(table, other, '--summary')
    expect(both.code).toBe(0)
    expect(both.out).toMatch(/^a +step +1 /m)
  })

  it.each([
    ['head.csv', 'step,loss\n', /head line and no rows: columns step, loss/],
    ['words.csv', 'step,who\n', /head line and no rows/],
    ['empty.json', '{"log_history": []}', /no record of it has a number/],
    ['cut.json', '{"log_history": [', /no whole JSON: .+/],
    ['numbers.json', '[1, 2]', /2 of 2 entries are no JSON object/]
  ])('ends with 2 and says why %s gives nothing', async (name, content, said) => {
    const file = join(folder, name)
    await writeFile(file, content)
    const { err, out, code } = await run(file)
    expect([out, code]).toEqual(['', 2])
    expect(err).toMatch(said)
    expect(err.split('\n').filter((line) => line.includes(name))).toHaveLength(1)
    expect((await runIn('zh', file)).err).toMatch(/[\u4e00-\u9fff]/)
  })

  it('names the nearest keys where one is asked for that is not there, and ends with 1', async () => {
    const file = join(folder, 'a.jsonl')
    const keys = [
      'train/loss',
      'train/pg_loss',
      'perf/a',
      'perf/b',
      'perf/c',
      'perf/d',
      'rollout/x'
    ]
    const record = Object.fromEntries(keys.map((key) => [key, 1]))
    await writeFile(file, `${JSON.stringify({ step: 1, ...record })}\n`)
    const loss = await run(file, '--key', 'loss', 'perf/a')
    expect(loss.code).toBe(1)
    expect(loss.out).toContain('perf/a')
    expect(loss.err).toMatch(
      /^loss: No sample has this key. There are train\/loss, train\/pg_loss, .* and 2 more/
    )
    expect((await run(file, '--key', 'train/los')).err).toContain('There are train/loss,')
    const json = await run(file, '--json', '--key', 'eval/loss')
    expect([json.out, json.code, json.err.includes('train/loss')]).toEqual(['', 1, true])
    expect((await runIn('zh', file, '--key', 'none')).err).toContain('没有任何样本')
  })

  it('says which file cannot be read', async () => {
    const { err, code } = await run(join(folder, 'none.csv'))
    expect([err.includes('none.csv'), code]).toEqual([true, 2])
  })

  it.each([
    ['nothing there', 'none.csv', null],
    ['an empty file', 'empty.log', Buffer.alloc(0)],
    [
      'random bytes',
      'noise.log',
      Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7919) % 251))
    ],
    ['random bytes under the name of a table', 'noise.csv', Buffer.from([1, 2, 3, 0, 9, 200, 255])],
    ['random bytes under the name of a W&B file', 'noise.wandb', Buffer.from('abcdefgh')],
    [
      'random bytes under the name of an event file',
      'events.out.tfevents.1.h',
      Buffer.from('abcdefghijklmnopqrstuvwxyz')
    ],
    ['text that is no JSON', 'noise.jsonl', Buffer.from('one\ntwo\n')]
  ])('ends with 2 and says why: %s', async (_what, name, content) => {
    const file = join(folder, name)
    if (content !== null) await writeFile(file, content)
    for (const language of ['en', 'zh'] as const) {
      const { err, out, code } = await runIn(language, file, '--json')
      expect([err.includes(name), code]).toEqual([true, 2])
      expect(/[\u4e00-\u9fff]/.test(err)).toBe(language === 'zh')
      expect(out.trim()).toBe('')
    }
  })

  it('ends with 2 at a folder without metrics, and reads one with event files', async () => {
    expect((await run(folder)).code).toBe(2)
    await mkdir(join(folder, 'tb', 'deep'), { recursive: true })
    await writeFile(
      join(folder, 'tb', 'deep', 'events.out.tfevents.1.h'),
      event(3n, scalar('k', 0.5))
    )
    const { out, code } = await run(folder, '--summary', '--json')
    expect(JSON.parse(out)).toMatchObject({ keys: [{ key: 'k', count: 1 }] })
    expect(code).toBe(0)
  })

  it('reads a run folder, its metrics folder and its journal', async () => {
    const metrics = join(folder, 'run', 'metrics')
    const store = await openMetricStore(metrics)
    const row = {
      axis: 'step' as const,
      x: 7,
      at: 5,
      keys: ['train/loss'],
      values: [0.1234567890123]
    }
    await store.append({ source: '1/a', attempt: 1, from: 0, to: 1, rows: [row] })
    await store.close()
    for (const place of [join(folder, 'run'), metrics, join(metrics, 'journal.bin')]) {
      expect((await run(place, '--csv', '--key', 'train/loss')).out).toBe(
        'key,axis,step,at,value\ntrain/loss,step,7,5,0.1234567890123\n'
      )
    }
    const person = await runIn('zh', metrics)
    expect(person.out).toContain('0.12346')
    expect(person.out.startsWith('键')).toBe(true)
  })

  it('tells an unfinished end as no failure and damage as one, in a file and in a store', async () => {
    const torn = join(folder, 'events.out.tfevents.1.h')
    const [first, second] = [event(1n, scalar('a', 1)), event(2n, scalar('a', 2))]
    await writeFile(torn, Buffer.concat([first, second.subarray(0, 20)]))
    const unfinished = await run(torn, '--summary')
    expect([unfinished.code, /unfinished record/.test(unfinished.err)]).toEqual([0, true])
    const wrong = Buffer.concat([first, second, event(3n, scalar('a', 3))])
    wrong.writeUInt8(wrong.readUInt8(first.length + 14) ^ 1, first.length + 14)
    await writeFile(torn, wrong)
    const damaged = await run(torn, '--summary')
    expect([damaged.code, /damaged/.test(damaged.err)]).toEqual([1, true])

    const store = await openMetricStore(join(folder, 'run', 'metrics'))
    const rows = [{ axis: 'step' as const, x: 7, at: 5, keys: ['a'], values: [1] }]
    for (const from of [0, 1, 2])
      await store.append({ source: '1/a', attempt: 1, from, to: from + 1, rows })
    const journal = join(folder, 'run', 'metrics', 'journal.bin')
    const whole = await readFile(journal)
    await writeFile(journal, whole.subarray(0, whole.length - 3))
    const cut = await run(journal, '--summary')
    expect([cut.code, /unfinished record/.test(cut.err)]).toEqual([0, true])
    const middle = Math.floor(whole.length / 2)
    whole.writeUInt8(whole.readUInt8(middle) ^ 1, middle)
    await writeFile(journal, whole)
    const broken = await run(journal, '--summary')
    expect([broken.code, /damaged/.test(broken.err)]).toEqual([1, true])
  })

  it('tells a part of the damage and counts the rest', async () => {
    const file = join(folder, 'm.jsonl')
    await writeFile(file, '{"step":1,"a":2}\n' + 'x\n'.repeat(50))
    const { err, code } = await run(file, '--summary')
    expect([err.trim().split('\n').length, err.includes('45 more'), code]).toEqual([6, true, 1])
  })
})
