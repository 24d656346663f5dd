import { fileName } from '../../state'
import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import { Info } from 'lucide-react'
import { engine } from '../../api/client'
import { queryClient } from '../../api/query-client'
import { useToasts } from '../../ui'
import { isDirty, workbench, type RecipeDoc } from './workbench'

/** Milliseconds between two looks at the open file. */
const EVERY = 3000

const statKey = (path: string): readonly string[] => ['recipe-stat', path]

/** After our own save: what the next look will find. An earlier look that is still under way is dropped. */
export async function rememberOnDisk(path: string, modified: number): Promise<void> {
  await queryClient.cancelQueries({ queryKey: statKey(path) })
  queryClient.setQueryData(statKey(path), { modified })
}

/** Reads the file again. With `keepEdits` the text on screen stays and may then be saved over the file. */
export async function rereadFromDisk(path: string, keepEdits: boolean): Promise<void> {
  const file = await engine.recipes.read({ path })
  workbench.getState().reread(path, file.text, file.modified, keepEdits)
  await rememberOnDisk(path, file.modified)
}

/** How the open file stands to the file on disk. A file without edits simply follows the disk. */
export function useDisk(doc: RecipeDoc): 'same' | 'changed' | 'gone' {
  const { t } = useTranslation('recipes')
  const { path, modified } = doc
  const dirty = isDirty(doc)
  const found = useQuery({
    queryKey: statKey(path),
    queryFn: ({ signal }) => engine.recipes.stat({ path }, { signal }),
    staleTime: 0,
    refetchInterval: EVERY
  }).data?.modified
  const changed = typeof found === 'number' && found !== modified
  useEffect(() => {
    if (!changed || dirty) return
    rereadFromDisk(path, false).then(
      () =>
        useToasts.getState().show({
          look: { tone: 'idle', icon: Info },
          text: t('reloaded', { name: fileName(path) })
        }),
      // It is looked at again in a moment; a file that stays unreadable is said by saving or reopening.
      (thrown: unknown) => console.warn('The changed file could not be read.', thrown)
    )
  }, [changed, dirty, path, t])
  if (found === null) return 'gone'
  return changed && dirty ? 'changed' : 'same'
}
