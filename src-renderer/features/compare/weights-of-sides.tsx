import type { SideComparison } from '@contract/compare'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Segmented } from '../../ui'
import { WeightsView } from './weights-view'

/** Weights of one side at a time against the baseline's; with more than two sides one chooses which. */
export function WeightsOfSides(props: { comparison: SideComparison }) {
  const { t } = useTranslation('compare')
  const { sides, baseline } = props.comparison
  const [chosen, setChosen] = useState<number | null>(null)
  const others = sides.map((_, index) => index).filter((index) => index !== baseline)
  const withWeights = others.filter((index) => sides[index]?.weights !== null)
  const at =
    chosen !== null && others.includes(chosen) ? chosen : (withWeights[0] ?? others[0] ?? 0)
  const [base, other] = [sides[baseline], sides[at]]
  if (base === undefined || other === undefined) return null
  const { weights: a } = base
  const { weights: b } = other
  const missing = [base, other].filter(({ weights }) => weights === null)
  const apart = a !== null && b !== null && a.target !== b.target
  return (
    <>
      {others.length < 2 ? null : (
        <div className="flex flex-none items-center gap-2 px-3 pt-2 text-xs">
          <span className="t2">{t('weights.against', { name: base.label })}</span>
          <Segmented
            label={t('weights.which')}
            size="small"
            value={String(at)}
            onChange={(next) => setChosen(Number(next))}
            segments={others.map((index) => ({
              value: String(index),
              label: sides[index]?.label ?? ''
            }))}
            data-testid="weights-side"
          />
        </div>
      )}
      <WeightsView
        key={`${a?.path ?? ''} ${b?.path ?? ''}`}
        sides={
          a === null || b === null || apart ? null : { target: a.target, a: a.path, b: b.path }
        }
        names={[base.label, other.label]}
        missing={
          apart
            ? t('weights.apartWhy')
            : t('weights.noneWhy', { names: missing.map(({ label }) => label).join(', ') })
        }
      />
    </>
  )
}
