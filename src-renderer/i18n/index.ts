export * from './format'
export { useLanguage, useText } from './hooks'
export { languageChosen, startTranslations, switchLanguage } from './setup'
