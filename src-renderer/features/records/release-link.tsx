import type { NamedRelease } from '@contract/talk'
import { go } from '../../state'
import { choose, nameOf } from '../releases'

/** A release by its short name; opens it. One that the chain does not have is shown by its id. */
export function ReleaseLink(props: {
  run: string
  release: NamedRelease
  /** Told when it is followed, e.g. to close what lies over the page. */
  onOpen?: (() => void) | undefined
}) {
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
        props.onOpen?.()
        choose(run, { step })
        go({ page: 'run', id: run, tab: 'releases' })
      }}
    >
      {nameOf(step)}
    </button>
  )
}
