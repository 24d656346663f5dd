import { useMutation, useQueryClient } from '@tanstack/react-query'
import { engine } from '../../api/client'
import { runsQuery, type LaunchInput } from '../../api/queries'
import { go } from '../../state'

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
