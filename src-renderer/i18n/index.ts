export * from './format'
export { useLanguage, useText } from './hooks'
export { startTranslations, switchLanguage } from './setup'
