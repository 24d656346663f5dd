import { useTranslation } from 'react-i18next'
import type { Language, Text } from '@contract/text'

/** The language the page speaks now. */
export function useLanguage(): Language {
  const { i18n } = useTranslation()
  return i18n.language === 'zh' ? 'zh' : 'en'
}

/** Picks the current language of a sentence the engine wrote. */
export function useText(): (text: Text) => string {
  const language = useLanguage()
  return (text) => text[language]
}
