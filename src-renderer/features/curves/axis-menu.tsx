import type { KeyInfo } from '@contract/metrics'
import { Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AxisKind } from '../../charts'
import { Button, Menu, Segmented } from '../../ui'
import { curvePrefs } from './curve-prefs'

/** The axis as it can be drawn for a run: a metric that the run does not have gives way to its steps. */
export function axisFor(
  prefs: { readonly axis: AxisKind; readonly axisKey: string | null },
  keys: readonly Pick<KeyInfo, 'key'>[]
): { readonly axis: AxisKind; readonly axisKey: string | null } {
  if (prefs.axis !== 'metric') return { axis: prefs.axis, axisKey: null }
  const known = keys.some(({ key }) => key === prefs.axisKey)
  return known ? prefs : { axis: 'step', axisKey: null }
}

/** What x is: the three usual ones at hand, the rollout and every metric in a menu. */
export function AxisMenu(props: {
  axis: AxisKind
  axisKey: string | null
  keys: readonly Pick<KeyInfo, 'key'>[]
}) {
  const { t } = useTranslation('curves')
  const { change } = curvePrefs()
  const { axis, axisKey } = props
  const chosen = axis === 'rollout' ? t('axisRollout') : axis === 'metric' ? axisKey : null
  const usual: readonly { value: AxisKind; label: string }[] = [
    { value: 'step', label: t('axisStep') },
    { value: 'relative', label: t('axisRelative') },
    { value: 'wall', label: t('axisWall') }
  ]
  const names = props.keys.map(({ key }) => key).sort((a, b) => a.localeCompare(b))
  return (
    <>
      <Segmented
        label={t('axis')}
        value={axis}
        segments={usual}
        onChange={(next) => change({ axis: next })}
        data-testid="curves-axis"
      />
      <Menu
        width={320}
        trigger={
          <Button
            icon={Ellipsis}
            on={chosen !== null}
            title={t('axisOther')}
            aria-label={t('axisOther')}
            data-testid="curves-axis-other"
          >
            {chosen === null ? null : <span className="el max-w-36">{chosen}</span>}
          </Button>
        }
        entries={[
          {
            kind: 'item',
            id: 'axis-rollout',
            label: t('axisRollout'),
            checked: axis === 'rollout',
            run: () => change({ axis: 'rollout' })
          },
          { kind: 'line', id: 'line' },
          { kind: 'head', id: 'metrics', label: t('axisMetric') },
          ...names.map((key) => ({
            kind: 'item' as const,
            id: `axis-${key}`,
            label: key,
            checked: axis === 'metric' && key === axisKey,
            run: () => change({ axis: 'metric', axisKey: key })
          }))
        ]}
      />
    </>
  )
}
