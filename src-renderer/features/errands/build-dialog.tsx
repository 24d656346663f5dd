import { skipToken, useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { CheckoutFacts, ErrandRequest } from '@contract/errands'
import { engine } from '../../api/client'
import { Field, Segmented } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ErrandDialog } from './errand-dialog'
import { PathField } from './path-field'

/** No name a stage can have: it begins with a letter. */
const LAST = ':last'

/** Builds Reef's image for the engine of a target. `use` gets the image's name. */
export function BuildDialog(props: {
  target: string
  /** Folder to begin with. */
  checkout: string
  shown: string | null
  use: (reference: string) => void
  close: () => void
}) {
  const { t } = useTranslation('errands')
  const [checkout, setCheckout] = useState(props.checkout)
  const [reference, setReference] = useState('reef')
  const [stage, setStage] = useState(LAST)
  const [values, setValues] = useState<Readonly<Record<string, string>>>({})
  const folder = checkout.trim()
  const look = useQuery({
    queryKey: ['checkout', folder],
    queryFn:
      folder === '' ? skipToken : ({ signal }) => engine.errands.checkout({ folder }, { signal }),
    staleTime: 0,
    retry: false
  })
  const facts = look.data
  const ready = facts?.buildable === true && reference.trim() !== ''
  const request: ErrandRequest | null = ready
    ? {
        kind: 'build',
        target: props.target,
        checkout: folder,
        reference: reference.trim(),
        ...(facts.stages.includes(stage) ? { stage } : {}),
        arguments: facts.arguments.flatMap(({ name }) => {
          const value = values[name] ?? ''
          return value === '' ? [] : [{ name, value }]
        })
      }
    : null
  return (
    <ErrandDialog
      title={t('buildTitle')}
      sub={t('buildSub')}
      startLabel={t('startBuild')}
      shown={props.shown}
      request={request}
      off={ready ? undefined : look.isFetching ? t('looking') : t('needed')}
      use={(done) => {
        if (done.kind === 'build') props.use(done.reference)
      }}
      close={props.close}
      testId="build-dialog"
    >
      <div className="flex flex-col gap-3">
        <PathField
          label={t('checkout')}
          value={checkout}
          set={setCheckout}
          error={facts?.buildable === false ? t('notBuildable') : undefined}
          testId="build-checkout"
        />
        {facts === undefined || facts.commit === null ? null : (
          <div className="t2 mono">
            {t('checkoutNow', { commit: `${facts.commit.slice(0, 10)} ${facts.branch ?? ''}` })}
          </div>
        )}
        {look.isError ? <FailureNote thrown={look.error} /> : null}
        <Field
          label={t('reference')}
          showLabel
          mono
          value={reference}
          onChange={setReference}
          data-testid="build-reference"
        />
        {facts?.buildable === true ? (
          <FromDockerfile
            facts={facts}
            stage={stage}
            setStage={setStage}
            values={values}
            setValue={(name, value) => setValues({ ...values, [name]: value })}
          />
        ) : null}
      </div>
    </ErrandDialog>
  )
}

/** What the Dockerfile lets one choose. */
function FromDockerfile(props: {
  facts: CheckoutFacts
  stage: string
  setStage: (stage: string) => void
  values: Readonly<Record<string, string>>
  setValue: (name: string, value: string) => void
}) {
  const { facts, stage, values } = props
  const { t } = useTranslation('errands')
  return (
    <>
      {facts.stages.length === 0 ? null : (
        <div>
          <div className="t2 mb-1">{t('stage')}</div>
          <Segmented
            label={t('stage')}
            value={facts.stages.includes(stage) ? stage : LAST}
            segments={[
              { value: LAST, label: t('stageLast') },
              ...facts.stages.map((name) => ({ value: name, label: name }))
            ]}
            onChange={props.setStage}
            data-testid="build-stage"
          />
        </div>
      )}
      {facts.arguments.length === 0 ? null : (
        <div>
          <div className="t2 mb-1">{t('arguments')}</div>
          <div className="grid grid-cols-2 gap-2">
            {facts.arguments.map(({ name, value }) => (
              <Field
                key={name}
                label={name}
                showLabel
                mono
                placeholder={value ?? t('argumentDefault')}
                value={values[name] ?? ''}
                onChange={(typed) => props.setValue(name, typed)}
                data-testid={`build-arg-${name}`}
              />
            ))}
          </div>
          <p className="t2 mt-1">{t('argumentsHint')}</p>
        </div>
      )}
      {facts.bases.length === 0 ? null : (
        <p className="t2">{t('bases', { list: facts.bases.join(', ') })}</p>
      )}
    </>
  )
}
