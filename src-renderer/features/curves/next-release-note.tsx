import type { Release } from '@contract/releases'
import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { formatDuration, useLanguage } from '../../i18n'
import { useNow } from '../../state/clock'
import { useLater } from '../../ui'
import { lastStep, nextRelease, type Forecast } from './next-release'
import { paceQuery } from './series-feed'

/** How long until the next release, and until the last step where there is one. Nothing while too few came. */
export function NextReleaseNote(props: { run: string; releases: readonly Release[] }) {
  const now = useNow()
  const releases = useLater(props.releases)
  const pace = useQuery(paceQuery(props.run)).data
  return (
    <>
      <Note id="next-release" of={nextRelease(releases, now)} />
      {pace === undefined ? null : <Note id="last-step" of={lastStep(pace, now)} />}
    </>
  )
}

/** Milliseconds that are no time worth a number. */
const NO_TIME = 1_000

const WORDS = {
  'next-release': { expected: 'next', due: 'nextDue', late: 'nextLate', hint: 'nextHint' },
  'last-step': {
    expected: 'lastStep',
    due: 'lastStepDue',
    late: 'lastStepLate',
    hint: 'lastStepHint'
  }
} as const

function Note(props: { id: keyof typeof WORDS; of: Forecast }) {
  const { t } = useTranslation('curves')
  const language = useLanguage()
  const { expected, due, late, hint } = WORDS[props.id]
  const words = (milliseconds: number): string => formatDuration(milliseconds, language)
  const { of: forecast } = props
  if (forecast.kind === 'unknown') return null
  const spread =
    forecast.kind === 'late'
      ? ''
      : `${t('nextSpread', { from: words(forecast.earliest), to: words(forecast.latest) })} `
  const waited = forecast.kind === 'late' ? forecast.by : forecast.left
  return (
    <span
      className="t2 num flex-none text-xs whitespace-nowrap"
      title={`${spread}${t(hint)}`}
      data-testid={props.id}
    >
      {waited < NO_TIME
        ? t(due)
        : t(forecast.kind === 'late' ? late : expected, { time: words(waited) })}
    </span>
  )
}
