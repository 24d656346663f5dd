import type { Host } from '../host'
import { messageOf } from '../lib'
import type { SettingsStore } from '../settings'

/** Keeps the app told of the settings it acts on (theme, tray, language). Returns how to stop. */
export function announceSettings(host: Host | null, settings: SettingsStore): () => void {
  if (host === null) return () => undefined
  const ended = new AbortController()
  const tell = async (): Promise<void> => {
    const { systemLanguage } = await host.info()
    for await (const { language, theme, keepWatching } of settings.watch(ended.signal)) {
      const chosen = language === 'system' ? systemLanguage : language
      await host.settingsChanged({ language: chosen, theme, keepWatching })
    }
  }
  tell().catch((cause: unknown) => {
    if (!ended.signal.aborted) console.error(`settings: ${messageOf(cause)}`)
  })
  return () => {
    ended.abort()
  }
}
