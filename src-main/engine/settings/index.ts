export { defaultSettings, type SettingsChange, SettingsStore } from './settings-store'
