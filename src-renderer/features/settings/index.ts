export { KeepWatchingChoice, LanguageChoice, ThemeChoice } from './choices'
export { SettingsPage } from './settings-page'
export { useSettingsChange } from './use-settings-change'
