import { readFile, rename, writeFile } from 'node:fs/promises'
import { safeStorage } from 'electron'
import { z } from 'zod'
import type { Text } from '../contract/text'

const Stored = z.record(z.string(), z.string())

// Newer Electron tells when Linux falls back to a fixed password; the oldest supported one does not.
function storageBackend(): unknown {
  const ask: unknown = Reflect.get(safeStorage, 'getSelectedStorageBackend')
  return process.platform === 'linux' && typeof ask === 'function'
    ? Reflect.apply(ask, safeStorage, [])
    : 'system'
}

/** Why the system offers no encrypted storage, or null when it does. Without it nothing is ever written. */
export function secretsUnavailable(): Text | null {
  if (safeStorage.isEncryptionAvailable() && storageBackend() !== 'basic_text') return null
  return {
    en: 'This system offers no keyring, so Slipway keeps no secrets. Set them as environment variables before you start it.',
    zh: '本系统没有可用的密钥环，Slipway 不保存任何密钥。请在启动前用环境变量提供。'
  }
}

/** The person's secrets, encrypted by the operating system, in one file that holds nothing readable. */
export class SecretStore {
  constructor(private readonly file: string) {}

  async get(name: string): Promise<string | null> {
    if (secretsUnavailable() !== null) return null
    const encrypted = (await this.load())[name]
    return encrypted === undefined
      ? null
      : safeStorage.decryptString(Buffer.from(encrypted, 'base64'))
  }

  /** Stores, or with null forgets. Throws where the system offers no encryption. */
  async set(name: string, value: string | null): Promise<void> {
    const reason = secretsUnavailable()
    if (reason !== null && value !== null) throw new Error(reason.en)
    const all = await this.load()
    if (value === null) delete all[name]
    else all[name] = safeStorage.encryptString(value).toString('base64')
    const temp = `${this.file}.tmp`
    await writeFile(temp, JSON.stringify(all), { mode: 0o600 })
    await rename(temp, this.file)
  }

  private async load(): Promise<Record<string, string>> {
    try {
      return Stored.parse(JSON.parse(await readFile(this.file, 'utf8')))
    } catch (cause) {
      if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return {}
      throw cause
    }
  }
}
