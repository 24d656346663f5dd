import { readFile, stat } from 'node:fs/promises'
import { isAbsolute, join, resolve } from 'node:path'
import type { CheckoutFacts } from '../../contract/errands'
import { errorCode, fail, messageOf } from '../lib'
import { readDockerfile } from './dockerfile'

/** Reef's image definition in its checkout (`docker/Dockerfile.reef`). */
export const DOCKERFILE = join('docker', 'Dockerfile.reef')

/** A file's text, or null when it is not there. */
async function textOf(path: string): Promise<string | null> {
  try {
    return await readFile(path, 'utf8')
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'ENOENT' || code === 'ENOTDIR') return null
    return fail(
      {
        code: 'checkout-unreadable',
        where: path,
        what: {
          en: 'This file of the checkout cannot be read.',
          zh: '无法读取检出目录中的此文件。'
        },
        detail: messageOf(cause)
      },
      cause
    )
  }
}

/** Folder with git's own records: a worktree and a submodule name it in a file. */
async function gitFolder(folder: string): Promise<string | null> {
  const place = join(folder, '.git')
  const facts = await stat(place).catch(() => null)
  if (facts === null) return null
  if (facts.isDirectory()) return place
  const named = /^gitdir: (.+)$/m.exec((await textOf(place)) ?? '')?.[1]?.trim()
  return named === undefined ? null : isAbsolute(named) ? named : resolve(folder, named)
}

/** What is checked out, read from git's files: no command is run for it. */
async function headOf(folder: string): Promise<Pick<CheckoutFacts, 'commit' | 'branch'>> {
  const git = await gitFolder(folder)
  const head = git === null ? null : ((await textOf(join(git, 'HEAD'))) ?? '').trim()
  if (git === null || head === null) return { commit: null, branch: null }
  const branch = /^ref: refs\/heads\/(.+)$/.exec(head)?.[1]
  if (branch === undefined)
    return { commit: /^[0-9a-f]{40,64}$/.exec(head)?.[0] ?? null, branch: null }
  const shared = (await textOf(join(git, 'commondir')))?.trim()
  const common = shared === undefined ? git : resolve(git, shared)
  const loose = (await textOf(join(common, 'refs', 'heads', branch)))?.trim()
  if (loose !== undefined) return { commit: loose, branch }
  const packed = (await textOf(join(common, 'packed-refs'))) ?? ''
  const line = packed.split('\n').find((one) => one.endsWith(` refs/heads/${branch}`))
  return { commit: line?.split(' ')[0] ?? null, branch }
}

/** Looks at a folder of this machine. FailureError when it is no folder, or its Dockerfile cannot be read. */
export async function lookAtCheckout(folder: string): Promise<CheckoutFacts> {
  const facts = await stat(folder).catch(() => null)
  if (!isAbsolute(folder) || facts?.isDirectory() !== true) {
    return fail({
      code: 'checkout-not-found',
      where: folder,
      what: { en: 'There is no such folder on this computer.', zh: '本机上没有此文件夹。' },
      remedy: {
        en: 'Give the whole path of a Reef checkout, or get one.',
        zh: '请填写 Reef 检出目录的完整路径，或先获取一份。'
      }
    })
  }
  const text = await textOf(join(folder, DOCKERFILE))
  const read = text === null ? { stages: [], arguments: [], bases: [] } : readDockerfile(text)
  return { folder, buildable: text !== null, ...(await headOf(folder)), ...read }
}
