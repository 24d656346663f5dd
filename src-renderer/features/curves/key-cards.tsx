import { useTranslation } from 'react-i18next'
import { useText } from '../../i18n'
import type { KeyNote } from './panel-plan'

/** What the metrics of a panel mean: description, unit, what is healthy, and what trouble looks like. */
export function KeyCards(props: { infos: readonly KeyNote[]; names: readonly string[] }) {
  const unknown = props.names.filter((name) => props.infos.every((info) => info.key !== name))
  return (
    <span className="hint-card" data-testid="key-cards">
      {props.infos.map((info) => (
        <KeyCard key={info.key} info={info} />
      ))}
      {unknown.map((name) => (
        <span key={name} className="mono font-medium">
          {name}
        </span>
      ))}
    </span>
  )
}

function KeyCard(props: { info: KeyNote }) {
  const { info } = props
  const { t } = useTranslation('charts')
  const text = useText()
  return (
    <span className="grid gap-0.5">
      <span className="mono font-medium">{info.key}</span>
      {info.description === undefined ? null : <span>{text(info.description)}</span>}
      {info.unit === undefined ? null : (
        <span className="t2">{t('unit', { text: text(info.unit) })}</span>
      )}
      {info.healthy === undefined ? null : (
        <span className="c-ready">{t('healthy', { text: text(info.healthy) })}</span>
      )}
      {info.failure === undefined ? null : (
        <span className="c-warn">{t('failure', { text: text(info.failure) })}</span>
      )}
    </span>
  )
}
