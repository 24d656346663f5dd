import { ChevronDown } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button, Menu } from '../../ui'

/** Which scenario; nothing to choose where there is one only. */
export function ScenarioChoice(props: {
  value: string
  scenarios: readonly string[]
  onChange: (scenario: string) => void
}) {
  const { t } = useTranslation('talk')
  return (
    <Menu
      trigger={
        <Button aria-label={t('scenario')} data-testid="scenario-choice">
          <span className="t2">{t('scenario')}</span>
          <span className="el max-w-48" translate="no" title={props.value}>
            {props.value}
          </span>
          <ChevronDown aria-hidden className="ic s t2" />
        </Button>
      }
      entries={props.scenarios.map((name) => ({
        kind: 'item',
        id: `scenario-${name}`,
        label: name,
        checked: name === props.value,
        run: () => props.onChange(name)
      }))}
    />
  )
}
