import { randomUUID } from 'node:crypto'
import { link, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../lib'

/**
 * The home's own id, made once. It labels everything Slipway creates on a target, so that a later start can tell what
 * is its own. Two engines that start at the same moment agree on one.
 */
export async function installationId(home: string): Promise<string> {
  const file = join(home, 'installation')
  const known = await readId(file)
  if (known !== null) return known
  const temp = join(home, `.installation-${randomUUID()}.tmp`)
  await writeFile(temp, `${randomUUID()}\n`, { mode: 0o600, flag: 'wx' })
  try {
    await link(temp, file)
  } catch (cause) {
    if (errorCode(cause) !== 'EEXIST') throw cause
  } finally {
    await rm(temp, { force: true })
  }
  return (await readId(file)) ?? installationId(home)
}

async function readId(file: string): Promise<string | null> {
  try {
    const text = (await readFile(file, 'utf8')).trim()
    return text === '' ? null : text
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return null
    throw cause
  }
}
