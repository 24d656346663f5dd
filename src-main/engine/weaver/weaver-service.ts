import type { WeaverStatus } from '../../contract/weaver'
import type { Text } from '../../contract/text'
import { type Clock, fail } from '../lib'
import { WeaverClient } from './weaver-client'
import { WEAVER_SERVER } from './weaver-http'

const KEY = 'WEAVER_API_KEY'

export interface WeaverOptions {
  clock: Clock
  /** Value of a secret by name, the environment first; null when there is none. */
  secret: (name: string) => Promise<string | null>
  /** Keeps a secret in the system's keyring; null where there is no window to do it. */
  store: ((name: string, value: string | null) => Promise<void>) | null
  /** Why the system keeps no secrets; null when it does. */
  cannotStore: () => Promise<Text | null>
  environment: Readonly<Record<string, string | undefined>>
}

/** Weaver with the person's key. The key is looked up for each use and kept nowhere. */
export class WeaverService {
  constructor(private readonly options: WeaverOptions) {}

  private get server(): string {
    const set = this.options.environment['WEAVER_BASE_URL'] ?? ''
    return (set === '' ? WEAVER_SERVER : set).replace(/\/+$/, '')
  }

  async status(): Promise<WeaverStatus> {
    const { environment, secret, cannotStore } = this.options
    const set = environment[KEY] ?? ''
    const key = set !== '' ? 'environment' : (await secret(KEY)) === null ? 'missing' : 'stored'
    return { server: this.server, key, cannotStore: await cannotStore() }
  }

  /** Keeps the key, or with null forgets it. */
  async setKey(key: string | null): Promise<WeaverStatus> {
    const { store, cannotStore } = this.options
    const why = await cannotStore()
    if (store === null || (why !== null && key !== null)) {
      fail({
        code: 'secret-not-stored',
        what: why ?? {
          en: 'Only the window can keep a key.',
          zh: '只有窗口程序可以保存密钥。'
        },
        where: KEY,
        remedy: {
          en: `Set ${KEY} in the environment Slipway is started in.`,
          zh: `请在启动 Slipway 的环境中设置 ${KEY}。`
        }
      })
    }
    const clean = key?.trim() ?? null
    if (clean !== null && !isKey(clean)) malformed()
    await store(KEY, clean)
    return this.status()
  }

  /** A client with the key. Throws FailureError `weaver-key-missing`. */
  async client(signal?: AbortSignal): Promise<WeaverClient> {
    const key = await this.options.secret(KEY)
    if (key === null || key === '') {
      return fail({
        code: 'weaver-key-missing',
        what: { en: 'There is no key for Weaver.', zh: '没有 Weaver 密钥。' },
        where: KEY,
        remedy: {
          en: `Set ${KEY}, or store a key in Settings → Weaver.`,
          zh: `请设置 ${KEY}，或在“设置 → Weaver”中保存密钥。`
        }
      })
    }
    if (!isKey(key.trim())) return malformed()
    if (!/^https?:\/\/[^\s/]+/.test(this.server)) {
      return fail({
        code: 'weaver-address',
        what: {
          en: 'WEAVER_BASE_URL is no address: it begins with https:// or http://.',
          zh: 'WEAVER_BASE_URL 不是有效地址：应以 https:// 或 http:// 开头。'
        },
        where: this.server,
        remedy: {
          en: 'Set it to the whole address, or leave it out for the usual server.',
          zh: '请填写完整地址，或不设置以使用默认服务器。'
        }
      })
    }
    const { clock } = this.options
    return new WeaverClient({ server: this.server, key: key.trim(), clock }, signal)
  }
}

/** What can stand in a header; anything else would be told as a server that does not answer. */
function isKey(text: string): boolean {
  return /^[\x21-\x7e]{8,}$/.test(text)
}

function malformed(): never {
  return fail({
    code: 'key-malformed',
    what: {
      en: 'This is not a key: keys are one word of at least eight characters.',
      zh: '这不是有效密钥：密钥应为至少八个字符的单个词。'
    },
    where: KEY
  })
}
