import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RecipeFacts } from '@contract/recipes'
import { formatBytes, formatCount, useText } from '../../i18n'
import { KeyValues, Segmented, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { FindingsList } from './findings-list'
import type { ProblemActs } from './problems'
import { ResolvedValues } from './resolved-values'
import type { CheckState } from './use-recipe-check'

type View = 'plain' | 'findings' | 'values'

/** What the recipe will do, what speaks against it, and every value with its origin. */
export function SidePanel(props: {
  state: CheckState
  acts: ProblemActs
  goTo: (line: number) => void
}) {
  const { state, acts } = props
  const { t } = useTranslation('recipes')
  const [view, setView] = useState<View>('plain')
  const { check } = state
  const count = check?.findings.length ?? 0
  return (
    <aside
      className="side right flex flex-col overflow-hidden"
      aria-label={t('sideLabel')}
      data-testid="recipe-side"
    >
      <div className="flex h-11 flex-none items-center px-4">
        <Segmented
          label={t('sideLabel')}
          value={view}
          onChange={setView}
          segments={[
            { value: 'plain', label: t('sidePlain') },
            {
              value: 'findings',
              label: count === 0 ? t('sideFindings') : `${t('sideFindings')} ${formatCount(count)}`
            },
            { value: 'values', label: t('sideValues') }
          ]}
          data-testid="recipe-view"
        />
      </div>
      {state.thrown === undefined ? null : <FailureNote className="m-3" thrown={state.thrown} />}
      {check === undefined ? (
        state.thrown === undefined ? (
          <Skeleton className="m-4 h-40" />
        ) : null
      ) : view === 'plain' ? (
        <PlainFacts facts={check.facts} />
      ) : view === 'findings' ? (
        <FindingsList findings={check.findings} fresh={state.fresh} acts={acts} />
      ) : (
        <ResolvedValues rows={check.resolved} goTo={props.goTo} />
      )}
    </aside>
  )
}

function PlainFacts(props: { facts: RecipeFacts }) {
  const { facts } = props
  const { t } = useTranslation('recipes')
  const text = useText()
  return (
    <div className="min-h-0 flex-1 overflow-auto px-4 pb-4" data-testid="recipe-facts">
      <div className="flex flex-col gap-1">
        {facts.sentences.map((sentence) => (
          <p key={sentence.en}>{text(sentence)}</p>
        ))}
      </div>
      <h2>{t('numbers')}</h2>
      <KeyValues
        rows={[
          [t('learnsBy'), facts.family],
          [t('model'), facts.model === null ? null : <Model key="model" name={facts.model} />],
          [t('batch'), facts.batch === null ? null : formatCount(facts.batch)],
          [t('steps'), facts.stepsPerRollout === null ? null : shownSteps(facts.stepsPerRollout)],
          [
            t('diskPerCheckpoint'),
            facts.checkpoint === undefined
              ? null
              : t('diskEstimate', {
                  size: formatBytes(facts.checkpoint.bytes),
                  times: facts.checkpoint.times
                })
          ],
          [t('rollback'), t(`rollbacks.${facts.rollback}`)]
        ]}
      />
      <h2>{t('gpusByRole')}</h2>
      {facts.gpus.length === 0 ? (
        <p className="t2">{t('noGpus')}</p>
      ) : (
        <div className="mt-1 grid grid-cols-2 gap-1">
          {facts.gpus.map((role) => (
            <div key={role.role} className="rounded-sm border border-line-2 p-2">
              <div className="num font-medium">
                {t('gpuCount', { count: role.gpus, n: formatCount(role.gpus) })}
              </div>
              <div className="t2">{role.label === undefined ? role.role : text(role.label)}</div>
            </div>
          ))}
        </div>
      )}
      <h2>{t('ports')}</h2>
      {facts.ports.length === 0 ? (
        <p className="t2">{t('noPorts')}</p>
      ) : (
        <KeyValues
          rows={facts.ports.map(({ what, label, port }) => [
            label === undefined ? what : text(label),
            String(port)
          ])}
        />
      )}
    </div>
  )
}

/** Of a path only its end tells models apart; the whole is in the tooltip. */
function Model(props: { name: string }) {
  return (
    <span className="el" title={props.name}>
      {props.name.split('/').at(-1)}
    </span>
  )
}

function shownSteps(steps: number): string {
  return Number.isInteger(steps) ? formatCount(steps) : steps.toPrecision(3)
}
