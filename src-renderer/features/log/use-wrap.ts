import { useQuery } from '@tanstack/react-query'
import { settingsQuery } from '../../api/queries'
import { useSettingsChange } from '../settings/use-settings-change'

/** Whether long lines of logs are broken at the edge, kept in the settings, and the way to change it. */
export function useWrap(): { readonly wrap: boolean; readonly toggle: () => void } {
  const wrap = useQuery(settingsQuery).data?.wrapLog === true
  const change = useSettingsChange()
  return { wrap, toggle: () => change({ wrapLog: !wrap }) }
}
