import { useMutation, useQueryClient } from '@tanstack/react-query'
import { Plug } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TargetSpec } from '@contract/targets'
import { engine } from '../../api/client'
import { targetsQuery } from '../../api/queries'
import { Button, Field, Panel } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { readAddress } from './target-address'

/** Takes an address, adds it as a target and shows what the engine found there. */
export function AddTarget(props: { onAdded: (id: string) => void }) {
  const { t } = useTranslation('settings')
  const client = useQueryClient()
  const [address, setAddress] = useState('')
  const [wrong, setWrong] = useState(false)
  const add = useMutation({
    mutationFn: (spec: TargetSpec) => engine.targets.add(spec),
    onSuccess: (status) => {
      setAddress('')
      props.onAdded(status.spec.id)
      void client.invalidateQueries({ queryKey: targetsQuery.queryKey })
    }
  })
  const submit = (): void => {
    const reading = readAddress(address)
    setWrong(reading.kind === 'unreadable')
    if (reading.kind === 'ok') add.mutate(reading.spec)
  }
  return (
    <Panel className="m-4 flex-none" title={t('addTitle')} sub={t('addSub')}>
      <div className="flex items-start gap-2 px-3 pb-3">
        <Field
          className="flex-1"
          mono
          icon={Plug}
          label={t('address')}
          placeholder={t('addressHint')}
          value={address}
          onChange={(value) => {
            setAddress(value)
            setWrong(false)
          }}
          error={wrong ? t('addressBad') : undefined}
          onKeyDown={(event) => {
            if (event.key === 'Enter') submit()
          }}
          data-testid="target-address"
        />
        <Button
          off={add.isPending ? t('checking') : undefined}
          onClick={submit}
          data-testid="add-target"
        >
          {add.isPending ? t('checking') : t('add')}
        </Button>
      </div>
      {add.isError ? <FailureNote className="mx-3 mb-3" thrown={add.error} /> : null}
    </Panel>
  )
}
