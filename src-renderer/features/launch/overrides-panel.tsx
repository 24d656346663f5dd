import { Plus, X } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import type { Override } from '@contract/launch'
import type { ResolvedValue } from '@contract/recipes'
import { Button, Field, IconButton, Panel } from '../../ui'

/** Fields given another value for this launch only. */
export function OverridesPanel(props: {
  overrides: readonly Override[]
  resolved: readonly ResolvedValue[]
  onChange: (overrides: readonly Override[]) => void
}) {
  const { overrides, resolved, onChange } = props
  const { t } = useTranslation('launch')
  const list = useId()
  const change = (at: number, part: Partial<Override>): void =>
    onChange(overrides.map((each, i) => (i === at ? { ...each, ...part } : each)))
  return (
    <Panel
      className="flex-none"
      title={t('overrides')}
      sub={t('overridesSub')}
      actions={
        <Button
          size="small"
          icon={Plus}
          onClick={() => onChange([...overrides, { path: '', value: '' }])}
          data-testid="add-override"
        >
          {t('addOverride')}
        </Button>
      }
    >
      <datalist id={list}>
        {resolved.map((value) => (
          <option key={value.path} value={value.path} />
        ))}
      </datalist>
      <div className="px-3 pb-3">
        {overrides.length === 0 ? <div className="t2">{t('noOverrides')}</div> : null}
        {overrides.map((override, i) => (
          <div
            key={i}
            className="grid grid-cols-[minmax(0,1fr)_minmax(0,160px)_minmax(0,120px)_24px] items-center gap-2 py-1"
          >
            <Field
              mono
              label={t('overridePath')}
              placeholder={t('overridePath')}
              list={list}
              value={override.path}
              onChange={(path) => change(i, { path })}
              data-testid={`override-path-${i}`}
            />
            <Field
              mono
              label={t('overrideValue')}
              placeholder={t('overrideValue')}
              value={override.value}
              onChange={(value) => change(i, { value })}
              data-testid={`override-value-${i}`}
            />
            <InRecipe path={override.path} resolved={resolved} />
            <IconButton
              size="small"
              variant="ghost"
              icon={X}
              label={t('removeOverride')}
              onClick={() => onChange(overrides.filter((_each, at) => at !== i))}
            />
          </div>
        ))}
      </div>
    </Panel>
  )
}

function InRecipe(props: { path: string; resolved: readonly ResolvedValue[] }) {
  const { t } = useTranslation('launch')
  const known = props.resolved.find((value) => value.path === props.path)
  if (known === undefined || known.origin.kind === 'override') return <span />
  return (
    <span className="t2 el" title={`${t('overrideNow')}: ${known.value}`}>
      <span className="mono">{known.value}</span>
    </span>
  )
}
