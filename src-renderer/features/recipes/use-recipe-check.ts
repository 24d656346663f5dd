import { useEffect, useState } from 'react'
import type { RecipeCheck } from '@contract/recipes'
import { engine } from '../../api/client'
import type { RecipeDoc } from './workbench'

/** Milliseconds after the last key until the engine is asked. */
const QUIET = 120

interface Answer {
  path: string
  text: string
  generation: RecipeDoc['generation']
  outcome: { kind: 'checked'; check: RecipeCheck } | { kind: 'failed'; thrown: unknown }
}

export interface CheckState {
  /** The last answer for this file; of an older text while `fresh` is false. */
  check: RecipeCheck | undefined
  /** True when the answer is about the text on screen. */
  fresh: boolean
  /** Why no answer came, if so. */
  thrown: unknown
}

/** Checks the text on every edit. The latest one wins: older questions are aborted. */
export function useRecipeCheck(doc: RecipeDoc): CheckState {
  const { path, text, generation } = doc
  const [answer, setAnswer] = useState<Answer | null>(null)
  useEffect(() => {
    const controller = new AbortController()
    const { signal } = controller
    const ask = async (): Promise<void> => {
      const asked = { path, text, ...(generation === null ? {} : { generation }) }
      try {
        const check = await engine.recipes.check(asked, { signal })
        if (!signal.aborted) {
          setAnswer({ path, text, generation, outcome: { kind: 'checked', check } })
        }
      } catch (thrown) {
        if (!signal.aborted) {
          setAnswer({ path, text, generation, outcome: { kind: 'failed', thrown } })
        }
      }
    }
    const timer = window.setTimeout(() => void ask(), QUIET)
    return () => {
      window.clearTimeout(timer)
      controller.abort()
    }
  }, [path, text, generation])
  if (answer === null || answer.path !== path) {
    return { check: undefined, fresh: false, thrown: undefined }
  }
  const fresh = answer.text === text && answer.generation === generation
  return answer.outcome.kind === 'checked'
    ? { check: answer.outcome.check, fresh, thrown: undefined }
    : { check: undefined, fresh: false, thrown: answer.outcome.thrown }
}
