import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { settingsQuery } from '../../api/queries'
import { Segmented } from '../../ui'
import { useSettingsChange } from './use-settings-change'

export function LanguageChoice() {
  const { t } = useTranslation('settings')
  const value = useQuery(settingsQuery).data?.language ?? 'system'
  const change = useSettingsChange()
  return (
    <Segmented
      label={t('language')}
      value={value}
      segments={[
        { value: 'system', label: t('languageSystem') },
        // Each language is called by its own name, so that who cannot read the other one finds it.
        { value: 'en', label: 'English' },
        { value: 'zh', label: '简体中文' }
      ]}
      onChange={(language) => change({ language })}
      data-testid="language"
    />
  )
}

export function ThemeChoice() {
  const { t } = useTranslation('settings')
  const value = useQuery(settingsQuery).data?.theme ?? 'system'
  const change = useSettingsChange()
  return (
    <Segmented
      label={t('theme')}
      value={value}
      segments={[
        { value: 'system', label: t('themeSystem') },
        { value: 'dark', label: t('themeDark') },
        { value: 'light', label: t('themeLight') }
      ]}
      onChange={(theme) => change({ theme })}
      data-testid="theme"
    />
  )
}

export function KeepWatchingChoice() {
  return <Switch of="keepWatching" data-testid="keep-watching" />
}

export function WithOptimizerChoice() {
  return <Switch of="redeployWithOptimizer" data-testid="with-optimizer" />
}

function Switch(props: { of: 'keepWatching' | 'redeployWithOptimizer'; 'data-testid': string }) {
  const { t } = useTranslation('settings')
  const on = useQuery(settingsQuery).data?.[props.of] ?? false
  const change = useSettingsChange()
  return (
    <Segmented
      label={t(props.of === 'keepWatching' ? 'keepWatching' : 'withOptimizer')}
      value={on ? 'on' : 'off'}
      segments={[
        { value: 'off', label: t('off') },
        { value: 'on', label: t('on') }
      ]}
      onChange={(value) => change({ [props.of]: value === 'on' })}
      data-testid={props['data-testid']}
    />
  )
}
