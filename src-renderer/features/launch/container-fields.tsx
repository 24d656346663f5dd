import { useQuery } from '@tanstack/react-query'
import { useId, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Plan } from '@contract/launch'
import type { TargetStatus } from '@contract/targets'
import { imagesQuery } from '../../api/queries'
import { formatBytes } from '../../i18n'
import { Field, Panel } from '../../ui'
import { PathField } from '../errands'
import { FailureNote } from '../shared/failure-note'
import { ContainerErrands } from './container-errands'
import { hasWrongSize, type ContainerTexts } from './container-draft'

const places = { models: '/root/models', state: '/var/lib/reef', checkout: '/workspace/Reef' }

/** Where a stack in a container finds its things, and who it is there. Empty fields take what the plan shows. */
export function ContainerFields(props: {
  texts: ContainerTexts
  target: TargetStatus | undefined
  /** What the choices so far came to: its values stand in the empty fields. */
  plan: Plan | undefined
  /** A NexRL driver takes an image and has no places of Reef. */
  onlyImage: boolean
  change: (texts: ContainerTexts) => void
}) {
  const { texts, target, plan, onlyImage } = props
  const { t } = useTranslation('launch')
  const list = useId()
  const images = useQuery({
    ...imagesQuery(target?.spec.id ?? ''),
    enabled: target !== undefined && target.reachable !== 'no'
  })
  const set = (name: keyof ContainerTexts) => (value: string) =>
    props.change({ ...texts, [name]: value })
  const known = images.data?.find(({ reference }) => reference === texts.image.trim())
  const gpus = target?.gpus ?? []
  return (
    <Panel
      className="flex-none"
      title={t('container')}
      sub={t('containerSub')}
      actions={
        target === undefined || onlyImage ? undefined : (
          <ContainerErrands
            target={target.spec.id}
            checkout={texts.checkout.trim() || hostOf(plan, places.checkout)}
            built={(image) => {
              void images.refetch()
              props.change({ ...texts, image })
            }}
            cloned={(checkout) => props.change({ ...texts, checkout })}
          />
        )
      }
      data-testid="container-fields"
    >
      <datalist id={list}>
        {images.data?.map(({ reference }) => (
          <option key={reference} value={reference} />
        ))}
      </datalist>
      <div className="grid grid-cols-2 gap-3 px-3 pb-3">
        <Entry hint={t('imageHint')} wide>
          <Field
            label={t('image')}
            showLabel
            mono
            list={list}
            placeholder={plan?.image ?? ''}
            value={texts.image}
            note={known === undefined ? undefined : formatBytes(known.bytes)}
            onChange={set('image')}
            data-testid="container-image"
          />
        </Entry>
        {onlyImage ? null : (
          <>
            {(['models', 'state', 'checkout'] as const).map((name) => (
              <Entry key={name} hint={t('placeHint', { inside: places[name] })}>
                <PathField
                  label={t(`place.${name}`)}
                  placeholder={hostOf(plan, places[name])}
                  pickable={isNear(target)}
                  value={texts[name]}
                  set={set(name)}
                  testId={`container-${name}`}
                />
              </Entry>
            ))}
            <Entry hint={t('userHint')}>
              <Field
                label={t('user')}
                showLabel
                mono
                placeholder={plan?.user ?? t('userNone')}
                value={texts.user}
                onChange={set('user')}
                data-testid="container-user"
              />
            </Entry>
            <Entry
              hint={
                gpus.length === 0
                  ? t('gpusHint')
                  : t('gpusThere', {
                      list: gpus.map((gpu) => `${gpu.index} ${gpu.name}`).join(', ')
                    })
              }
            >
              <Field
                label={t('gpus')}
                showLabel
                mono
                placeholder={plan?.gpus.devices?.length === 0 ? t('noGpus') : t('gpusAll')}
                value={texts.gpus}
                onChange={set('gpus')}
                data-testid="container-gpus"
              />
            </Entry>
            <Entry hint={t('shmHint')}>
              <Field
                label={t('shm')}
                showLabel
                mono
                placeholder={
                  plan === undefined || plan.shmBytes === null ? '' : formatBytes(plan.shmBytes)
                }
                value={texts.shmBytes}
                error={hasWrongSize(texts) ? t('shmWrong') : undefined}
                onChange={set('shmBytes')}
                data-testid="container-shm"
              />
            </Entry>
            <Entry hint={t('composeHint')}>
              <PathField
                label={t('compose')}
                placeholder={t('composeNone')}
                value={texts.compose}
                set={set('compose')}
                testId="container-compose"
              />
            </Entry>
            <Entry hint={t('composeServiceHint')}>
              <Field
                label={t('composeService')}
                showLabel
                mono
                placeholder={plan?.compose?.service ?? 'reef'}
                value={texts.composeService}
                onChange={set('composeService')}
                data-testid="container-compose-service"
              />
            </Entry>
          </>
        )}
      </div>
      {images.isError ? <FailureNote className="mx-3 mb-3" thrown={images.error} /> : null}
    </Panel>
  )
}

/** What the plan mounts there. */
function hostOf(plan: Plan | undefined, inside: string): string {
  return plan?.mounts.find(({ container }) => container === inside)?.host ?? ''
}

/** The target's folders are this computer's, so that they can be picked. */
function isNear(target: TargetStatus | undefined): boolean {
  return target?.spec.kind === 'docker' && target.spec.via.kind === 'socket'
}

function Entry(props: { hint: string; wide?: boolean; children: ReactNode }) {
  return (
    <div className={props.wide === true ? 'col-span-2' : ''}>
      {props.children}
      <p className="t2 mt-1">{props.hint}</p>
    </div>
  )
}
