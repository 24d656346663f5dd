import { useTranslation } from 'react-i18next'

/** How a series is called on a chart: its key, or in words where the engine works it out from a key. */
export function useKeyName(): (key: string, short?: boolean) => string {
  const { t } = useTranslation('charts')
  return (key, short = false) => {
    if (/^best\(.+\)$/.test(key)) return t('bestSoFar')
    // The title of the panel says the namespace.
    return short ? key.slice(key.indexOf('/') + 1) : key
  }
}
