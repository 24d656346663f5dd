import { fileName, go, showRecipe } from '../../state'
import { useMutation, useQuery } from '@tanstack/react-query'
import { Activity, ArrowLeft, FileCode, FolderOpen, Play, Plus } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RecipeEntry } from '@contract/recipes'
import { engine } from '../../api/client'
import { recipesQuery, runsQuery } from '../../api/queries'
import { useText } from '../../i18n'
import { Icon, IconButton, Skeleton } from '../../ui'
import { isActive } from '../runs'
import { FailureNote } from '../shared/failure-note'
import { isDirty, workbench } from './workbench'

const groups = [
  ['own', 'own'],
  ['recent', 'recent'],
  ['template', 'templates']
] as const satisfies readonly (readonly [RecipeEntry['kind'], string])[]

/** More are in the list of runs, which can be filtered. */
const MOST_RUNS = 8

/** Lets a person pick a recipe file and opens it. */
export function usePickRecipe() {
  return useMutation({
    mutationFn: () => engine.host.pick({ what: 'file' }),
    onSuccess: ({ path }) => {
      if (path !== null) showRecipe(path)
    }
  })
}

/** The recipes to open: one's own, lately used ones, templates. */
export function FileList(props: { open: string; newRecipe: () => void }) {
  const { t } = useTranslation('recipes')
  const text = useText()
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
          onClick={() => showRecipe(null)}
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
                  name={kind === 'template' ? text(entry.title) : fileName(entry.path)}
                  practice={entry.practice && kind === 'template'}
                  on={entry.path === props.open}
                  unsaved={doc !== undefined && isDirty(doc)}
                />
              )
            })}
          </div>
        )
      })}
      <LaunchedFrom path={props.open} />
    </aside>
  )
}

/** Runs that were launched from the file that is open, newest first. */
function LaunchedFrom(props: { path: string }) {
  const { t } = useTranslation('recipes')
  const runs = useQuery(runsQuery).data?.runs ?? []
  const from = runs.filter((run) => run.recipe.path === props.path).slice(0, MOST_RUNS)
  if (from.length === 0) return null
  return (
    <div data-testid="launched-from">
      <div className="nav-h">{t('launchedFrom')}</div>
      {from.map((run) => (
        <button
          key={run.id}
          type="button"
          className="nav-i"
          title={run.folder}
          onClick={() => go({ page: 'run', id: run.id, tab: 'curves' })}
        >
          <span className={isActive(run.state) ? 'c-running' : 't2'}>
            <Icon of={isActive(run.state) ? Play : Activity} size="medium" />
          </span>
          <b>{run.name}</b>
          {run.served === null ? null : <span className="n mono">{run.served}</span>}
        </button>
      ))}
    </div>
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
      onClick={() => showRecipe(props.path)}
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
