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

let tellChosen: () => void = () => undefined

/** Done once the engine has said which language the person wants; until then the page speaks the system's. */
export const languageChosen = new Promise<void>((resolve) => {
  tellChosen = resolve
})

export function switchLanguage(language: Language): void {
  tellChosen()
  markDocument(language)
  if (i18next.language !== language) void i18next.changeLanguage(language)
}

function markDocument(language: Language): void {
  document.documentElement.lang = language === 'zh' ? 'zh-CN' : 'en'
}
