import type { Release } from '@contract/releases'
import type { Language } from '@contract/text'
import { ArrowLeftRight, ChevronDown, RotateCcw } from 'lucide-react'
import { useMemo } from 'react'
import { useTranslation } from 'react-i18next'
import { useCommands, type Command } from '../../commands'
import { formatDuration, useLanguage } from '../../i18n'
import { Button, Menu } from '../../ui'
import type { MenuEntry } from '../../ui'
import { choose, nameOf } from '../releases'
import { Swatch } from './number-table'
import { arrange, useArrangement } from './side-store'

export type PairProps = {
  readonly run: string
  readonly scenario: string | null
  readonly releases: readonly Release[]
  readonly a: Release
  readonly b: Release
}

/** What is compared, and what can be done with the pair. */
export function PairHead(props: PairProps & { onRollback: (step: number) => void }) {
  const { t } = useTranslation('compare')
  const language = useLanguage()
  const { run, a, b } = props
  const { swapped } = useArrangement(run)
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'compare-swap',
        title: t('swap'),
        group: 'run',
        keys: ['X'],
        run: () => arrange(run, { swapped: !swapped })
      }
    ],
    [t, run, swapped]
  )
  useCommands(commands)
  return (
    <div className="flex h-12 flex-none items-center gap-2 border-b border-line-1 px-3 text-xs">
      <SidePicker {...props} side="a" />
      <SidePicker {...props} side="b" />
      <Button
        icon={ArrowLeftRight}
        keys="X"
        title={t('swapHint')}
        onClick={() => arrange(run, { swapped: !swapped })}
        data-testid="compare-swap"
      >
        {t('swap')}
      </Button>
      <span className="t2 el">{apartWords({ a, b, language }, t)}</span>
      <span className="ml-auto flex gap-2">
        {[a, b]
          .filter((release) => !release.served && release.restorable)
          .map((release) => (
            <Button
              key={release.step}
              icon={RotateCcw}
              onClick={() => props.onRollback(release.step)}
              data-testid={`compare-rollback-r${release.step}`}
            >
              {t('rollBack', { name: nameOf(release.step) })}
            </Button>
          ))}
      </span>
    </div>
  )
}

function apartWords(
  { a, b, language }: { a: Release; b: Release; language: Language },
  t: ReturnType<typeof useTranslation<'compare'>>['t']
): string {
  const order = b.step > a.step ? t('descends') : t('precedes')
  const steps = t('stepsApart', { count: Math.abs(b.step - a.step) })
  if (a.recordedAt === null || b.recordedAt === null) return `${order} · ${steps}`
  const time = formatDuration(Math.abs(b.recordedAt - a.recordedAt), language)
  return `${order} · ${t('apart', { steps, time })}`
}

/** Most rows a menu offers; the whole chain is chosen from in Releases. */
const OFFERED = 40

/** One side of the pair: which release it is, and a menu to change it. */
function SidePicker(props: PairProps & { side: 'a' | 'b' }) {
  const { t } = useTranslation('compare')
  const { run, releases, side } = props
  const release = props[side]
  const otherStep = side === 'a' ? props.b.step : props.a.step
  const near = releases.filter((row) => row.restorable || row.served || row.step === release.step)
  const offered = (near.length < 2 ? releases : near).slice(0, OFFERED)
  const entries = offered
    .filter((row) => row.step !== otherStep)
    .map((row): MenuEntry => ({
      kind: 'item',
      id: `pick-r${row.step}`,
      label: nameOf(row.step),
      note: row.contentKind === 'saved_artifact' ? row.contentId : '',
      checked: row.step === release.step,
      run: () => choose(run, side === 'a' ? { step: row.step } : { other: row.step })
    }))
  return (
    <Menu
      entries={entries}
      width={280}
      trigger={
        <button
          type="button"
          className="side-picker"
          title={t('change', { side: side.toUpperCase() })}
          data-testid={`compare-side-${side}`}
        >
          <Swatch side={side} />
          <span className="t2">{side === 'a' ? t('baseline') : t('against')}</span>
          <b className="mono font-medium">{nameOf(release.step)}</b>
          <span className="mono t2 el max-w-40">
            {release.contentKind === 'saved_artifact' ? release.contentId : ''}
          </span>
          <ChevronDown aria-hidden className="ic s t2" />
        </button>
      }
    />
  )
}
