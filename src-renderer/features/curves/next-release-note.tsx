import type { Release } from '@contract/releases'
import { useTranslation } from 'react-i18next'
import { formatDuration, useLanguage } from '../../i18n'
import { useNow } from '../../state/clock'
import { nextRelease } from './next-release'

const LOOK = 't2 num flex-none text-xs whitespace-nowrap'

/** How long until the next release, as the last ten came. Nothing while there are too few. */
export function NextReleaseNote(props: { releases: readonly Release[] }) {
  const { t } = useTranslation('curves')
  const language = useLanguage()
  const forecast = nextRelease(props.releases, useNow())
  const words = (milliseconds: number): string => formatDuration(milliseconds, language)
  switch (forecast.kind) {
    case 'unknown':
      return null
    case 'late':
      return (
        <span className={LOOK} title={t('nextHint')} data-testid="next-release">
          {t('nextLate', { time: words(forecast.by) })}
        </span>
      )
    case 'expected':
      return (
        <span
          className={LOOK}
          title={`${t('nextSpread', { from: words(forecast.earliest), to: words(forecast.latest) })} ${t('nextHint')}`}
          data-testid="next-release"
        >
          {t('next', { time: words(forecast.left) })}
        </span>
      )
  }
}
