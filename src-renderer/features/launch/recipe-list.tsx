import { FileCode, FolderOpen } from 'lucide-react'
import { useMutation } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import type { RecipeEntry } from '@contract/recipes'
import { engine } from '../../api/client'
import { useText } from '../../i18n'
import { Button, EmptyReason, Icon, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'

const kinds = [
  ['recent', 'kindRecent'],
  ['own', 'kindOwn'],
  ['template', 'kindTemplate']
] as const satisfies readonly (readonly [RecipeEntry['kind'], string])[]

/** Recipes to choose from, and a file of one's own. */
export function RecipeList(props: {
  entries: readonly RecipeEntry[] | undefined
  chosen: string | null
  choose: (path: string) => void
}) {
  const { entries, chosen, choose } = props
  const { t } = useTranslation('launch')
  const text = useText()
  const pick = useMutation({
    mutationFn: () => engine.host.pick({ what: 'file' }),
    onSuccess: ({ path }) => {
      if (path !== null) choose(path)
    }
  })
  if (entries === undefined) return <Skeleton className="m-3 h-40" />
  const listed = entries.some((entry) => entry.path === chosen)
  return (
    <>
      {entries.length === 0 ? (
        <EmptyReason what={t('noRecipesWhat')} why={t('noRecipesWhy')} />
      ) : null}
      {chosen === null || listed ? null : <Item path={chosen} name={chosen} on choose={choose} />}
      {kinds.map(([kind, title]) => {
        const members = entries.filter((entry) => entry.kind === kind)
        return members.length === 0 ? null : (
          <div key={kind}>
            <div className="nav-h mt-3">{t(title)}</div>
            {members.map((entry) => (
              <Item
                key={entry.path}
                path={entry.path}
                name={text(entry.title)}
                on={entry.path === chosen}
                choose={choose}
              />
            ))}
          </div>
        )
      })}
      {pick.isError ? <FailureNote className="m-3" thrown={pick.error} /> : null}
      {/* Below a long list it would be found by chance only. */}
      <div className="sticky bottom-0 bg-panel px-3 py-3">
        <Button icon={FolderOpen} onClick={() => pick.mutate()}>
          {t('openFile')}
        </Button>
      </div>
    </>
  )
}

function Item(props: { path: string; name: string; on: boolean; choose: (path: string) => void }) {
  return (
    <button
      type="button"
      className={`nav-i ${props.on ? 'on' : ''}`}
      aria-current={props.on}
      title={props.path}
      onClick={() => props.choose(props.path)}
      data-testid={`recipe-${props.path.split(/[\\/]/).at(-1) ?? ''}`}
    >
      <Icon of={FileCode} size="medium" />
      <b>{props.name}</b>
    </button>
  )
}
