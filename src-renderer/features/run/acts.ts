import { useMutation } from '@tanstack/react-query'
import { CircleX } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { failureOf } from '../../api/failures'
import { useToasts } from '../../ui'

/** Starts another attempt of a run. */
export function useRestart(run: string) {
  const { i18n } = useTranslation()
  return useMutation({
    mutationFn: () => engine.runs.restart({ run }),
    onError: (thrown) => {
      const { what } = failureOf(thrown)
      useToasts.getState().show({
        look: { tone: 'fail', icon: CircleX },
        text: i18n.language === 'zh' ? what.zh : what.en
      })
    }
  })
}
