import { useTranslation } from 'react-i18next'
import type { NexrlPlan } from '@contract/nexrl'
import { useText } from '../../i18n'

/** The variables a NexRL launch stands on, by name, with why. */
export function VariablesList(props: { plan: NexrlPlan }) {
  const { t } = useTranslation('nexrl')
  const text = useText()
  return (
    <>
      <h2>{t('variables')}</h2>
      <div data-testid="nexrl-variables">
        {props.plan.variables.map(({ name, need, from, why }) => (
          <div key={name} className="border-b border-line-1 py-1 last:border-b-0">
            <div className="flex items-baseline gap-3">
              <span className="mono break-all">{name}</span>
              <span className="t2 ml-auto flex-none">
                {from === 'launch' ? t('setByLaunch') : t(need)}
              </span>
            </div>
            <div className="t2">{text(why)}</div>
          </div>
        ))}
      </div>
    </>
  )
}
