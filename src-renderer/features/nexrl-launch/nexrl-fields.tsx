import { useTranslation } from 'react-i18next'
import type { NexrlChoices, NexrlPlan } from '@contract/nexrl'
import { Checkbox, Field, Panel, Segmented } from '../../ui'

/** How a NexRL recipe is started. `plan`: what the engine made of the choices so far. */
export function NexrlFields(props: {
  choices: NexrlChoices
  plan: NexrlPlan | undefined
  change: (choices: NexrlChoices) => void
}) {
  const { choices, plan } = props
  const { t } = useTranslation('nexrl')
  const way = choices.way ?? 'driver'
  const mode = choices.mode ?? plan?.mode ?? 'training-service'
  const set = (part: NexrlChoices): void => props.change({ ...choices, ...part })
  return (
    <Panel
      className="flex-none"
      title={t('launch')}
      sub={t('launchSub')}
      data-testid="nexrl-fields"
    >
      <div className="flex flex-col gap-3 px-3 pb-3">
        <div>
          <div className="t2 mb-1">{t('way')}</div>
          <Segmented
            label={t('way')}
            value={way}
            segments={[
              { value: 'driver', label: t('wayDriver') },
              { value: 'kubernetes', label: t('wayKubernetes') }
            ]}
            onChange={(next) => set({ way: next })}
            data-testid="nexrl-way"
          />
          <p className="t2 mt-1">
            {way === 'driver' ? t('wayDriverHint') : t('wayKubernetesHint')}
          </p>
        </div>
        <div>
          <div className="t2 mb-1">{t('mode')}</div>
          <Segmented
            label={t('mode')}
            value={mode}
            segments={[
              { value: 'training-service', label: t('modeService') },
              { value: 'self-hosted', label: t('modeOwn') }
            ]}
            onChange={(next) =>
              set({ mode: next, ...(next === 'self-hosted' ? {} : { inferenceUrl: undefined }) })
            }
            data-testid="nexrl-mode"
          />
          <p className="t2 mt-1">{t('modeHint')}</p>
        </div>
        {way === 'kubernetes' ? (
          <ForCluster choices={choices} own={mode === 'self-hosted'} set={set} />
        ) : null}
        <div className="grid grid-cols-2 gap-3">
          <Text
            name={t('python')}
            hint={t('pythonHint')}
            value={choices.python}
            set={(python) => set({ python })}
            testId="nexrl-python"
          />
          <Text
            name={t('checkout')}
            hint={plan?.checkout ?? t('checkoutHint')}
            value={choices.checkout}
            set={(checkout) => set({ checkout })}
            testId="nexrl-checkout"
          />
          {plan?.service === 'weaver' ? (
            <div className="col-span-2">
              <Field
                className="w-64"
                label={t('extendEvery')}
                showLabel
                value={String(choices.extendEvery ?? 0)}
                onChange={(typed) => {
                  const every = Number(typed)
                  if (Number.isInteger(every) && every >= 0) set({ extendEvery: every })
                }}
                data-testid="nexrl-extend"
              />
              <p className="t2 mt-1">{t('extendEveryHint')}</p>
            </div>
          ) : null}
        </div>
      </div>
    </Panel>
  )
}

function ForCluster(props: {
  choices: NexrlChoices
  own: boolean
  set: (part: NexrlChoices) => void
}) {
  const { choices, own, set } = props
  const { t } = useTranslation('nexrl')
  return (
    <>
      <label className="flex items-start gap-2">
        <Checkbox
          checked={choices.runNexrl ?? true}
          label={t('runNexrl')}
          onChange={(runNexrl) => set({ runNexrl })}
          data-testid="nexrl-run"
        />
        <span>
          <span>{t('runNexrl')}</span>
          <span className="t2 block">{t('runNexrlHint')}</span>
        </span>
      </label>
      <Text
        name={t('tag')}
        hint={t('tagHint')}
        value={choices.tag}
        set={(tag) => set({ tag })}
        testId="nexrl-tag"
      />
      {own ? (
        <Text
          name={t('inferenceUrl')}
          hint={t('inferenceUrlHint')}
          value={choices.inferenceUrl}
          set={(inferenceUrl) => set({ inferenceUrl })}
          testId="nexrl-inference-url"
        />
      ) : null}
    </>
  )
}

function Text(props: {
  name: string
  hint: string
  value: string | undefined
  set: (value: string | undefined) => void
  testId: string
}) {
  return (
    <Field
      label={props.name}
      showLabel
      mono
      placeholder={props.hint}
      value={props.value ?? ''}
      onChange={(value) => props.set(value === '' ? undefined : value)}
      data-testid={props.testId}
    />
  )
}
