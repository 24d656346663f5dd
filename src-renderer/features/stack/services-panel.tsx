import { Check, Circle, CircleQuestionMark, LoaderCircle, Layers, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { RunDetail, ServiceStatus } from '@contract/run'
import { formatDuration, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state'
import { EmptyReason, InlineState, Panel, type StateLook } from '../../ui'
import { isActive } from '../runs'

const looks: Record<ServiceStatus['state'], StateLook> = {
  waiting: { tone: 'idle', icon: Circle },
  starting: { tone: 'running', icon: LoaderCircle, pulse: true },
  ready: { tone: 'ready', icon: Check },
  exited: { tone: 'idle', icon: X },
  unknown: { tone: 'warn', icon: CircleQuestionMark }
}

/** Services coming up one by one, each with what says that it is ready. */
export function ServicesPanel(props: { detail: RunDetail }) {
  const { services } = props.detail
  const { t } = useTranslation('stack')
  const count = (state: ServiceStatus['state']): number =>
    services.filter((service) => service.state === state).length
  return (
    <Panel
      className="flex-none"
      title={t('services')}
      sub={
        services.length === 0
          ? undefined
          : t('servicesSub', {
              ready: count('ready'),
              starting: count('starting'),
              waiting: count('waiting')
            })
      }
      data-testid="services"
    >
      {services.length === 0 ? (
        <EmptyReason icon={Layers} what={t('noServicesWhat')} why={t('noServicesWhy')} />
      ) : (
        <ServiceTable detail={props.detail} />
      )}
    </Panel>
  )
}

function ServiceTable(props: { detail: RunDetail }) {
  const { detail } = props
  const { t } = useTranslation('stack')
  return (
    <table className="tbl mb-2 table-fixed">
      <thead>
        <tr>
          <th className="w-[168px]" style={{ paddingLeft: 12 }}>
            {t('service')}
          </th>
          <th className="w-[96px]">{t('state')}</th>
          <th className="r w-[84px]">{t('took')}</th>
          <th>{t('readiness')}</th>
        </tr>
      </thead>
      <tbody>
        {detail.services.map((service) => (
          <ServiceRow
            key={service.name}
            service={service}
            running={isActive(detail.summary.state)}
          />
        ))}
      </tbody>
    </table>
  )
}

function ServiceRow(props: { service: ServiceStatus; running: boolean }) {
  const { service, running } = props
  const { t } = useTranslation('states')
  const text = useText()
  const language = useLanguage()
  const now = useNow()
  const since = running && service.state !== 'exited' ? service.since : null
  return (
    <tr data-testid={`service-${service.name}`} data-state={service.state}>
      <td className="el font-medium" style={{ paddingLeft: 12 }} title={service.name}>
        {service.name}
      </td>
      <td>
        <InlineState look={looks[service.state]}>{t(`service.${service.state}`)}</InlineState>
      </td>
      <td className="r t2">{since === null ? '' : formatDuration(now - since, language)}</td>
      <td className="t2 el" title={text(service.readiness)}>
        {text(service.readiness)}
        {service.url === null ? null : <span className="mono"> {service.url}</span>}
      </td>
    </tr>
  )
}
