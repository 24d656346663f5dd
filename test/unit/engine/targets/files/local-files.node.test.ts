import { createHash } from 'node:crypto'
import {
  appendFile,
  mkdir,
  mkdtemp,
  rename,
  rm,
  symlink,
  truncate,
  writeFile
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { FailureError } from '../../../../../src-main/engine/lib'
import { localFiles } from '../../../../../src-main/engine/targets'

let folder: string
const files = localFiles()

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-files-'))
})
afterAll(() => rm(folder, { recursive: true, force: true }))

describe('room that is given', () => {
  it('is read into where it is enough, and left alone where it is not', async () => {
    const path = join(folder, 'roomy')
    await writeFile(path, 'abcdef')
    const room = new Uint8Array(4)
    const fits = await files.read(path, 1, 4, room)
    expect([fits?.buffer, Buffer.from(room).toString()]).toEqual([room.buffer, 'bcde'])
    const short = await files.read(path, 4, 4, room)
    expect([short?.buffer, short?.length]).toEqual([room.buffer, 2])
    room.fill(0)
    const larger = await files.read(path, 0, 6, room)
    expect([Buffer.from(larger ?? []).toString(), room[0]]).toEqual(['abcdef', 0])
  })
})

describe('what is not there', () => {
  it('is null for every question', async () => {
    const path = join(folder, 'absent', 'deeper')
    expect(await files.stat(path)).toBeNull()
    expect(await files.statfs(path)).toBeNull()
    expect(await files.list(path)).toBeNull()
    expect(await files.read(path, 0, 10)).toBeNull()
    expect(await files.digest(path)).toBeNull()
  })

  it('is told from what may not be read as asked', async () => {
    await expect(files.read(folder, 0, 10)).rejects.toBeInstanceOf(FailureError)
    await expect(files.read(folder, 0, 10)).rejects.toMatchObject({
      failure: { code: 'file-unreadable', where: folder }
    })
  })
})

it('lists names, kinds and sizes', async () => {
  const place = join(folder, 'list')
  await mkdir(join(place, 'inner'), { recursive: true })
  await writeFile(join(place, 'a.txt'), '12345')
  await symlink('nowhere', join(place, 'link'))
  const entries = await files.list(place)
  const seen = (entries ?? []).map(({ name, kind, size }) => ({ name, kind, size }))
  expect(seen.sort((a, b) => a.name.localeCompare(b.name))).toMatchObject([
    { name: 'a.txt', kind: 'file', size: 5 },
    { name: 'inner', kind: 'directory' },
    { name: 'link', kind: 'symlink' }
  ])
})

it('reads exactly the bytes asked for', async () => {
  const path = join(folder, 'bytes')
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.nat(320),
      fc.nat(320),
      async (bytes, offset, length) => {
        await writeFile(path, bytes)
        const read = await files.read(path, offset, length)
        expect([...(read ?? [])]).toEqual([...bytes.subarray(offset, offset + length)])
      }
    ),
    { numRuns: 60 }
  )
})

it('digests the whole file', async () => {
  const path = join(folder, 'digest')
  const bytes = Buffer.alloc(300_000, 'slipway ')
  await writeFile(path, bytes)
  expect(await files.digest(path)).toBe(createHash('sha256').update(bytes).digest('hex'))
})

it('tells a replaced file from a grown one', async () => {
  const path = join(folder, 'rotated')
  await writeFile(path, 'one')
  const first = await files.stat(path)
  await appendFile(path, ' and more')
  expect((await files.stat(path))?.inode).toBe(first?.inode)
  await rename(path, `${path}.1`)
  await writeFile(path, 'two')
  expect((await files.stat(path))?.inode).not.toBe(first?.inode)
})

it('knows the space and the kind of file system', async () => {
  const facts = await files.statfs(folder)
  expect(facts?.totalBytes).toBeGreaterThan(facts?.freeBytes ?? Infinity)
  expect(facts?.type).not.toBe('')
})

describe('following', () => {
  /** Follows `path`; `next` resolves at the first notice after the size became `size`. */
  function follower(path: string): { sizes: (size: number) => Promise<void>; stop: () => void } {
    const waits = new Map<number, () => void>()
    const stop = files.follow(path, () => {
      void files.stat(path).then((facts) => {
        waits.get(facts?.size ?? -1)?.()
      })
    })
    return { sizes: (size) => new Promise((done) => waits.set(size, done)), stop }
  }

  it('notices birth, growth, truncation, replacement and removal', async () => {
    const place = join(folder, 'not-yet')
    const path = join(place, 'log')
    const { sizes, stop } = follower(path)
    const born = sizes(3)
    await mkdir(place)
    await writeFile(path, 'abc')
    await born
    const grown = sizes(6)
    await appendFile(path, 'def')
    await grown
    const cut = sizes(1)
    await truncate(path, 1)
    await cut
    const replaced = sizes(9)
    await writeFile(`${path}.new`, '123456789')
    await rename(`${path}.new`, path)
    await replaced
    const gone = sizes(-1)
    await rm(place, { recursive: true })
    await gone
    const again = sizes(2)
    await mkdir(place)
    await writeFile(path, 'ok')
    await again
    stop()
  })
})
