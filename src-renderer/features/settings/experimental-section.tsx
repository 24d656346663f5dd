import { useTranslation } from 'react-i18next'
import { WithOptimizerChoice } from './choices'
import { SettingRow } from './setting-row'

/** What works by rules that no stack promises: off until a person wants it. */
export function ExperimentalSection() {
  const { t } = useTranslation('settings')
  return (
    <div className="overflow-auto p-4">
      <h1 className="mb-4 text-lg font-semibold">{t('experimental')}</h1>
      <div className="panel max-w-[760px]">
        <SettingRow name={t('withOptimizer')} more={t('withOptimizerMore')}>
          <WithOptimizerChoice />
        </SettingRow>
      </div>
    </div>
  )
}
