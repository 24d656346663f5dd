import { appendFile, copyFile, mkdtemp, rename, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { redactor } from '../../../../src-main/engine/lib'
import { LogBook } from '../../../../src-main/engine/logs'
import { localFiles } from '../../../../src-main/engine/targets'

vi.setConfig({ testTimeout: 60_000, hookTimeout: 30_000 })

let folder: string
let path: string
let book: LogBook

function bookOf(): LogBook {
  const made = new LogBook({ redact: redactor([]), cacheFolder: join(folder, 'cache') })
  made.setSources([{ id: '1/reef', attempt: 1, service: 'reef', path, files: localFiles() }])
  return made
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-whole-log-'))
  path = join(folder, 'reef.log')
  book = bookOf()
})
afterEach(async () => {
  await rm(folder, { recursive: true, force: true })
})

async function texts(of: LogBook = book): Promise<string[]> {
  const { lines } = await of.read('1/reef', 0, 1000)
  expect(lines.map(({ line }) => line)).toEqual(lines.map((_, i) => i))
  return lines.map(({ text }) => text)
}

it('a log that is rotated while it is read stays one log, line by line', async () => {
  await writeFile(path, 'one\ntwo\n')
  expect(await texts()).toEqual(['one', 'two'])
  await appendFile(path, 'three\n')
  await rename(path, `${path}.1`)
  await writeFile(path, 'four\n')
  expect(await texts()).toEqual(['one', 'two', 'three', 'four'])
  await rename(`${path}.1`, `${path}.2`)
  await rename(path, `${path}.1`)
  await writeFile(path, 'five\nsix\n')
  expect(await texts()).toEqual(['one', 'two', 'three', 'four', 'five', 'six'])
  expect(await texts(bookOf())).toHaveLength(6)
  const { lines } = await book.search(
    '1/reef',
    { text: 'o', regex: false, caseSensitive: true },
    -1,
    9
  )
  expect(lines.map(({ line, text }) => [line, text])).toEqual([
    [0, 'one'],
    [1, 'two'],
    [3, 'four']
  ])
  // The oldest part makes room, as with `backupCount=2`.
  await rename(`${path}.1`, `${path}.2`)
  await rename(path, `${path}.1`)
  await writeFile(path, 'seven\n')
  expect(await texts()).toEqual(['four', 'five', 'six', 'seven'])
  // Somebody removes a part: the look after the one that missed it shows what is left.
  await rm(`${path}.2`)
  await book.read('1/reef', 0, 9)
  expect(await texts()).toEqual(['five', 'six', 'seven'])
})

it('a log that is copied aside and cut keeps what it held', async () => {
  await writeFile(path, 'one\ntwo\n')
  expect(await texts()).toEqual(['one', 'two'])
  await copyFile(path, `${path}.1`)
  await truncate(path, 0)
  await appendFile(path, 'three\n')
  expect(await texts()).toEqual(['one', 'two', 'three'])
})

it('takes dates for parts, oldest first, and leaves out what only looks like one', async () => {
  await writeFile(`${path}-20260314`, 'later\n')
  await writeFile(`${path}-20260228`, 'early\n')
  await writeFile(`${path}.1.zip`, 'packed')
  await writeFile(`${path}.bak`, 'kept\n')
  await writeFile(join(folder, 'reef.logs.1'), 'other\n')
  await writeFile(path, 'now\n')
  expect(await texts()).toEqual(['early', 'later', 'now'])
  expect(await book.sources()).toMatchObject([{ bytes: 16, lines: 3 }])
})

it('gives a line whole whose text lies on both sides of a border', async () => {
  await writeFile(`${path}.1`, `first\nhalf `)
  await writeFile(path, 'and half\nlast')
  expect(await texts()).toEqual(['first', 'half and half', 'last'])
})

it.each([
  [
    'cut off',
    (whole: Buffer) => whole.subarray(0, whole.length / 2),
    /^reef\.log\.2\.gz is cut short/
  ],
  [
    'cut off in its last bytes',
    (whole: Buffer) => whole.subarray(0, whole.length - 3),
    /^reef\.log\.2\.gz is cut short/
  ],
  [
    'damaged',
    // A second member whose first block is of a kind that is none.
    (whole: Buffer) => Buffer.concat([whole, whole.subarray(0, 10), Buffer.alloc(99, 0xff)]),
    /^reef\.log\.2\.gz is damaged/
  ]
])('says that a packed part is %s, and begins a line behind it', async (_what, broken, said) => {
  // Digits in no order pack badly: half of the file is half of the text.
  const line = (n: number): string => `line ${n} ${'0123456789'.repeat(9)}${(n * 7919) % 9973}`
  const all = Array.from({ length: 30_000 }, (_, n) => line(n))
  await writeFile(`${path}.2.gz`, broken(gzipSync(all.map((one) => `${one}\n`).join(''))))
  await writeFile(`${path}.1.gz`, gzipSync('whole\n'))
  await writeFile(path, 'now\n')
  const [source] = await book.sources()
  expect(source?.faults).toHaveLength(1)
  expect(source?.faults?.[0]?.en).toMatch(said)
  expect(source?.faults?.[0]?.zh).toMatch(/^reef\.log\.2\.gz .*丢失/)
  const { lines, total } = await book.read('1/reef', -2, 9)
  expect(lines.map(({ text }) => text)).toEqual(['whole', 'now'])
  expect(total).toBeGreaterThan(10_000)
  const kept = (await book.read('1/reef', 0, total - 4)).lines.map(({ text }) => text)
  expect(kept).toEqual(all.slice(0, kept.length))
})

it('reads packed parts as the text they hold, forward and back, and a part once that is being packed', async () => {
  const line = (n: number): string =>
    `line ${String(n).padStart(7, '0')} ${'x'.repeat(500 + (n % 90))}`
  const text = (from: number, to: number): string =>
    Array.from({ length: to - from }, (_, i) => `${line(from + i)}\n`).join('')
  // Two members after one another, as of a log that was packed twice, and more than is kept unpacked.
  await writeFile(
    `${path}.2.gz`,
    Buffer.concat([gzipSync(text(0, 20_000)), gzipSync(text(20_000, 40_000))])
  )
  await writeFile(`${path}.1`, text(40_000, 40_003))
  await writeFile(`${path}.1.gz`, gzipSync(text(40_000, 40_003)).subarray(0, 20))
  await writeFile(path, text(40_003, 40_005))
  expect(await book.sources()).toMatchObject([{ lines: 40_005 }])
  expect((await book.sources())[0]?.faults).toBeUndefined()
  for (const from of [0, 39_990, 1_234, 25_000, 19_999, 3]) {
    const { lines } = await book.read('1/reef', from, 5)
    expect(lines.map((one) => one.text)).toEqual([0, 1, 2, 3, 4].map((i) => line(from + i)))
  }
  const filter = { text: line(39_001), regex: false, caseSensitive: true }
  const { lines } = await book.search('1/reef', filter, 38_000, 9)
  expect(lines.map((one) => one.line)).toEqual([39_001])
})
