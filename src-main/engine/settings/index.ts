export { defaultSettings, SettingsStore } from './settings-store'
