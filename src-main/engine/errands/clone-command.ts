import { readdir } from 'node:fs/promises'
import { isAbsolute } from 'node:path'
import type { ErrandRequest } from '../../contract/errands'
import type { Text } from '../../contract/text'
import { errorCode, fail } from '../lib'

export type CloneRequest = Extract<ErrandRequest, { kind: 'clone' }>

function refuse(where: string, what: Text, remedy: Text): never {
  return fail({ code: 'clone-request-unreadable', where, what, remedy })
}

/** Refuses an address that holds a credential, or that git would take for something else. FailureError. */
export function checkAddress(address: string): void {
  if (/^[a-z+]+:\/\/[^/@]*:[^/@]*@/i.test(address) || /^https?:\/\/[^/@]+@/i.test(address)) {
    refuse(
      'address',
      {
        en: 'The address holds a name or a password, which git would write into the checkout in clear text.',
        zh: '地址中包含用户名或密码，git 会将其明文写入检出目录。'
      },
      {
        en: 'Leave it out: git asks its credential helper, or use an ssh address with a key.',
        zh: '请去掉它：git 会使用其凭据助手；也可使用带密钥的 ssh 地址。'
      }
    )
  }
  if (/^[a-z+]+:\/\/[^#]*[?#]/i.test(address)) {
    refuse(
      'address',
      {
        en: 'The address has a part after “?” or “#”. No address git clones has one, and what stands there is often a credential.',
        zh: '地址中含有“?”或“#”之后的部分。git 可克隆的地址没有这一部分，其中常常是凭据。'
      },
      {
        en: 'Leave it out: git asks its credential helper, or use an ssh address with a key.',
        zh: '请去掉它：git 会使用其凭据助手；也可使用带密钥的 ssh 地址。'
      }
    )
  }
  const readable = /^(?:(?:https?|ssh|git|file):\/\/\S+|[\w.-]+@[\w.-]+:\S+|\/.+)$/.test(address)
  if (!readable || address.startsWith('-')) {
    refuse(
      'address',
      {
        en: `“${address}” is no address git can clone.`,
        zh: `“${address}”不是 git 可以克隆的地址。`
      },
      {
        en: 'Write https://host/owner/reef, git@host:owner/reef, or the whole path of a folder.',
        zh: '请填写 https://主机/所有者/reef、git@主机:所有者/reef，或本机文件夹的完整路径。'
      }
    )
  }
}

/** Refuses a place where a clone cannot go: not from the root on, a file, or a folder with something in it. */
export async function checkPlace(folder: string): Promise<void> {
  if (!isAbsolute(folder)) {
    refuse(
      folder,
      { en: 'This path does not begin at the root.', zh: '这不是绝对路径。' },
      { en: 'Write the whole path of a new folder.', zh: '请填写新文件夹的完整路径。' }
    )
  }
  let entries: string[]
  try {
    entries = await readdir(folder)
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return
    entries = ['']
  }
  if (entries.length > 0) {
    refuse(
      folder,
      {
        en: 'There is something there already; nothing is cloned over it.',
        zh: '该处已有内容，不会在其上克隆。'
      },
      {
        en: 'Name a new folder, or choose this one as the checkout.',
        zh: '请指定新文件夹，或直接选择它作为检出目录。'
      }
    )
  }
}

export function cloneArgv({ address, folder }: CloneRequest): string[] {
  return ['git', 'clone', '--progress', '--recurse-submodules', '--', address, folder]
}

/** Fetches what git-lfs keeps elsewhere; does nothing where there is no such file. */
export function largeFilesArgv({ folder }: CloneRequest): string[] {
  return ['git', '-C', folder, 'lfs', 'pull']
}

/** Nobody is there to answer a question, and no helper program may be named by an address. */
export function gitEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...environment,
    GIT_TERMINAL_PROMPT: '0',
    GIT_ALLOW_PROTOCOL: 'file:git:http:https:ssh',
    GIT_SSH_COMMAND: environment['GIT_SSH_COMMAND'] ?? 'ssh -o BatchMode=yes'
  }
}
