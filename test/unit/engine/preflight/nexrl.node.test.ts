import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parquetWriteBuffer } from 'hyparquet-writer'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { NexrlVariable } from '../../../../src-main/contract/nexrl'
import { systemClock } from '../../../../src-main/engine/lib'
import {
  columnsOf,
  countRows,
  csvColumns,
  type RowCount
} from '../../../../src-main/engine/preflight/data-rows'
import {
  clusterOutcome,
  columnsOutcome,
  dataOutcome,
  environmentOutcome,
  overwrittenKeys
} from '../../../../src-main/engine/preflight/nexrl'
import { localFiles } from '../../../../src-main/engine/targets'

const why = { en: 'why', zh: '原因' }
const variable = (name: string, more: Partial<NexrlVariable> = {}): NexrlVariable => ({
  name,
  need: 'required',
  from: 'person',
  why,
  ...more
})

describe('what the driver reads', () => {
  const variables = [
    variable('WEAVER_API_KEY'),
    variable('WANDB_HOST'),
    variable('WEAVER_BASE_URL', { need: 'optional' }),
    variable('TRAIN_CONFIG', { from: 'launch' })
  ]

  it('names every required variable that is missing or empty, with why', () => {
    const outcome = environmentOutcome(variables, new Map([['WANDB_HOST', 'empty']]))
    expect(outcome).toMatchObject({
      verdict: 'fail',
      judgement: true,
      evidence: { en: 'Not set: WEAVER_API_KEY, WANDB_HOST.' }
    })
  })

  it('is refused by the stack itself only where the recipe takes a value from it', () => {
    const states = new Map([['WANDB_HOST', 'placeholder']] as const)
    const refused = environmentOutcome(variables, states, new Set(['WEAVER_API_KEY']))
    expect(refused).toMatchObject({
      judgement: false,
      evidence: {
        en: 'Not set: WEAVER_API_KEY. Still what an example puts there: WANDB_HOST.'
      }
    })
    const other = environmentOutcome(variables, states, new Set(['ANOTHER_KEY']))
    expect(other.judgement).toBe(true)
  })

  it('passes with what is required, whatever is optional or set by the launch', () => {
    const states = new Map([
      ['WEAVER_API_KEY', 'set'],
      ['WANDB_HOST', 'set']
    ] as const)
    expect(environmentOutcome(variables, states).verdict).toBe('pass')
  })
})

it('finds the lines of a setup script that wipe a real key', () => {
  const script = [
    'export WEAVER_API_KEY=""',
    'export WEAVER_BASE_URL=',
    'WANDB_KEY="sk-your-weaver-api-key-here" # put yours',
    'export TINKER_API_KEY=sk-a-real-looking-value-000',
    'export NEXRL_DATA_PATH=""',
    '# export SERPER_API_KEY=""'
  ].join('\n')
  expect(overwrittenKeys(script)).toEqual([
    { line: 1, name: 'WEAVER_API_KEY' },
    { line: 2, name: 'WEAVER_BASE_URL' },
    { line: 3, name: 'WANDB_KEY' }
  ])
})

it.each([
  [{ kind: 'missing' } as const, 'fail'],
  [{ kind: 'late' } as const, 'unknown'],
  [{ kind: 'done', code: 0, stdout: 'namespace/nexrl', stderr: '' } as const, 'pass'],
  [{ kind: 'done', code: 1, stdout: '', stderr: 'namespaces "nexrl" not found' } as const, 'fail']
])('a cluster that answers %o: %s', (answer, verdict) => {
  expect(clusterOutcome(answer, 'nexrl').verdict).toBe(verdict)
})

describe('data files', () => {
  let folder: string
  const files = localFiles(systemClock)
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'slipway-rows-'))
  })
  afterEach(() => {
    rmSync(folder, { recursive: true, force: true })
  })
  const count = async (name: string, content?: string | Uint8Array): Promise<RowCount> => {
    const path = join(folder, name)
    if (content !== undefined) writeFileSync(path, content)
    return countRows(files, path)
  }

  it('have as many rows as their footer or their lines say', async () => {
    const data = Array.from({ length: 1234 }, (_, index) => `prompt ${index}`)
    const parquet = parquetWriteBuffer({ columnData: [{ name: 'prompt', data, type: 'STRING' }] })
    expect(await count('a.parquet', new Uint8Array(parquet))).toEqual({ kind: 'rows', rows: 1234 })
    expect(await count('b.jsonl', '{"a":1}\n\n{"a":2}')).toEqual({ kind: 'rows', rows: 2 })
    expect(await count('c.csv', 'prompt\n1\n2\n3\n')).toEqual({ kind: 'rows', rows: 3 })
    expect(await count('d.parquet', 'torn')).toMatchObject({ kind: 'uncounted' })
    expect(await count('e.json', '[]')).toEqual({ kind: 'format' })
    expect(await count('f.jsonl')).toEqual({ kind: 'missing' })
  })

  it('have the columns that their footer, head or first line says', async () => {
    const text = { data: ['a'], type: 'STRING' as const }
    const parquet = parquetWriteBuffer({
      columnData: [
        { name: 'prompt', ...text },
        { name: 'answer', ...text }
      ]
    })
    const columns = async (name: string, content?: string | Uint8Array) => {
      const path = join(folder, name)
      if (content !== undefined) writeFileSync(path, content)
      return columnsOf(files, path)
    }
    expect(await columns('a.parquet', new Uint8Array(parquet))).toEqual(['prompt', 'answer'])
    expect(await columns('b.jsonl', '\n{"prompt":"x","id":1}\n{"other":2}')).toEqual([
      'prompt',
      'id'
    ])
    expect(await columns('c.csv', 'id,"a, b",prompt\n1,2,3\n')).toEqual(['id', 'a, b', 'prompt'])
    expect(await columns('d.parquet', 'torn')).toBeNull()
    expect(await columns('e.jsonl', '[1]')).toBeNull()
    expect(await columns('f.jsonl')).toBeNull()
    expect(csvColumns('')).toBeNull()
  })

  it('are judged by the column of the prompts', () => {
    const found = (columns: string[] | null) => [{ path: 'a.jsonl', columns }]
    expect(columnsOutcome(found(['prompt']), 'prompt').verdict).toBe('pass')
    const other = columnsOutcome(found(['input']), 'prompt')
    expect(other.verdict).toBe('fail')
    expect(other.evidence.en).toContain('it has: input')
    expect(columnsOutcome(found(null), 'prompt').verdict).toBe('unknown')
  })

  const rows = (...counts: number[]): { path: string; count: RowCount }[] =>
    counts.map((rows, at) => ({ path: `${at}.jsonl`, count: { kind: 'rows', rows } }))

  it.each([
    [rows(3200), { batch: 32, steps: 100, dropLast: true }, 'pass'],
    [rows(1600, 1599), { batch: 32, steps: 100, dropLast: true }, 'warn'],
    [rows(1600, 1599), { batch: 32, steps: 100, dropLast: false }, 'pass'],
    [rows(1), { batch: 32, steps: null, dropLast: true }, 'pass'],
    [
      [{ path: 'x', count: { kind: 'missing' } as const }],
      { batch: 1, steps: 1, dropLast: true },
      'fail'
    ],
    [
      [{ path: 'x', count: { kind: 'format' } as const }],
      { batch: 1, steps: 1, dropLast: true },
      'fail'
    ]
  ])('%j with %j: %s', (counted, asked, verdict) => {
    expect(dataOutcome(counted, asked).verdict).toBe(verdict)
  })
})
