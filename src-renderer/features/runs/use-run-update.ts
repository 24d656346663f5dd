import { CircleX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useCallback } from 'react'
import { engine } from '../../api/client'
import { failureOf } from '../../api/failures'
import { useToasts } from '../../ui'

export interface RunChange {
  name?: string
  tags?: string[]
  starred?: boolean
  archived?: boolean
}

/** Changes what a person keeps about a run. The stream brings the new state; a refusal is told. */
export function useRunUpdate(): (run: string, change: RunChange) => Promise<void> {
  const { i18n } = useTranslation()
  return useCallback(
    async (run, change) => {
      try {
        await engine.runs.update({ run, ...change })
      } catch (thrown) {
        const { what } = failureOf(thrown)
        useToasts.getState().show({
          look: { tone: 'fail', icon: CircleX },
          text: i18n.language === 'zh' ? what.zh : what.en
        })
      }
    },
    [i18n]
  )
}
