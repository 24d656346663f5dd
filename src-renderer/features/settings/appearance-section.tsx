import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { KeepWatchingChoice, LanguageChoice, ThemeChoice } from './choices'

export function AppearanceSection() {
  const { t } = useTranslation('settings')
  return (
    <div className="overflow-auto p-4">
      <h1 className="mb-4 text-lg font-semibold">{t('appearance')}</h1>
      <div className="panel max-w-[760px]">
        <Row name={t('language')}>
          <LanguageChoice />
        </Row>
        <Row name={t('theme')}>
          <ThemeChoice />
        </Row>
        <Row name={t('keepWatching')} more={t('keepWatchingMore')}>
          <KeepWatchingChoice />
        </Row>
      </div>
    </div>
  )
}

function Row(props: { name: string; more?: string; children: ReactNode }) {
  return (
    <div className="flex min-h-13 items-center gap-6 border-t border-line-1 px-4 py-3 text-xs first:border-t-0">
      <div className="min-w-0 flex-1">
        <div className="font-medium">{props.name}</div>
        {props.more === undefined ? null : <div className="t2 mt-1">{props.more}</div>}
      </div>
      {props.children}
    </div>
  )
}
