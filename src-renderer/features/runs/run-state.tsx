import { useTranslation } from 'react-i18next'
import type { Exit, RunState } from '@contract/run'
import { formatDuration, useLanguage, useText } from '../../i18n'
import { useNow } from '../../state'
import { InlineState, StateChip } from '../../ui'
import { heldFor, lookOf, wordOf } from './attempt-state'

function useStateWords(state: RunState, startedAt: number): string {
  const { t } = useTranslation('states')
  const language = useLanguage()
  const now = useNow()
  const word = t(wordOf(state))
  const held = heldFor(state, startedAt, now)
  return held === null ? word : t('withTime', { state: word, time: formatDuration(held, language) })
}

/** State of a run in its header. */
export function RunStateChip(props: { state: RunState; startedAt: number }) {
  const words = useStateWords(props.state, props.startedAt)
  return (
    <StateChip look={lookOf(props.state)} data-testid="run-state" data-state={props.state.kind}>
      <span className="num">{words}</span>
    </StateChip>
  )
}

/** State of a run in a list. */
export function RunStateLine(props: { state: RunState; startedAt: number }) {
  const words = useStateWords(props.state, props.startedAt)
  return (
    <InlineState look={lookOf(props.state)}>
      <span className="num">{words}</span>
    </InlineState>
  )
}

/** The short reason under a state, or null. */
export function useStateReason(): (state: RunState) => string | null {
  const text = useText()
  const exitText = useExitText()
  return (state) => {
    switch (state.kind) {
      case 'starting':
        return state.service
      case 'preparing':
        return state.image
      case 'quiet':
      case 'unreachable':
        return text(state.why)
      case 'stopping':
        return text(state.awaiting)
      case 'failed':
        return text(state.cause)
      case 'stopped':
        if (state.unsure === true && state.why !== undefined) return text(state.why)
        return state.exit.kind === 'code' && state.exit.code === 0 ? null : exitText(state.exit)
      case 'planned':
      case 'checking':
      case 'serving':
      case 'training':
      case 'imported':
        return null
    }
  }
}

/** How a process ended, in words. */
export function useExitText(): (exit: Exit) => string {
  const { t } = useTranslation('states')
  return (exit) => {
    switch (exit.kind) {
      case 'code':
        return t('exitCode', { code: exit.code })
      case 'signal':
        return t('exitSignal', { signal: exit.signal })
      case 'oom':
        return t('exitOom')
      case 'unknown':
        return t('exitUnknown')
    }
  }
}
