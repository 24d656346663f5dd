import { fileName } from '../../state'
import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RecipeDifference } from '@contract/recipes'
import { engine } from '../../api/client'
import { recipesQuery, recipeTextQuery, runsQuery } from '../../api/queries'
import { formatCount } from '../../i18n'
import { Button, Dialog, Segmented, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { DiffBox } from './review-dialogs'
import { type RecipeDoc } from './workbench'

/** The other side of a comparison: `id` as the engine's compare takes it, `file` as it can be read. */
interface Side {
  id: string
  file: string
  name: string
  kind: 'recipe' | 'run'
}

function useSides(own: string): Side[] {
  const recipes = useQuery(recipesQuery).data ?? []
  const runs = useQuery(runsQuery).data?.runs ?? []
  return [
    ...runs.map((run): Side => {
      const separator = run.folder.includes('\\') ? '\\' : '/'
      const file = `${run.folder}${separator}recipe.yaml`
      return { id: `run:${run.id}`, file, name: run.name, kind: 'run' }
    }),
    ...recipes
      .filter((entry) => entry.path !== own)
      .map((entry): Side => ({
        id: entry.path,
        file: entry.path,
        name: fileName(entry.path),
        kind: 'recipe'
      }))
  ]
}

/** Compares the text on screen with another recipe or with what a run was launched with. */
export function CompareDialog(props: { doc: RecipeDoc; close: () => void }) {
  const { doc } = props
  const { t } = useTranslation(['recipes', 'common'])
  const sides = useSides(doc.path)
  const [chosen, setChosen] = useState<string | null>(null)
  const side = sides.find((each) => each.id === chosen)
  return (
    <Dialog
      open
      onClose={props.close}
      title={t('recipes:compareTitle', { name: fileName(doc.path) })}
      description={t('recipes:compareText')}
      width={1120}
      data-testid="compare-dialog"
      footer={<Button onClick={props.close}>{t('common:close')}</Button>}
    >
      <div className="grid h-[460px] grid-cols-[220px_minmax(0,1fr)] gap-3">
        <nav
          className="min-h-0 overflow-auto border-r border-line-1"
          aria-label={t('recipes:compareWith')}
        >
          <SideGroup
            title={t('recipes:compareRuns')}
            sides={sides.filter((each) => each.kind === 'run')}
            chosen={chosen}
            choose={setChosen}
          />
          <SideGroup
            title={t('recipes:title')}
            sides={sides.filter((each) => each.kind === 'recipe')}
            chosen={chosen}
            choose={setChosen}
          />
        </nav>
        {side === undefined ? (
          <p className="t2 p-4">{t('recipes:compareChoose')}</p>
        ) : (
          <Comparison key={side.id} doc={doc} side={side} />
        )}
      </div>
    </Dialog>
  )
}

function SideGroup(props: {
  title: string
  sides: readonly Side[]
  chosen: string | null
  choose: (id: string) => void
}) {
  if (props.sides.length === 0) return null
  return (
    <>
      <div className="nav-h">{props.title}</div>
      {props.sides.map((side) => (
        <button
          key={side.id}
          type="button"
          className={`nav-i ${side.id === props.chosen ? 'on' : ''}`}
          aria-current={side.id === props.chosen}
          title={side.file}
          onClick={() => props.choose(side.id)}
          data-testid={`compare-with-${side.name}`}
        >
          <b>{side.name}</b>
        </button>
      ))}
    </>
  )
}

function Comparison(props: { doc: RecipeDoc; side: Side }) {
  const { doc, side } = props
  const { t } = useTranslation('recipes')
  const [view, setView] = useState<'meaning' | 'text'>('meaning')
  const found = useQuery({
    queryKey: ['recipe-compare', doc.path, doc.text, side.id],
    queryFn: ({ signal }) =>
      engine.recipes.compare({ a: doc.path, textA: doc.text, b: side.id }, { signal }),
    gcTime: 0
  })
  const other = useQuery(
    view === 'text'
      ? { ...recipeTextQuery(side.file), staleTime: 0 }
      : { queryKey: recipeTextQuery(side.file).queryKey, queryFn: skipToken }
  )
  return (
    <div className="flex min-h-0 flex-col gap-2">
      <div className="flex items-center gap-3">
        <Segmented
          label={t('compareText')}
          value={view}
          onChange={setView}
          segments={[
            { value: 'meaning', label: t('compareAsMeaning') },
            { value: 'text', label: t('compareAsText') }
          ]}
          data-testid="compare-view"
        />
        {found.data === undefined ? null : (
          <span className="t2 num">
            {t('differences', { count: found.data.length, n: formatCount(found.data.length) })}
          </span>
        )}
      </div>
      {view === 'meaning' ? (
        <>
          {found.isError ? <FailureNote thrown={found.error} /> : null}
          {found.isPending ? <Skeleton className="h-40" /> : null}
          {found.data === undefined ? null : <DifferenceTable rows={found.data} />}
        </>
      ) : (
        <>
          {other.isError ? <FailureNote thrown={other.error} /> : null}
          {other.data === undefined ? null : <DiffBox before={doc.text} after={other.data.text} />}
        </>
      )}
    </div>
  )
}

function DifferenceTable(props: { rows: readonly RecipeDifference[] }) {
  const { t } = useTranslation('recipes')
  if (props.rows.length === 0) return <p className="t2 py-2">{t('compareSame')}</p>
  const value = (text: string | null) =>
    text === null ? (
      <span className="t2">{t('absent')}</span>
    ) : (
      <span className="mono break-words">{text}</span>
    )
  return (
    <div className="min-h-0 flex-1 overflow-auto">
      <table className="tbl table-fixed" data-testid="recipe-differences">
        <thead>
          <tr>
            <th className="w-[40%]">{t('compareField')}</th>
            <th>{t('compareThis')}</th>
            <th>{t('compareOther')}</th>
          </tr>
        </thead>
        <tbody>
          {props.rows.map((row) => (
            <tr key={row.path}>
              <td style={{ whiteSpace: 'normal' }}>
                <span className="mono break-words">{row.path}</span>
                {row.derived === true ? <span className="t2"> · {t('derived')}</span> : null}
              </td>
              <td style={{ whiteSpace: 'normal' }}>{value(row.a)}</td>
              <td style={{ whiteSpace: 'normal' }}>{value(row.b)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
