import i18next from 'i18next'
import { initReactI18next } from 'react-i18next'
import type { Language } from '@contract/text'
import { en } from './en'
import { zh } from './zh'

/** Starts the translations with both catalogues bundled; nothing is fetched. */
export async function startTranslations(language: Language): Promise<void> {
  await i18next.use(initReactI18next).init({
    lng: language,
    fallbackLng: 'en',
    supportedLngs: ['en', 'zh'],
    resources: { en, zh },
    defaultNS: 'common',
    interpolation: { escapeValue: false }
  })
  markDocument(language)
}

export function switchLanguage(language: Language): void {
  markDocument(language)
  if (i18next.language !== language) void i18next.changeLanguage(language)
}

function markDocument(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}
