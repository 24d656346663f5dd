import type { Override } from '../../contract/launch'
import { type Clock, fail, type Redactor } from '../lib'
import type { RunLock, RunStore } from '../runs'
import type { Target } from '../targets'
import type { WeaverClient } from '../weaver'
import type { Below } from './quiet'
import type { RecipeForPlan } from './recipe-for-plan'

/** Seconds a stack gets to end by itself: the launcher's own worst case is above a minute. */
export const GRACE_SECONDS = 150

export interface SupervisorOptions {
  run: string
  store: RunStore
  target: Target
  lock: RunLock
  /** This machine, where companions run. */
  here: () => Promise<Target>
  clock: Clock
  /** The recipe as launched, with these overrides. */
  readRecipe: (overrides: readonly Override[]) => Promise<RecipeForPlan>
  /** Value of a secret by name; null when there is none. */
  secret: (name: string) => Promise<string | null>
  /** What stands below the stack; null where that is not to be seen. */
  below: () => Promise<Below | null>
  /** Weaver with the person's key; null where there is none. */
  weaver: () => Promise<WeaverClient | null>
  /** What a person wrote, without the run's secrets. */
  redact: Redactor
  quietAfterMs: number
  /** Whether somebody looks at the run's curves or log now. */
  attended: () => boolean
  /** Told of what went wrong on our own side while watching. */
  onTrouble: (cause: unknown) => void
  graceSeconds: number
}

/** Nothing was done: whoever asked may ask the next writer. */
export function notWriter(run: string): never {
  return fail({
    code: 'not-writer',
    what: { en: 'This engine does not write that run.', zh: '本引擎不是该运行的写入者。' },
    where: run,
    remedy: { en: 'Try again.', zh: '请重试。' }
  })
}

/** A record that was made of files: there is nothing to stop and nothing to start again. */
export function notLaunched(run: string): never {
  return fail({
    code: 'imported-record',
    what: {
      en: 'This record was imported from files: it is not running, and there is no recipe to start.',
      zh: '该记录由文件导入：它并未运行，也没有可启动的配方。'
    },
    where: run,
    remedy: {
      en: 'Launch the recipe it came from, if you have it.',
      zh: '如果有对应的配方，请启动该配方。'
    }
  })
}
