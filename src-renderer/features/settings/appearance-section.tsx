import { useTranslation } from 'react-i18next'
import { KeepWatchingChoice, LanguageChoice, ThemeChoice } from './choices'
import { SettingRow } from './setting-row'

export function AppearanceSection() {
  const { t } = useTranslation('settings')
  return (
    <div className="overflow-auto p-4">
      <h1 className="mb-4 text-lg font-semibold">{t('appearance')}</h1>
      <div className="panel max-w-[760px]">
        <SettingRow name={t('language')}>
          <LanguageChoice />
        </SettingRow>
        <SettingRow name={t('theme')}>
          <ThemeChoice />
        </SettingRow>
        <SettingRow name={t('keepWatching')} more={t('keepWatchingMore')}>
          <KeepWatchingChoice />
        </SettingRow>
      </div>
    </div>
  )
}
