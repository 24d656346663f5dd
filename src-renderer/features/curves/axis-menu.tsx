import { Ellipsis } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { AxisKind } from '../../charts'
import { Button, Menu, Segmented, type Segment } from '../../ui'
import { curvePrefs } from './curve-prefs'
import type { KeyNote } from './panel-plan'
import { isUntimed } from './untimed'

/**
 * The axis as it can be drawn for a run: a metric that the run does not have gives way to its steps, and so does time
 * where imported files did not say when.
 */
export function axisFor(
  prefs: { readonly axis: AxisKind; readonly axisKey: string | null },
  keys: readonly Pick<KeyNote, 'key' | 'timed'>[]
): { readonly axis: AxisKind; readonly axisKey: string | null } {
  const { axis } = prefs
  if ((axis === 'relative' || axis === 'wall') && isUntimed(keys))
    return { axis: 'step', axisKey: null }
  if (axis !== 'metric') return { axis, axisKey: null }
  const known = keys.some(({ key }) => key === prefs.axisKey)
  return known ? prefs : { axis: 'step', axisKey: null }
}

/** What x is: the three usual ones at hand, the rollout and every metric in a menu. */
export function AxisMenu(props: {
  axis: AxisKind
  axisKey: string | null
  keys: readonly Pick<KeyNote, 'key' | 'timed'>[]
}) {
  const { t } = useTranslation('curves')
  const { change } = curvePrefs()
  const { axis, axisKey } = props
  const chosen = axis === 'rollout' ? t('axisRollout') : axis === 'metric' ? axisKey : null
  const off = isUntimed(props.keys) ? t('untimedAxis') : null
  const usual: readonly Segment<AxisKind>[] = [
    { value: 'step', label: t('axisStep') },
    { value: 'relative', label: t('axisRelative'), off },
    { value: 'wall', label: t('axisWall'), off }
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
