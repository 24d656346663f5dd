import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { mkdir, open, rename, rm, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type Clock, errorCode, fail, FailureError, messageOf } from '../lib'
import { safeName } from './safe-name'
import { LONGEST_SILENCE_MS, Silence } from './silence'
import type { Descriptor } from './weaver-shapes'

export interface SavedFiles {
  folder: string
  files: { name: string; bytes: number; sha256: string }[]
}

type Entry = Descriptor['files'][number]

/** When a transfer ends before its bytes do. */
interface Patience {
  clock: Clock
  signal: AbortSignal | undefined
}

/** Times that addresses are asked for anew: each lives about a quarter of an hour. */
const MOST_RENEWALS = 20
/** Times a file is begun again after its checksum was wrong. */
const MOST_TRIES = 2

/**
 * Brings every file of an artifact into a folder. A file is written beside its place, goes on where it was cut off, and
 * gets its name only when its sha256 is the service's. What is there already and right is not fetched again.
 */
export async function downloadFiles(
  describe: () => Promise<Descriptor>,
  folder: string,
  patience: Patience
): Promise<SavedFiles> {
  let now = await describe()
  const names = checkedNames(now)
  const files: SavedFiles['files'] = []
  let renewals = 0
  for (const name of names) {
    for (;;) {
      const entry = now.files.find((one) => one.name === name)
      if (entry === undefined) return gone(name)
      const got = await fetchFile(entry, join(folder, name), patience)
      if (got === 'done') {
        files.push({ name, bytes: entry.size, sha256: entry.sha256.toLowerCase() })
        break
      }
      renewals += 1
      if (renewals > MOST_RENEWALS) return gone(name)
      now = await describe()
    }
  }
  return { folder, files }
}

function gone(name: string): never {
  return fail({
    code: 'weaver-download-expired',
    what: {
      en: 'The addresses of the download expire faster than the files arrive.',
      zh: '下载地址失效的速度快于文件到达的速度。'
    },
    where: name,
    remedy: {
      en: 'Start it again: it goes on where it stopped.',
      zh: '请重新开始，将从中断处继续。'
    }
  })
}

function checkedNames(descriptor: Descriptor): string[] {
  const names = descriptor.files.map(({ name }) => name)
  const bad = names.find((name, at) => safeName(name) === null || names.indexOf(name) !== at)
  if (bad === undefined) return names
  return fail({
    code: 'weaver-download-unsafe',
    what: {
      en: 'The service names a file that would not stay inside the folder. Nothing was written.',
      zh: '服务给出的文件名会超出所选文件夹，未写入任何内容。'
    },
    where: bad
  })
}

async function fetchFile(
  entry: Entry,
  place: string,
  patience: Patience
): Promise<'done' | 'expired'> {
  const wanted = entry.sha256.toLowerCase()
  if ((await sizeOf(place)) === entry.size && (await digestOf(place)) === wanted) return 'done'
  await mkdir(dirname(place), { recursive: true })
  const part = `${place}.part`
  for (let turn = 1; turn <= MOST_TRIES; turn += 1) {
    const how = await fill(entry, part, patience)
    if (how === 'expired') return 'expired'
    if ((await digestOf(part)) === wanted) {
      await rename(part, place)
      return 'done'
    }
    await rm(part, { force: true })
  }
  return fail({
    code: 'weaver-checksum',
    what: {
      en: 'The bytes that arrived are not the ones the service names (sha256 differs).',
      zh: '收到的内容与服务声明的不一致（sha256 不同）。'
    },
    where: entry.name,
    remedy: {
      en: 'Download it again; export it anew if it stays.',
      zh: '请重新下载；若仍不一致，请重新导出。'
    }
  })
}

/** Addresses are signed for themselves: the key is never sent to them. */
async function fill(
  entry: Entry,
  part: string,
  { clock, signal }: Patience
): Promise<'filled' | 'expired'> {
  const have = (await sizeOf(part)) ?? 0
  const from = have > entry.size ? 0 : have
  if (from === entry.size && entry.size > 0) return 'filled'
  const silence = new Silence(clock, signal)
  try {
    return await receive(entry, part, from, silence)
  } catch (thrown) {
    if (thrown instanceof FailureError) throw thrown
    return broken(
      entry.name,
      silence.late ? `no byte for ${LONGEST_SILENCE_MS / 1000} s` : reasonOf(thrown),
      thrown
    )
  } finally {
    silence.end()
  }
}

/** `fetch` hides the reason in the cause. */
function reasonOf(thrown: unknown): string {
  const inner = thrown instanceof Error && thrown.cause !== undefined ? thrown.cause : thrown
  return messageOf(inner)
}

async function receive(
  entry: Entry,
  part: string,
  from: number,
  silence: Silence
): Promise<'filled' | 'expired'> {
  const response = await fetch(entry.url, {
    headers: from > 0 ? { range: `bytes=${from}-` } : {},
    signal: silence.signal
  })
  if (response.status === 403) {
    await response.body?.cancel()
    return 'expired'
  }
  if (!response.ok && response.status !== 416) {
    await response.body?.cancel()
    return broken(entry.name, `HTTP ${response.status}`)
  }
  // A server that ignores the range begins at the beginning.
  const goesOn = response.status === 206
  const file = await open(part, goesOn ? 'a' : 'w', 0o600)
  let size = goesOn ? from : 0
  try {
    if (response.status !== 416 && response.body !== null) {
      const pieces: AsyncIterable<Uint8Array> = response.body
      for await (const bytes of pieces) {
        silence.heard()
        await file.appendFile(bytes)
        size += bytes.length
        // More than was announced is not the file, and may never end: its checksum will say so.
        if (size > entry.size) break
      }
    }
    await file.sync()
  } finally {
    await file.close()
  }
  return 'filled'
}

function broken(name: string, why: string, cause?: unknown): never {
  return fail(
    {
      code: 'weaver-download-broken',
      what: { en: 'The download broke off.', zh: '下载中断。' },
      where: name,
      detail: why,
      remedy: {
        en: 'Start it again: it goes on where it stopped.',
        zh: '请重新开始，将从中断处继续。'
      }
    },
    cause
  )
}

async function sizeOf(path: string): Promise<number | null> {
  try {
    return (await stat(path)).size
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}

async function digestOf(path: string): Promise<string> {
  const hash = createHash('sha256')
  for await (const bytes of createReadStream(path)) hash.update(bytes as Buffer)
  return hash.digest('hex')
}
