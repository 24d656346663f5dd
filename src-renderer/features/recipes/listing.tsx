import { useQuery } from '@tanstack/react-query'
import { FileCode, FilterIcon, FolderInput, FolderOpen, PencilLine, Play, Plus } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RecipeEntry } from '@contract/recipes'
import { recipesQuery, recipeTextQuery } from '../../api/queries'
import { useCommands, type Command } from '../../commands'
import { formatCount, useText } from '../../i18n'
import { go, showRecipe } from '../../state'
import { Button, EmptyReason, Field, Skeleton, Tag } from '../../ui'
import { CodeText } from '../shared/code-text'
import { FailureNote } from '../shared/failure-note'
import { usePickRecipe } from './file-list'
import { ImportResult, useImportFolder } from './import-result'

/** All recipes, with the text of the chosen one. */
export function Listing(props: { newRecipe: () => void }) {
  const { t } = useTranslation('recipes')
  const query = useQuery(recipesQuery)
  if (query.isPending) return <Skeleton className="m-4 h-40" />
  if (query.isError) {
    return <FailureNote className="m-4" thrown={query.error} retry={() => void query.refetch()} />
  }
  if (query.data.length === 0) {
    return (
      <EmptyReason className="flex-1" icon={FileCode} what={t('emptyWhat')} why={t('emptyWhy')} />
    )
  }
  return <Entries entries={query.data} newRecipe={props.newRecipe} />
}

function useRecipeMatch(): (entry: RecipeEntry, filter: string) => boolean {
  const text = useText()
  return (entry, filter) =>
    [entry.name, text(entry.title), entry.family ?? '', text(entry.description), entry.path].some(
      (part) => part.toLowerCase().includes(filter.trim().toLowerCase())
    )
}

function Entries(props: { entries: readonly RecipeEntry[]; newRecipe: () => void }) {
  const { entries } = props
  const { t } = useTranslation('recipes')
  const matches = useRecipeMatch()
  const pick = usePickRecipe()
  const folder = useImportFolder()
  const [filter, setFilter] = useState('')
  const [chosen, setChosen] = useState<string | null>(null)
  const input = useRef<HTMLInputElement>(null)
  const shown = entries.filter((entry) => matches(entry, filter))
  const open = shown.find((entry) => entry.path === chosen) ?? shown[0]
  const paths = shown.map((entry) => entry.path).join('\n')
  const path = open?.path
  const commands = useMemo<Command[]>(() => {
    const all = paths.split('\n')
    const step = (by: number) => (): void => {
      const at = path === undefined ? 0 : all.indexOf(path) + by
      setChosen(all[Math.max(0, Math.min(all.length - 1, at))] ?? null)
    }
    const base = { group: 'list' as const, quiet: true }
    return [
      { ...base, id: 'next', title: t('next'), keys: ['J', 'ArrowDown'], run: step(1) },
      { ...base, id: 'previous', title: t('previous'), keys: ['K', 'ArrowUp'], run: step(-1) },
      {
        ...base,
        id: 'filter',
        title: t('filter'),
        keys: ['/'],
        run: () => input.current?.focus()
      },
      {
        id: 'open-recipe',
        title: t('open'),
        group: 'list',
        keys: ['Enter'],
        run: () => {
          if (path !== undefined) showRecipe(path)
        }
      },
      {
        id: 'launch-recipe',
        title: t('launch'),
        group: 'list',
        keys: ['Mod+Enter'],
        run: () => {
          if (path !== undefined) go({ page: 'new', recipe: path })
        }
      }
    ]
  }, [t, paths, path])
  useCommands(commands)
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[minmax(0,1fr)_minmax(360px,480px)]">
      <div className="flex min-h-0 flex-col">
        <div className="flex h-12 flex-none items-center gap-2 px-4">
          <h1 className="text-lg font-semibold">{t('title')}</h1>
          <span className="t2 num mt-0.5">
            {t('count', { count: entries.length, n: formatCount(entries.length) })}
          </span>
          <span className="ml-auto flex gap-2">
            <Button icon={FolderOpen} onClick={() => pick.mutate()}>
              {t('openFile')}
            </Button>
            <Button
              icon={FolderInput}
              onClick={() => folder.mutate()}
              data-testid="recipe-import-folder"
            >
              {t('importFolder')}
            </Button>
            <Button icon={Plus} onClick={props.newRecipe} data-testid="recipe-new">
              {t('newRecipeEllipsis')}
            </Button>
          </span>
        </div>
        {pick.isError ? <FailureNote className="mx-4 mb-3" thrown={pick.error} /> : null}
        {folder.isError ? <FailureNote className="mx-4 mb-3" thrown={folder.error} /> : null}
        {folder.data === null || folder.data === undefined ? null : (
          <ImportResult result={folder.data} close={folder.reset} />
        )}
        <Field
          className="flex-none px-4 pb-3"
          size="tall"
          icon={FilterIcon}
          label={t('filter')}
          placeholder={t('filter')}
          value={filter}
          onChange={setFilter}
          inputRef={input}
          keys="/"
          onKeyDown={(event) => {
            if (event.key !== 'Escape' && event.key !== 'Enter') return
            event.stopPropagation()
            if (event.key === 'Escape') setFilter('')
            event.currentTarget.blur()
          }}
        />
        {shown.length === 0 ? (
          <EmptyReason
            className="flex-1"
            what={t('noMatchWhat')}
            why={t('noMatchWhy', { n: formatCount(entries.length), filter })}
          />
        ) : (
          <RecipeTable entries={shown} open={open} choose={setChosen} />
        )}
      </div>
      {open === undefined ? <span /> : <RecipeSide key={open.path} entry={open} />}
    </div>
  )
}

function RecipeTable(props: {
  entries: readonly RecipeEntry[]
  open: RecipeEntry | undefined
  choose: (path: string) => void
}) {
  const { t } = useTranslation('recipes')
  const text = useText()
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <table className="tbl table-fixed" data-testid="recipes-table">
        <thead>
          <tr>
            <th style={{ paddingLeft: 16 }}>{t('name')}</th>
            <th className="w-[110px]">{t('family')}</th>
            <th className="w-[110px]">{t('dialect')}</th>
            <th className="w-[96px]">{t('kind')}</th>
          </tr>
        </thead>
        <tbody>
          {props.entries.map((entry) => (
            <tr
              key={entry.path}
              tabIndex={0}
              aria-selected={entry.path === props.open?.path}
              data-opens
              onClick={() => props.choose(entry.path)}
              onFocus={() => props.choose(entry.path)}
              onDoubleClick={() => showRecipe(entry.path)}
              data-testid={`recipe-row-${entry.path.split(/[\\/]/).at(-1) ?? ''}`}
            >
              <td className="el" style={{ paddingLeft: 16, height: 44 }}>
                <div className="el font-medium">{text(entry.title)}</div>
                <div className="t2 el">{text(entry.description)}</div>
              </td>
              <td className="el" title={entry.family ?? undefined}>
                {entry.family ?? t('nothing')}
              </td>
              <td>{t(`dialects.${entry.dialect}`)}</td>
              <td className="t2">{t(`kinds.${entry.kind}`)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function RecipeSide(props: { entry: RecipeEntry }) {
  const { entry } = props
  const { t } = useTranslation(['recipes', 'run'])
  const text = useText()
  const file = useQuery({ ...recipeTextQuery(entry.path), staleTime: 0 })
  return (
    <aside className="side right flex flex-col overflow-hidden">
      <div className="flex flex-none flex-col gap-2 px-4 py-3">
        <div className="flex items-center gap-2">
          <span className="el text-base font-semibold">{text(entry.title)}</span>
          {entry.practice ? <Tag>{t('run:practiceTag')}</Tag> : null}
          <span className="ml-auto flex flex-none gap-2">
            <Button
              icon={Play}
              onClick={() => go({ page: 'new', recipe: entry.path })}
              data-testid="launch-recipe"
            >
              {t('recipes:launch')}
            </Button>
            <Button
              icon={PencilLine}
              variant="primary"
              keys="Enter"
              onClick={() => showRecipe(entry.path)}
              data-testid="open-recipe"
            >
              {t('recipes:open')}
            </Button>
          </span>
        </div>
        <p className="t2">{text(entry.description)}</p>
        <p className="mono t2 break-all">{entry.path}</p>
        {file.data?.readOnly === true ? <p className="t2">{t('recipes:readOnly')}</p> : null}
      </div>
      {file.isError ? (
        <FailureNote className="m-3" thrown={file.error} retry={() => void file.refetch()} />
      ) : null}
      {file.data === undefined ? null : <CodeText text={file.data.text} />}
    </aside>
  )
}
