import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { useText } from '../../i18n'
import { Button, Panel, TextArea } from '../../ui'
import { failureOf } from '../../api/failures'
import { useNotes, type NotesState } from './use-notes'

/** Free text a person keeps with the run; saved by itself a moment after the last key. */
export function NotesTab(props: { detail: RunDetail }) {
  const { detail } = props
  const { t } = useTranslation('notes')
  const readOnly = detail.writer === 'other-host'
  const notes = useNotes(detail.summary.id, detail.notes)
  return (
    <div className="flex min-h-0 flex-1 flex-col p-3">
      <Panel
        className="flex min-h-0 flex-1 flex-col"
        title={t('title')}
        sub={t('sub')}
        actions={readOnly ? undefined : <SaveState notes={notes} />}
      >
        {notes.theirs === null ? null : <Conflict notes={notes} />}
        {readOnly ? <div className="callout info mx-3 mb-2">{t('readOnly')}</div> : null}
        <div className="flex min-h-0 flex-1 px-3 pb-3">
          {readOnly ? (
            <div className="code flex-1 overflow-auto">{detail.notes}</div>
          ) : (
            <TextArea
              className="flex-1 resize-none"
              mono
              label={t('title')}
              placeholder={t('placeholder')}
              value={notes.text}
              onChange={notes.edit}
              data-testid="notes"
            />
          )}
        </div>
      </Panel>
    </div>
  )
}

function SaveState(props: { notes: NotesState }) {
  const { notes } = props
  const { t } = useTranslation('notes')
  const text = useText()
  switch (notes.status.kind) {
    case 'saved':
      return (
        <span className="t2 text-xs" data-testid="notes-saved">
          {t('saved')}
        </span>
      )
    case 'saving':
      return <span className="t2 text-xs">{t('saving')}</span>
    case 'unsaved':
      return (
        <>
          <span className="t2 text-xs">{t('unsaved')}</span>
          <Button size="small" onClick={notes.save}>
            {t('saveNow')}
          </Button>
        </>
      )
    case 'failed':
      return (
        <>
          <span className="c-fail text-xs" role="alert">
            {t('failed', { why: text(failureOf(notes.status.thrown).what) })}
          </span>
          <Button size="small" onClick={notes.save}>
            {t('saveNow')}
          </Button>
        </>
      )
  }
}

function Conflict(props: { notes: NotesState }) {
  const { t } = useTranslation('notes')
  return (
    <div className="callout warn mx-3 mb-2 flex items-center gap-2" role="alert">
      <span className="flex-1">{t('changedElsewhere')}</span>
      <Button size="small" onClick={props.notes.takeTheirs}>
        {t('takeTheirs')}
      </Button>
      <Button size="small" onClick={props.notes.keepMine}>
        {t('keepMine')}
      </Button>
    </div>
  )
}
