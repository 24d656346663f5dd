import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Hourglass } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { runsQuery, type LaunchInput } from '../../api/queries'
import { go } from '../../state'
import { useToasts } from '../../ui'

/** Has a launch wait until its target is free; says so and stays where it is. */
export function useEnqueue(recipe: string | null) {
  const { t } = useTranslation('queue')
  return useMutation({
    mutationFn: (input: LaunchInput & { because?: string }) => engine.queue.add(input),
    onSuccess: (_added, { name }) => {
      const shown = name ?? recipe?.split(/[\\/]/).at(-1) ?? ''
      useToasts.getState().show({
        look: { tone: 'idle', icon: Hourglass },
        text: t('added', { name: shown })
      })
    }
  })
}

/** Starts a run and goes to its stack page, where it is seen coming up. */
export function useLaunch() {
  const client = useQueryClient()
  return useMutation({
    mutationFn: (input: LaunchInput & { because?: string }) => engine.launch.start(input),
    onSuccess: ({ run }) => {
      void client.invalidateQueries({ queryKey: runsQuery.queryKey })
      go({ page: 'run', id: run, tab: 'stack' })
    }
  })
}
