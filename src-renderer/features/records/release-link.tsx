import type { NamedRelease } from '@contract/talk'
import { go } from '../../state'
import { choose, nameOf } from '../releases'

/** A release by its short name; opens it. One that the chain does not have is shown by its id. */
export function ReleaseLink(props: { run: string; release: NamedRelease }) {
  const { run, release } = props
  const { step, releaseId } = release
  if (step === null) {
    return (
      <span className="mono t2 el max-w-32" title={releaseId ?? undefined}>
        {releaseId ?? '–'}
      </span>
    )
  }
  return (
    <button
      type="button"
      className="rel c-accent"
      title={releaseId ?? undefined}
      onClick={(event) => {
        event.stopPropagation()
        choose(run, { step })
        go({ page: 'run', id: run, tab: 'releases' })
      }}
    >
      {nameOf(step)}
    </button>
  )
}
