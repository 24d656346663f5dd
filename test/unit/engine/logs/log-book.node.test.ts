import { appendFile, mkdtemp, open, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { redactor } from '../../../../src-main/engine/lib'
import { LogBook } from '../../../../src-main/engine/logs'
import { localFiles } from '../../../../src-main/engine/targets/files/local-files'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let folder: string
let path: string
let book: LogBook

function bookOf(secrets: string[] = []): LogBook {
  const made = new LogBook({ redact: redactor(secrets), cacheFolder: join(folder, 'cache') })
  made.setSources([{ id: '1/reef', attempt: 1, service: 'reef', path, files: localFiles() }])
  return made
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-logs-'))
  path = join(folder, 'reef.log')
  book = bookOf()
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

const anything = { regex: false, caseSensitive: false }

describe('LogBook.read', () => {
  it('is empty where there is no file yet', async () => {
    expect(await book.read('1/reef', -10, 10)).toEqual({ lines: [], total: 0 })
    expect(await book.sources()).toMatchObject([{ bytes: 0, lines: 0 }])
  })

  it('gives lines from the front and from the end, and follows growth', async () => {
    await writeFile(path, 'one\ntwo\n第三\nfour')
    const first = await book.read('1/reef', 1, 2)
    expect(first.lines.map(({ line, offset, text }) => [line, offset, text])).toEqual([
      [1, 4, 'two'],
      [2, 8, '第三']
    ])
    expect(first.total).toBe(4)
    await appendFile(path, ' and more\nfive\n')
    const tail = await book.read('1/reef', -2, 10)
    expect([tail.lines.map(({ text }) => text), tail.total]).toEqual([['four and more', 'five'], 5])
  })

  it('counts each line once when several ask at the same time', async () => {
    await writeFile(path, 'one\ntwo\nthree\n')
    const counts = await Promise.all([
      book.sources().then(([source]) => source?.lines),
      book.read('1/reef', 0, 9).then(({ total }) => total),
      book.sources().then(([source]) => source?.lines),
      book.read('1/reef', 0, 9).then(({ lines }) => lines.length)
    ])
    expect(counts).toEqual([3, 3, 3, 3])
  })

  it('finds any line among many, also with a kept index', async () => {
    const lines = Array.from(
      { length: 40_000 },
      (_, i) => `line ${String(i)} ${'.'.repeat(i % 160)}`
    )
    await writeFile(path, `${lines.join('\n')}\n`)
    for (const from of [0, 511, 512, 19_999, 39_990]) {
      const { lines: got, total } = await book.read('1/reef', from, 10)
      expect([got.map(({ text }) => text), total]).toEqual([lines.slice(from, from + 10), 40_000])
    }
    const again = bookOf()
    expect((await again.read('1/reef', 30_000, 1)).lines[0]?.text).toBe(lines[30_000])
  })

  it('gives the same lines beside long ones and one without an end, fresh or with a kept index', async () => {
    const long = 'y'.repeat(2_500_000)
    const bars = '\rstep: 1%|█| 4/9 [00:42<01:33]'.repeat(600_000)
    await writeFile(path, `a\n${long}\nb\n${long}\n${long}\nc\n${bars}`)
    for (const each of [book, bookOf()]) {
      const { lines, total } = await each.read('1/reef', 0, 99)
      expect(total).toBe(7)
      expect(lines.map(({ text }) => text.slice(0, 14))).toEqual([
        'a',
        'yyyyyyyyyyyyyy',
        'b',
        'yyyyyyyyyyyyyy',
        'yyyyyyyyyyyyyy',
        'c',
        'step: 4 / 9'
      ])
      expect((await each.read('1/reef', 4, 2)).lines[1]?.text).toBe('c')
    }
    await truncate(path, 12)
    expect((await book.read('1/reef', 0, 9)).total).toBe(2)
  })

  it('starts again when the file was cut or replaced', async () => {
    await writeFile(path, 'a\nb\nc\n')
    expect((await book.read('1/reef', 0, 9)).total).toBe(3)
    await writeFile(path, 'z\n')
    expect(await book.read('1/reef', 0, 9)).toMatchObject({ total: 1, lines: [{ text: 'z' }] })
  })

  it('shows levels, steps, times and bars, without colours', async () => {
    await writeFile(
      path,
      [
        "\u001b[36m(Actor pid=1)\u001b[0m [2026-03-04 10:15:22] m.py:1 - step 7: {'a': 1}",
        '[2026-03-04 10:15:22,771][nexrl.x][WARNING] - slow',
        '[reef] reef: ready',
        'ValueError: no',
        '  0%|  | 0/4 [00:00<?, ?it/s]\r Save: 100%|████| 4/4 [00:09<00:00,  2.0s/it]'
      ].join('\n')
    )
    const { lines } = await book.read('1/reef', 0, 9)
    expect(lines.map(({ level }) => level)).toEqual([
      'metric',
      'warning',
      'event',
      'error',
      'debug'
    ])
    expect(lines[0]).toMatchObject({ step: 7, at: Date.UTC(2026, 2, 4, 10, 15, 22) })
    expect(lines[0]?.text).toMatch(/^\(Actor pid=1\) \[2026/)
    expect(lines[4]?.text).toBe('Save: 4 / 4')
  })

  it('cuts a 50 MB line with a note, and shows only the last state of a line of bars', async () => {
    const file = await open(path, 'w')
    const piece = 'x'.repeat(1_000_000)
    for (let i = 0; i < 50; i++) await file.write(piece)
    await file.write('\nafter\n')
    const bar = (i: number): string =>
      `\rstep: ${String(i % 100)}%|███| ${String(i)}/432000 [00:42<01:33]`
    for (let i = 0; i < 432_000; i += 1000) {
      await file.write(Array.from({ length: 1000 }, (_, j) => bar(i + j)).join(''))
    }
    await file.write('\nend\n')
    await file.close()
    const { lines } = await book.read('1/reef', 0, 9)
    expect(lines.map(({ text }) => text.slice(-30))).toEqual([
      expect.stringContaining('[50000000 bytes]'),
      'after',
      'step: 431999 / 432000',
      'end'
    ])
    expect(lines[0]?.text.length).toBeLessThan(17_000)
  })

  it('redacts by value and by shape', async () => {
    await writeFile(path, 'key is hunter2hunter2 and HF_TOKEN=abcdefghijk\n')
    const { lines } = await bookOf(['hunter2hunter2']).read('1/reef', 0, 1)
    expect(lines[0]?.text).not.toMatch(/hunter2|abcdefghijk/)
  })
})

describe('LogBook.search', () => {
  it('finds text, case, CJK, patterns and levels in the whole file, page by page', async () => {
    const lines = Array.from({ length: 30_000 }, (_, i) =>
      i % 10_000 === 9
        ? `奖励 Reward ${String(i)}`
        : i % 10_000 === 10
          ? 'RuntimeError: x'
          : 'nothing'
    )
    await writeFile(path, lines.join('\n'))
    const numbers = async (
      filter: Parameters<LogBook['search']>[1],
      limit = 100
    ): Promise<number[]> => {
      const all: number[] = []
      for (let after = -1; ;) {
        const { lines: found, done, scanned } = await book.search('1/reef', filter, after, limit)
        all.push(...found.map(({ line }) => line))
        if (done) return all
        after = scanned - 1
      }
    }
    const expected = [9, 10_009, 20_009]
    expect(await numbers({ ...anything, text: 'reward' })).toEqual(expected)
    expect(await numbers({ ...anything, text: 'reward', caseSensitive: true })).toEqual([])
    expect(await numbers({ ...anything, text: '奖励' }, 1)).toEqual(expected)
    expect(await numbers({ ...anything, text: '奖. r\\w+ \\d{5}', regex: true })).toEqual([
      10_009, 20_009
    ])
    expect(await numbers({ ...anything, levels: ['error'] })).toEqual([10, 10_010, 20_010])
  })

  it('finds what stands far behind in a long line, and nothing that was drawn over', async () => {
    const filler = '长 sample '.repeat(100_000)
    const bars = 'Rollout:  31%|█| 80/256 [00:42<01:33,  1.88it/s] needle\r'.repeat(20_000)
    const text = [
      `${filler}needle sk-abcdefghijklmnop1234${filler}`,
      `${'x'.repeat(20_000)}Needle`,
      `${bars}done`,
      `${'y'.repeat(524_285)}针needle`,
      'other'
    ].join('\n')
    await writeFile(path, text)
    const lines = async (filter: Parameters<LogBook['search']>[1]): Promise<number[]> =>
      (await book.search('1/reef', filter, -1, 10)).lines.map(({ line }) => line)
    expect(await lines({ ...anything, text: 'needle' })).toEqual([0, 1, 3])
    expect(await lines({ ...anything, text: '针needle' })).toEqual([3])
    expect(await lines({ text: 'n[e]{2}dle', regex: true, caseSensitive: true })).toEqual([0, 3])
    expect(await lines({ text: '^(sample|needle)', regex: true, caseSensitive: true })).toEqual([])
    expect(await lines({ ...anything, text: 'abcdefghijklmnop1234' })).toEqual([])
    expect(await lines({ ...anything, text: 'needle', levels: ['error'] })).toEqual([])
  })

  it('takes a pattern with a bare brace as people write it', async () => {
    await writeFile(path, 'step 1: {"a": 1}\nstep 2\n')
    const found = async (text: string, caseSensitive = false): Promise<number[]> => {
      const { lines } = await book.search('1/reef', { text, regex: true, caseSensitive }, -1, 10)
      return lines.map(({ line }) => line)
    }
    for (const text of ['step \\d+: {', '{"a": \\d}', 'STEP \\d: {'])
      expect(await found(text)).toEqual([0])
    expect(await found('STEP \\d: {', true)).toEqual([])
  })

  it('stops a pattern that would take for ever, and says what is wrong with a bad one', async () => {
    await writeFile(path, `${'a'.repeat(5000)}!\n`)
    const slow = { text: '(a+)+$', regex: true, caseSensitive: true }
    await expect(book.search('1/reef', slow, -1, 10)).rejects.toMatchObject({
      failure: { code: 'search-pattern-slow' }
    })
    await expect(book.search('1/reef', { ...slow, text: '(' }, -1, 10)).rejects.toMatchObject({
      failure: { code: 'search-pattern-invalid' }
    })
  })

  it('ends when its caller no longer wants it', async () => {
    await writeFile(path, 'a\n')
    const search = book.search('1/reef', { ...anything, text: 'a' }, -1, 10, AbortSignal.abort())
    await expect(search).rejects.toThrow()
  })
})
