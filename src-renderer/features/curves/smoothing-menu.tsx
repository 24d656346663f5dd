import type { Smoothing } from '@contract/metrics'
import { SlidersHorizontal } from 'lucide-react'
import { Popover } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { Button, Segmented } from '../../ui'
import { usualSmoothing } from './curve-prefs'

const KINDS = ['none', 'ema', 'mean', 'median', 'gaussian'] as const

/** What smoothing is on, as the toolbar says it. */
export function useSmoothingWords(): (smoothing: Smoothing) => string {
  const { t } = useTranslation('curves')
  return (smoothing) => {
    switch (smoothing.kind) {
      case 'none':
        return t('smoothingNone')
      case 'ema':
        return t('smoothingEma', { weight: smoothing.weight.toFixed(2) })
      case 'mean':
        return t('smoothingMean', { window: smoothing.window })
      case 'median':
        return t('smoothingMedian', { window: smoothing.window })
      case 'gaussian':
        return t('smoothingGaussian', { sigma: smoothing.sigma })
    }
  }
}

/** Kind and strength of smoothing. */
export function SmoothingMenu(props: {
  smoothing: Smoothing
  open: boolean
  onOpen: (open: boolean) => void
  onChange: (smoothing: Smoothing) => void
}) {
  const { t } = useTranslation('curves')
  const words = useSmoothingWords()
  const { smoothing } = props
  return (
    <Popover.Root open={props.open} onOpenChange={props.onOpen}>
      <Popover.Trigger asChild>
        <Button icon={SlidersHorizontal} keys="S" data-testid="smoothing">
          {t('smoothing')} <span className="t2 num">{words(smoothing)}</span>
        </Button>
      </Popover.Trigger>
      <Popover.Portal>
        <Popover.Content
          className="menu text-xs"
          style={{ width: 340, padding: 12 }}
          align="start"
          sideOffset={4}
          collisionPadding={8}
          role="dialog"
          aria-label={t('smoothing')}
        >
          <Segmented
            label={t('smoothing')}
            value={smoothing.kind}
            segments={KINDS.map((kind) => ({ value: kind, label: t(`kind.${kind}`) }))}
            onChange={(kind) => props.onChange(usualSmoothing(kind))}
            data-testid="smoothing-kind"
          />
          <p className="t2 mt-2">{t(`kindNote.${smoothing.kind}`)}</p>
          <Strength smoothing={smoothing} onChange={props.onChange} />
          <p className="t2 mt-2">{t('smoothingFull')}</p>
        </Popover.Content>
      </Popover.Portal>
    </Popover.Root>
  )
}

function Strength(props: { smoothing: Smoothing; onChange: (smoothing: Smoothing) => void }) {
  const { t } = useTranslation('curves')
  const { smoothing, onChange } = props
  switch (smoothing.kind) {
    case 'none':
      return null
    case 'ema':
      return (
        <Slider
          label={t('weight')}
          value={smoothing.weight}
          limits={[0, 0.99]}
          step={0.01}
          onChange={(weight) => onChange({ kind: 'ema', weight })}
        />
      )
    case 'gaussian':
      return (
        <Slider
          label={t('sigma')}
          value={smoothing.sigma}
          limits={[1, 50]}
          step={1}
          onChange={(sigma) => onChange({ kind: 'gaussian', sigma })}
        />
      )
    case 'mean':
    case 'median': {
      const { kind } = smoothing
      return (
        <Slider
          label={t('window')}
          value={smoothing.window}
          limits={[2, 200]}
          step={1}
          onChange={(window) => onChange({ kind, window })}
        />
      )
    }
  }
}

function Slider(props: {
  label: string
  value: number
  limits: readonly [number, number]
  step: number
  onChange: (value: number) => void
}) {
  return (
    <label className="mt-3 flex items-center gap-3">
      <span className="t2 whitespace-nowrap">{props.label}</span>
      <input
        type="range"
        className="curve-slider min-w-0 flex-1"
        min={props.limits[0]}
        max={props.limits[1]}
        step={props.step}
        value={props.value}
        onChange={(event) => props.onChange(Number(event.target.value))}
      />
      <span className="num w-10 text-right font-medium">
        {props.step < 1 ? props.value.toFixed(2) : props.value}
      </span>
    </label>
  )
}
