import i18next from 'i18next'
import { useSyncExternalStore } from 'react'
import type { Language, Text } from '@contract/text'

function onLanguage(changed: () => void): () => void {
  i18next.on('languageChanged', changed)
  return () => i18next.off('languageChanged', changed)
}

const languageNow = (): Language => (i18next.language === 'zh' ? 'zh' : 'en')

/** The language the page speaks now. Cheap enough for every cell of a table, which `useTranslation` is not. */
export function useLanguage(): Language {
  return useSyncExternalStore(onLanguage, languageNow)
}

/** Picks the current language of a sentence the engine wrote. */
export function useText(): (text: Text) => string {
  const language = useLanguage()
  return (text) => text[language]
}
