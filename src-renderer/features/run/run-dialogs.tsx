import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { Button, Dialog, Field } from '../../ui'
import { useRunUpdate } from '../runs'
import { readTags } from '../shared/read-tags'
import { TryItDialog } from '../try-it'
import { runDialogs } from './dialogs-store'
import { RestartDialog } from './restart-dialog'
import { StopDialog } from './stop-dialog'

/** The dialog of the run page that is open, if any. */
export function RunDialogs(props: { detail: RunDetail }) {
  const shown = runDialogs((store) => store.shown)
  const close = runDialogs((store) => store.close)
  switch (shown) {
    case null:
      return null
    case 'stop':
      return <StopDialog detail={props.detail} close={close} />
    case 'restart':
      return <RestartDialog detail={props.detail} close={close} />
    case 'rename':
      return <RenameDialog detail={props.detail} close={close} />
    case 'tags':
      return <TagsDialog detail={props.detail} close={close} />
    case 'try-it':
      return <TryItDialog detail={props.detail} close={close} />
  }
}

function RenameDialog(props: { detail: RunDetail; close: () => void }) {
  const { summary } = props.detail
  const { t } = useTranslation('run')
  const update = useRunUpdate()
  const [name, setName] = useState(summary.name)
  const save = (): void => {
    if (name.trim() === '') return
    props.close()
    if (name.trim() !== summary.name) void update(summary.id, { name: name.trim() })
  }
  return (
    <TextDialog
      title={t('rename')}
      label={t('name')}
      value={name}
      onChange={setName}
      save={save}
      close={props.close}
    />
  )
}

function TagsDialog(props: { detail: RunDetail; close: () => void }) {
  const { summary } = props.detail
  const { t } = useTranslation('run')
  const update = useRunUpdate()
  const [text, setText] = useState(summary.tags.join(', '))
  const save = (): void => {
    props.close()
    void update(summary.id, { tags: readTags(text) })
  }
  return (
    <TextDialog
      title={t('editTags')}
      label={t('tagsLabel')}
      value={text}
      onChange={setText}
      save={save}
      close={props.close}
    />
  )
}

function TextDialog(props: {
  title: string
  label: string
  value: string
  onChange: (value: string) => void
  save: () => void
  close: () => void
}) {
  const { t } = useTranslation(['run', 'common'])
  return (
    <Dialog
      open
      onClose={props.close}
      title={props.title}
      width={440}
      onConfirm={props.save}
      footer={
        <>
          <Button onClick={props.close} keys="Escape">
            {t('common:cancel')}
          </Button>
          <Button variant="primary" keys="Mod+Enter" onClick={props.save}>
            {t('run:save')}
          </Button>
        </>
      }
    >
      <Field
        label={props.label}
        showLabel
        value={props.value}
        onChange={props.onChange}
        onKeyDown={(event) => {
          if (event.key === 'Enter' && !event.nativeEvent.isComposing) props.save()
        }}
        data-testid="dialog-field"
      />
    </Dialog>
  )
}
