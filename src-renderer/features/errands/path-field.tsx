import { useMutation } from '@tanstack/react-query'
import { FolderOpen } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { Field, IconButton } from '../../ui'
import { FailureNote } from '../shared/failure-note'

/** A folder of this computer, typed or picked. */
export function PathField(props: {
  label: string
  value: string
  set: (path: string) => void
  placeholder?: string
  /** Picking makes no sense for a folder of another machine. */
  pickable?: boolean
  error?: string | undefined
  testId: string
}) {
  const { t } = useTranslation('errands')
  const pick = useMutation({
    mutationFn: () => engine.host.pick({ what: 'folder' }),
    onSuccess: ({ path }) => {
      if (path !== null) props.set(path)
    }
  })
  return (
    <div>
      <div className="flex items-end gap-1">
        <Field
          className="flex-1"
          label={props.label}
          showLabel
          mono
          placeholder={props.placeholder ?? ''}
          value={props.value}
          onChange={props.set}
          data-testid={props.testId}
        />
        {props.pickable === false ? null : (
          <IconButton icon={FolderOpen} label={t('chooseFolder')} onClick={() => pick.mutate()} />
        )}
      </div>
      {props.error === undefined ? null : (
        <div role="alert" className="c-fail mt-1">
          {props.error}
        </div>
      )}
      {pick.isError ? <FailureNote className="mt-1" thrown={pick.error} /> : null}
    </div>
  )
}
