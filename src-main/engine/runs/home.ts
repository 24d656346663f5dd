import { access, constants, mkdir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import type { Text } from '../../contract/text'
import { errorCode, fail, messageOf } from '../lib'

const elsewhere: Text = {
  en: 'Give another folder with --home, or set SLIPWAY_HOME.',
  zh: '请用 --home 指定其他文件夹，或设置 SLIPWAY_HOME。'
}

function whyNot(code: string | undefined): Text {
  switch (code) {
    case 'ENOTDIR':
    case 'EEXIST':
      return {
        en: 'The Slipway home must be a folder, and this path is or leads through a file.',
        zh: 'Slipway 主目录必须是文件夹，而该路径是文件或途经文件。'
      }
    case 'EACCES':
    case 'EPERM':
      return {
        en: 'The Slipway home cannot be written by this user.',
        zh: '当前用户无法写入 Slipway 主目录。'
      }
    case 'EROFS':
      return {
        en: 'The Slipway home is on a file system that is mounted read-only.',
        zh: 'Slipway 主目录所在的文件系统是只读挂载的。'
      }
    case 'ENOSPC':
      return {
        en: 'The disk that holds the Slipway home is full.',
        zh: 'Slipway 主目录所在的磁盘已满。'
      }
    default:
      return { en: 'The Slipway home cannot be used.', zh: '无法使用 Slipway 主目录。' }
  }
}

/** Like a recursive mkdir, which on some file systems (`/proc`) tries the same folder again for ever. */
async function makeFolders(folder: string): Promise<void> {
  try {
    await mkdir(folder, { mode: 0o700 })
  } catch (cause) {
    const code = errorCode(cause)
    if (code === 'EEXIST' && (await stat(folder)).isDirectory()) return
    if (code !== 'ENOENT' || dirname(folder) === folder) throw cause
    await makeFolders(dirname(folder))
    await mkdir(folder, { mode: 0o700 })
  }
}

/**
 * Makes the folder that holds everything Slipway keeps, where it is missing.
 * @throws FailureError `home-unreadable` when it is no folder or cannot be written
 */
export async function makeHome(home: string): Promise<void> {
  if (home.trim() === '')
    fail({
      code: 'home-unreadable',
      what: { en: 'No folder is named: the word is empty.', zh: '未指定文件夹：参数为空。' },
      where: '--home',
      remedy: elsewhere
    })
  const runs = join(home, 'runs')
  try {
    await makeFolders(runs)
    // Settings, alerts and the queue lie in the home itself.
    for (const folder of [home, runs]) await access(folder, constants.R_OK | constants.W_OK)
  } catch (cause) {
    fail(
      {
        code: 'home-unreadable',
        what: whyNot(errorCode(cause)),
        where: home,
        remedy: elsewhere,
        detail: messageOf(cause)
      },
      cause
    )
  }
}
