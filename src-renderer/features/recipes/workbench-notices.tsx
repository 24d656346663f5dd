import { useMutation, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state'
import { Banner, Button, Dialog, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { DiffBox } from './review-dialogs'
import { forgetDraft } from './use-draft-keeper'
import { rereadFromDisk } from './use-disk'
import type { RecipeActs } from './use-recipe-acts'
import { workbench, type RecipeDoc } from './workbench'

/** What a person must know about the open file, each with what to do. */
export function WorkbenchNotices(props: {
  doc: RecipeDoc
  disk: 'same' | 'changed' | 'gone'
  acts: RecipeActs
}) {
  const { doc, disk, acts } = props
  const { t } = useTranslation('recipes')
  return (
    <>
      {acts.save.isError ? (
        <FailureNote className="m-2" thrown={acts.save.error} retry={() => acts.save.mutate()} />
      ) : null}
      {doc.readOnly ? <Banner tone="idle">{t('readOnlyBanner')}</Banner> : null}
      {disk === 'gone' ? (
        <Banner tone="warn" data-testid="recipe-gone">
          {t('goneBanner')}
        </Banner>
      ) : null}
      {disk === 'changed' ? <ChangedNotice doc={doc} settled={acts.save.reset} /> : null}
      {doc.draft === null ? null : <DraftNotice doc={doc} />}
    </>
  )
}

/** `settled` is told when the person has decided, so that a refused save no longer stands on screen. */
function ChangedNotice(props: { doc: RecipeDoc; settled: () => void }) {
  const { path, text } = props.doc
  const { t } = useTranslation('recipes')
  const [looking, setLooking] = useState(false)
  const reread = useMutation({
    mutationFn: (keepEdits: boolean) => rereadFromDisk(path, keepEdits),
    onSuccess: props.settled
  })
  return (
    <>
      <Banner
        tone="warn"
        data-testid="recipe-changed"
        action={
          <span className="flex gap-2">
            <Button size="small" onClick={() => setLooking(true)}>
              {t('seeBoth')}
            </Button>
            <Button size="small" onClick={() => reread.mutate(false)} data-testid="take-disk">
              {t('takeDisk')}
            </Button>
            <Button size="small" onClick={() => reread.mutate(true)} data-testid="keep-mine">
              {t('keepMine')}
            </Button>
          </span>
        }
      >
        {t('changedBanner')}
      </Banner>
      {reread.isError ? <FailureNote className="m-2" thrown={reread.error} /> : null}
      {looking ? <DiskDialog path={path} text={text} close={() => setLooking(false)} /> : null}
    </>
  )
}

function DiskDialog(props: { path: string; text: string; close: () => void }) {
  const { path } = props
  const { t } = useTranslation(['recipes', 'common'])
  const file = useQuery({
    queryKey: ['recipe-on-disk', path],
    queryFn: ({ signal }) => engine.recipes.read({ path }, { signal }),
    staleTime: 0,
    gcTime: 0
  })
  return (
    <Dialog
      open
      onClose={props.close}
      title={t('recipes:seeBothTitle')}
      description={t('recipes:seeBothText')}
      width={1040}
      footer={<Button onClick={props.close}>{t('common:close')}</Button>}
    >
      {file.isError ? <FailureNote thrown={file.error} /> : null}
      {file.isPending ? <Skeleton className="h-64" /> : null}
      {file.data === undefined ? null : <DiffBox before={file.data.text} after={props.text} />}
    </Dialog>
  )
}

function DraftNotice(props: { doc: RecipeDoc }) {
  const { doc } = props
  const { t } = useTranslation(['recipes', 'common'])
  const language = useLanguage()
  const now = useNow()
  const [looking, setLooking] = useState(false)
  const discard = useMutation({
    mutationFn: () => forgetDraft(doc.path),
    onSuccess: () => workbench.getState().dropDraft(doc.path)
  })
  const { draft } = doc
  if (draft === null) return null
  const when = formatWhen(draft.at, now, language)
  return (
    <>
      <Banner
        tone="running"
        data-testid="recipe-draft"
        action={
          <span className="flex gap-2">
            <Button size="small" onClick={() => setLooking(true)}>
              {t('recipes:draftSee')}
            </Button>
            <Button
              size="small"
              onClick={() => workbench.getState().restoreDraft(doc.path)}
              data-testid="draft-restore"
            >
              {t('recipes:draftRestore')}
            </Button>
            <Button size="small" onClick={() => discard.mutate()} data-testid="draft-discard">
              {t('recipes:draftDiscard')}
            </Button>
          </span>
        }
      >
        {draft.modified === doc.modified
          ? t('recipes:draftBanner', { when })
          : t('recipes:draftChanged', { when })}
      </Banner>
      {discard.isError ? <FailureNote className="m-2" thrown={discard.error} /> : null}
      {looking ? (
        <Dialog
          open
          onClose={() => setLooking(false)}
          title={t('recipes:draftTitle')}
          description={t('recipes:draftText')}
          width={1040}
          footer={<Button onClick={() => setLooking(false)}>{t('common:close')}</Button>}
        >
          <DiffBox before={doc.base} after={draft.text} />
        </Dialog>
      ) : null}
    </>
  )
}
