import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ErrandRequest } from '@contract/errands'
import { Checkbox, Field } from '../../ui'
import { ErrandDialog } from './errand-dialog'
import { PathField } from './path-field'

/** Clones a repository whose address a person types. `use` gets its folder. */
export function CloneDialog(props: {
  shown: string | null
  use: (folder: string) => void
  close: () => void
}) {
  const { t } = useTranslation('errands')
  const [address, setAddress] = useState('')
  const [folder, setFolder] = useState('')
  const [largeFiles, setLargeFiles] = useState(true)
  const whole = address.trim() !== '' && folder.trim() !== ''
  const request: ErrandRequest | null = whole
    ? { kind: 'clone', address: address.trim(), folder: folder.trim(), largeFiles }
    : null
  return (
    <ErrandDialog
      title={t('cloneTitle')}
      sub={t('cloneSub')}
      startLabel={t('startClone')}
      shown={props.shown}
      request={request}
      off={whole ? undefined : t('needed')}
      use={(done) => {
        if (done.kind === 'clone') props.use(done.folder)
      }}
      close={props.close}
      testId="clone-dialog"
    >
      <div className="flex flex-col gap-3">
        <Field
          label={t('address')}
          showLabel
          mono
          placeholder="https://…/reef.git"
          value={address}
          onChange={setAddress}
          data-testid="clone-address"
        />
        <PathField label={t('folder')} value={folder} set={setFolder} testId="clone-folder" />
        <label className="flex items-center gap-2">
          <Checkbox checked={largeFiles} label={t('largeFiles')} onChange={setLargeFiles} />
          {t('largeFiles')}
        </label>
      </div>
    </ErrandDialog>
  )
}
