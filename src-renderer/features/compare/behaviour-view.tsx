import type { TrialSide } from '@contract/behaviour'
import type { ComparedSide, SideComparison } from '@contract/compare'
import { NewTrial } from './new-trial'
import { useBehaviour } from './trial-store'
import { TrialList } from './trial-list'
import { TrialView } from './trial-view'

/** The same prompts to the compared sides, judged by a person: one trial, or a new one and those that were made. */
export function BehaviourView(props: { run: string; comparison: SideComparison }) {
  const { run, comparison } = props
  const { open } = useBehaviour(run)
  if (open !== null) return <TrialView key={open} run={run} id={open} />
  const { sides, baseline } = comparison
  const isBase = (_: unknown, index: number): boolean => index === baseline
  const inOrder = [...sides.filter(isBase), ...sides.filter((side, index) => !isBase(side, index))]
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3" data-testid="behaviour">
      <NewTrial
        run={run}
        compared={inOrder.map(({ label, side }) => ({ label, side: askable(side) }))}
      />
      <TrialList run={run} />
    </div>
  )
}

/** A recipe and a folder of weights answer nothing. */
function askable(side: ComparedSide): TrialSide | null {
  switch (side.kind) {
    case 'release':
    case 'run':
      return side
    case 'recipe':
    case 'files':
      return null
  }
}
