import type { Settings } from '@contract/settings'

export type ThemeName = 'dark' | 'light'

const lightSystem = (): MediaQueryList => window.matchMedia('(prefers-color-scheme: light)')

/** Which theme a setting means on this system now. */
export function themeOf(setting: Settings['theme']): ThemeName {
  if (setting !== 'system') return setting
  return lightSystem().matches ? 'light' : 'dark'
}

/** Puts a theme on the whole page. Charts hear of it by the attribute. */
export function applyTheme(theme: ThemeName): void {
  if (document.documentElement.dataset['theme'] === theme) return
  document.documentElement.dataset['theme'] = theme
}

/**
 * Follows the system's theme while the setting says so.
 * @returns stops following
 */
export function followTheme(setting: Settings['theme']): () => void {
  applyTheme(themeOf(setting))
  if (setting !== 'system') return () => undefined
  const system = lightSystem()
  const listener = (): void => applyTheme(themeOf('system'))
  system.addEventListener('change', listener)
  return () => system.removeEventListener('change', listener)
}
