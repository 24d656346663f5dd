import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useCommands, type Command } from '../../commands'
import { go, layout, recipesRoute, routes } from '../../state'
import { useSettingsChange } from '../settings/use-settings-change'

/** What can be done from everywhere. */
export function useFrameCommands(): void {
  const { t, i18n } = useTranslation('frame')
  const change = useSettingsChange()
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'go-runs',
        title: t('goRuns'),
        group: 'go',
        keys: ['Mod+1'],
        run: () => go({ page: 'runs' })
      },
      {
        id: 'go-recipes',
        title: t('goRecipes'),
        group: 'go',
        keys: ['Mod+2'],
        run: () => go(recipesRoute())
      },
      {
        id: 'go-settings',
        title: t('goSettings'),
        group: 'go',
        keys: ['Mod+,'],
        run: () => go({ page: 'settings', section: 'targets' })
      },
      {
        id: 'new-run',
        title: t('newRun'),
        group: 'go',
        keys: ['N'],
        run: () => go({ page: 'new' })
      },
      {
        id: 'back',
        title: t('back'),
        group: 'go',
        keys: ['Alt+ArrowLeft'],
        run: () => routes.getState().back()
      },
      {
        id: 'forward',
        title: t('forward'),
        group: 'go',
        keys: ['Alt+ArrowRight'],
        run: () => routes.getState().forward()
      },
      {
        id: 'palette',
        title: t('openPalette'),
        group: 'app',
        keys: ['Mod+K'],
        quiet: true,
        run: () => layout.getState().setPalette(true)
      },
      {
        id: 'cheat-sheet',
        title: t('help'),
        group: 'app',
        keys: ['?'],
        run: () => layout.getState().setCheatSheet(true)
      },
      {
        id: 'theme-dark',
        title: t('darkTheme'),
        group: 'app',
        run: () => change({ theme: 'dark' })
      },
      {
        id: 'theme-light',
        title: t('lightTheme'),
        group: 'app',
        run: () => change({ theme: 'light' })
      },
      {
        id: 'theme-system',
        title: t('systemTheme'),
        group: 'app',
        run: () => change({ theme: 'system' })
      },
      {
        id: 'language',
        title: t('switchLanguage'),
        group: 'app',
        run: () => change({ language: i18n.language === 'zh' ? 'en' : 'zh' })
      }
    ],
    [t, i18n.language, change]
  )
  useCommands(commands)
}
