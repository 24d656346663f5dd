import { useQueryClient } from '@tanstack/react-query'
import { useCallback } from 'react'
import { useTranslation } from 'react-i18next'
import type { Settings } from '@contract/settings'
import { CircleX } from 'lucide-react'
import { engine } from '../../api/client'
import { failureOf } from '../../api/failures'
import { settingsQuery } from '../../api/queries'
import { useToasts } from '../../ui'

export type SettingsChange = Partial<Omit<Settings, 'version'>>

/** Changes settings. The page shows the new value at once and goes back to the old one when it could not be kept. */
export function useSettingsChange(): (change: SettingsChange) => void {
  const client = useQueryClient()
  const { i18n } = useTranslation()
  return useCallback(
    (change) => {
      const key = settingsQuery.queryKey
      const before = client.getQueryData(key)
      if (before !== undefined) client.setQueryData(key, { ...before, ...change })
      engine.settings.set(change).then(
        (kept) => client.setQueryData(key, kept),
        (thrown: unknown) => {
          client.setQueryData(key, before)
          const { what } = failureOf(thrown)
          useToasts.getState().show({
            look: { tone: 'fail', icon: CircleX },
            text: i18n.language === 'zh' ? what.zh : what.en
          })
        }
      )
    },
    [client, i18n]
  )
}
