import { useMutation, useQuery } from '@tanstack/react-query'
import { ArrowLeft, FileCode, FolderOpen, Play, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RecipeEntry } from '@contract/recipes'
import { engine } from '../../api/client'
import { recipesQuery } from '../../api/queries'
import { Icon, IconButton, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { fileName, isDirty, workbench } from './workbench'

const groups = [
  ['own', 'own'],
  ['recent', 'recent'],
  ['template', 'templates']
] as const satisfies readonly (readonly [RecipeEntry['kind'], string])[]

/** Lets a person pick a recipe file and opens it. */
export function usePickRecipe() {
  return useMutation({
    mutationFn: () => engine.host.pick({ what: 'file' }),
    onSuccess: ({ path }) => {
      if (path !== null) workbench.getState().show(path)
    }
  })
}

/** The recipes to open: one's own, lately used ones, templates. */
export function FileList(props: { open: string; newRecipe: () => void }) {
  const { t } = useTranslation('recipes')
  const recipes = useQuery(recipesQuery)
  const docs = workbench((store) => store.docs)
  const pick = usePickRecipe()
  const entries = recipes.data ?? []
  const listed = entries.some((entry) => entry.path === props.open)
  return (
    <aside className="side pb-3" aria-label={t('title')} data-testid="recipe-files">
      <div className="flex h-11 items-center gap-1 pr-2 pl-1">
        <button
          type="button"
          className="nav-i w-auto flex-1"
          style={{ paddingLeft: 8 }}
          onClick={() => workbench.getState().show(null)}
          data-testid="recipe-all"
        >
          <Icon of={ArrowLeft} size="medium" />
          <b>{t('all')}</b>
        </button>
        <IconButton
          size="small"
          variant="ghost"
          icon={Plus}
          label={t('newRecipeEllipsis')}
          onClick={props.newRecipe}
          data-testid="recipe-new"
        />
        <IconButton
          size="small"
          variant="ghost"
          icon={FolderOpen}
          label={t('openFile')}
          onClick={() => pick.mutate()}
          data-testid="recipe-open-file"
        />
      </div>
      {pick.isError ? <FailureNote className="m-2" thrown={pick.error} /> : null}
      {recipes.isPending ? <Skeleton className="m-3 h-40" /> : null}
      {recipes.isError ? (
        <FailureNote className="m-2" thrown={recipes.error} retry={() => void recipes.refetch()} />
      ) : null}
      {listed || recipes.isPending ? null : (
        <FileItem
          path={props.open}
          name={fileName(props.open)}
          on
          unsaved={false}
          practice={false}
        />
      )}
      {groups.map(([kind, title]) => {
        const members = entries.filter((entry) => entry.kind === kind)
        return members.length === 0 ? null : (
          <div key={kind}>
            <div className="nav-h">{t(title)}</div>
            {members.map((entry) => {
              const doc = docs[entry.path]
              return (
                <FileItem
                  key={entry.path}
                  path={entry.path}
                  name={kind === 'template' ? entry.name : fileName(entry.path)}
                  practice={entry.practice && kind === 'template'}
                  on={entry.path === props.open}
                  unsaved={doc !== undefined && isDirty(doc)}
                />
              )
            })}
          </div>
        )
      })}
    </aside>
  )
}

function FileItem(props: {
  path: string
  name: string
  on: boolean
  practice: boolean
  unsaved: boolean
}) {
  const { t } = useTranslation('recipes')
  return (
    <button
      type="button"
      className={`nav-i ${props.on ? 'on' : ''}`}
      aria-current={props.on}
      title={props.path}
      onClick={() => workbench.getState().show(props.path)}
      data-testid={`recipe-file-${fileName(props.path)}`}
    >
      <Icon of={props.practice ? Play : FileCode} size="medium" />
      <b>{props.name}</b>
      {props.unsaved ? (
        <span
          role="img"
          className="n h-2 w-2 flex-none rounded-full bg-text-2"
          aria-label={t('unsaved')}
          title={t('unsaved')}
        />
      ) : null}
    </button>
  )
}
