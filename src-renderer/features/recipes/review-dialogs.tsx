import { keepPreviousData, useQuery, type UseQueryResult } from '@tanstack/react-query'
import { Suspense, useDeferredValue, useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Text } from '@contract/text'
import { engine } from '../../api/client'
import { RecipeDiff } from '../../editor'
import { useText } from '../../i18n'
import { Button, Dialog, Field, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import type { RecipeDoc } from './workbench'

interface Proposed {
  text: string
  changes: Text[]
  /** Why nothing is changed although something should be. */
  refused?: Text | undefined
}

/** A change of the whole text, shown before it is made. */
function ReviewDialog(props: {
  title: string
  description: string
  nothing: string
  before: string
  proposed: UseQueryResult<Proposed>
  top?: ReactNode
  apply: (text: string) => void
  close: () => void
  'data-testid': string
}) {
  const { proposed, before } = props
  const { t } = useTranslation(['recipes', 'common'])
  const words = useText()
  const cancel = useRef<HTMLButtonElement>(null)
  const after = proposed.isError ? undefined : proposed.data?.text
  const same = after === before
  const { changes: remarks = [], refused } = proposed.data ?? {}
  const nothing = refused === undefined ? props.nothing : words(refused)
  const ready = after !== undefined && !same && !proposed.isPlaceholderData
  const apply = (): void => {
    if (ready) props.apply(after)
  }
  return (
    <Dialog
      open
      onClose={props.close}
      title={props.title}
      description={props.description}
      width={1040}
      {...(props.top === undefined ? { focus: cancel } : {})}
      onConfirm={apply}
      data-testid={props['data-testid']}
      footer={
        <>
          <Button ref={cancel} onClick={props.close} data-testid="review-cancel">
            {t('common:cancel')}
          </Button>
          <Button
            variant="primary"
            keys="Mod+Enter"
            off={ready ? false : same ? nothing : ''}
            onClick={apply}
            data-testid="review-apply"
          >
            {t('recipes:apply')}
          </Button>
        </>
      }
    >
      {props.top}
      {proposed.isError ? <FailureNote className="my-2" thrown={proposed.error} /> : null}
      {proposed.isPending ? <Skeleton className="h-64" /> : null}
      {same && refused !== undefined ? (
        <p className="callout warn my-2" role="alert" data-testid="review-refused">
          {words(refused)}
        </p>
      ) : same ? (
        <>
          <ChangeList title={t('recipes:remarks')} changes={remarks} />
          <p className="t2 py-2">{remarks.length > 0 ? t('recipes:notChanged') : props.nothing}</p>
        </>
      ) : null}
      {after === undefined || same ? null : (
        <>
          <ChangeList title={t('recipes:changes')} changes={remarks} />
          <DiffBox before={before} after={after} />
        </>
      )}
    </Dialog>
  )
}

function ChangeList(props: { title: string; changes: readonly Text[] }) {
  const text = useText()
  if (props.changes.length === 0) return null
  return (
    <>
      <div className="mb-1 font-medium">{props.title}</div>
      <ul className="mb-3 max-h-28 list-disc overflow-auto pl-4" data-testid="review-changes">
        {props.changes.map((change, i) => (
          <li key={i} className="mono">
            {text(change)}
          </li>
        ))}
      </ul>
    </>
  )
}

/** Before and after with a fixed height, so that a dialog does not jump while the editor loads. */
export function DiffBox(props: { before: string; after: string }) {
  const { t } = useTranslation('recipes')
  return (
    <div className="h-[380px]">
      <Suspense fallback={<Skeleton className="h-full" />}>
        <RecipeDiff before={props.before} after={props.after} label={t('diffLabel')} />
      </Suspense>
    </div>
  )
}

export function MigrateDialog(props: {
  doc: RecipeDoc
  apply: (text: string) => void
  close: () => void
}) {
  const { path, text } = props.doc
  const { t } = useTranslation('recipes')
  const proposed = useQuery({
    queryKey: ['recipe-migrate', path, text],
    queryFn: ({ signal }) => engine.recipes.migrate({ path, text }, { signal }),
    gcTime: 0
  })
  return (
    <ReviewDialog
      title={t('migrateTitle')}
      description={t('migrateText')}
      nothing={t('migrateNothing')}
      before={text}
      proposed={proposed}
      apply={props.apply}
      close={props.close}
      data-testid="migrate-dialog"
    />
  )
}

/** The batch size somebody typed, or null when it is none. */
function sizeOf(typed: string): number | null {
  const size = Number(typed.trim())
  return typed.trim() !== '' && Number.isInteger(size) && size >= 1 ? size : null
}

export function ScaleDialog(props: {
  doc: RecipeDoc
  batch: number | null
  apply: (text: string) => void
  close: () => void
}) {
  const { path, text } = props.doc
  const { t } = useTranslation('recipes')
  const [typed, setTyped] = useState(String(props.batch ?? 128))
  const size = sizeOf(useDeferredValue(typed))
  const proposed = useQuery({
    queryKey: ['recipe-scale', path, text, size],
    queryFn: ({ signal }) => engine.recipes.scale({ path, text, size: size ?? 0 }, { signal }),
    enabled: size !== null,
    placeholderData: keepPreviousData,
    gcTime: 0
  })
  return (
    <ReviewDialog
      title={t('scaleTitle')}
      description={t('scaleText')}
      nothing={t('scaleNothing')}
      before={text}
      proposed={proposed}
      top={
        <Field
          className="mb-3 w-56"
          label={t('scaleSize')}
          showLabel
          value={typed}
          onChange={setTyped}
          error={sizeOf(typed) === null ? t('scaleBad') : undefined}
          data-testid="scale-size"
        />
      }
      apply={props.apply}
      close={props.close}
      data-testid="scale-dialog"
    />
  )
}
