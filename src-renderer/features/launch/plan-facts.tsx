import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { Plan } from '@contract/launch'
import { formatBytes, formatCount, formatDuration, useLanguage, useText } from '../../i18n'
import { KeyValues } from '../../ui'
import { useTargetName } from '../shared/use-target-name'

/** Image, ports, GPUs and the like as names and values. */
export function PlanFacts(props: { plan: Plan }) {
  const { plan } = props
  const { t } = useTranslation('launch')
  const targetName = useTargetName()
  const kind = {
    process: t('kindProcess'),
    docker: t('kindDocker'),
    attach: t('kindAttach'),
    import: t('kindImport')
  }[plan.target.kind]
  const rollback = {
    api: t('rollbackApi'),
    redeploy: t('rollbackRedeploy'),
    none: t('rollbackNone')
  }[plan.rollback]
  const text = useText()
  const roles = plan.gpus.roles.map(({ gpus, role, label }) =>
    t('gpuRole', { n: gpus, role: label === undefined ? role : text(label) })
  )
  return (
    <KeyValues
      rows={[
        [t('target'), targetName(plan.target)],
        [t('kind'), kind],
        [
          t('image'),
          plan.image === null ? (
            t('noImage')
          ) : (
            <span className="mono" key="image">
              {plan.image}
            </span>
          )
        ],
        [
          t('gpus'),
          plan.gpus.count === 0 ? t('noGpus') : roles.join(t('gpuRoleJoin')) || plan.gpus.count
        ],
        ...(plan.user === undefined
          ? []
          : [
              [
                t('user'),
                <span className="mono" key="user">
                  {plan.user}
                </span>
              ] as const
            ]),
        ...(plan.shmBytes === null ? [] : [[t('shm'), formatBytes(plan.shmBytes)] as const]),
        [
          plan.nexrl === undefined ? t('batch') : t('trajectories'),
          plan.batch === null ? null : formatCount(plan.batch)
        ],
        [t('rollback'), rollback]
      ]}
    />
  )
}

/** Ports, services, what is written, mounts, environment and companions. */
export function PlanLists(props: { plan: Plan }) {
  const { plan } = props
  const { t } = useTranslation('launch')
  const text = useText()
  const language = useLanguage()
  return (
    <>
      <List
        head={t('services')}
        rows={plan.services.map((service, i) => [
          <span key="name" className="font-medium">
            <span className="t2 num mr-2">{i + 1}</span>
            {service.name}
          </span>,
          text(service.readiness),
          t('deadline', { time: formatDuration(service.deadline * 1000, language) })
        ])}
      />
      <List
        head={t('ports')}
        rows={plan.ports.map((port) => [
          <span key="port" className="mono">
            {port.port}
          </span>,
          port.what,
          ''
        ])}
      />
      <List
        head={t('writes')}
        rows={plan.writes.map((write) => [
          <span key="path" className="mono break-all">
            {write.path}
          </span>,
          '',
          write.what
        ])}
      />
      <List
        head={t('mounts')}
        rows={plan.mounts.map((mount) => [
          <span key="host" className="mono break-all">
            {mount.host}
          </span>,
          <span key="container" className="mono break-all">
            {mount.container}
          </span>,
          mount.readOnly ? t('readOnly') : t('readWrite')
        ])}
      />
      <List
        head={t('environment')}
        rows={plan.environment.map((variable) => [
          <span key="name" className="mono break-all">
            {variable.name}
          </span>,
          <span key="value" className="mono break-all">
            {variable.value ?? ''}
          </span>,
          variable.value === null ? t('secret') : ''
        ])}
      />
      <List
        head={t('overrides')}
        rows={plan.overrides.map((override) => [
          <span key="path" className="mono break-all">
            {override.path}
          </span>,
          <span key="value" className="mono break-all">
            {override.value}
          </span>,
          ''
        ])}
      />
      <List
        head={t('companions')}
        rows={plan.companions.map((companion) => [
          companion.name,
          <span key="command" className="mono break-all">
            {companion.command.join(' ')}
          </span>,
          companion.image ?? t(`companionPlace.${companion.where}`)
        ])}
      />
    </>
  )
}

function List(props: {
  head: string
  rows: readonly (readonly [ReactNode, ReactNode, ReactNode])[]
}) {
  if (props.rows.length === 0) return null
  return (
    <>
      <h2>{props.head}</h2>
      <div>
        {props.rows.map(([name, middle, end], i) => (
          <div
            key={i}
            className="flex min-h-6 items-baseline gap-3 border-b border-line-1 py-1 last:border-b-0"
          >
            <span className="max-w-[60%] min-w-[96px] flex-none">{name}</span>
            <span className="t2 min-w-0 flex-1">{middle}</span>
            <span className="t2 num flex-none">{end}</span>
          </div>
        ))}
      </div>
    </>
  )
}
