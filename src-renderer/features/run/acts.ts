import { queryOptions, useMutation } from '@tanstack/react-query'
import { CircleX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { failureOf } from '../../api/failures'
import { useToasts } from '../../ui'
import { runDialogs } from './dialogs-store'

/** Why it is not certain what a restart would go on from; it may change with every look at the storage. */
export const restartDoubtQuery = (run: string) =>
  queryOptions({
    queryKey: ['restart-doubt', run],
    queryFn: ({ signal }) => engine.runs.restartDoubt({ run }, { signal }),
    staleTime: 0
  })

/** Starts another attempt of a run. Where it is not certain what that goes on from, the person is asked first. */
export function useRestart(run: string) {
  const { i18n } = useTranslation()
  return useMutation({
    mutationFn: async () => {
      const { doubt } = await engine.runs.restartDoubt({ run })
      if (doubt === null) await engine.runs.restart({ run })
      else runDialogs.getState().open('restart')
    },
    onError: (thrown) => {
      const { what } = failureOf(thrown)
      useToasts.getState().show({
        look: { tone: 'fail', icon: CircleX },
        text: i18n.language === 'zh' ? what.zh : what.en
      })
    }
  })
}
