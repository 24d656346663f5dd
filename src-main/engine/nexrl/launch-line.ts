import { basename, dirname } from 'node:path'
import type { Override } from '../../contract/launch'
import type { NexrlMode } from '../../contract/nexrl'

/** A value as Hydra's override grammar takes it: plain where it can be, else in quotes (Hydra, "basic override syntax"). */
export function hydraValue(value: string): string {
  if (/^[\w.:/@%+-]+$/.test(value)) return value
  return `'${value.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`
}

/** Overrides as Hydra takes them; `++` adds a field where the recipe has none, which a plain override refuses to do. */
export function hydraOverrides(
  overrides: readonly Override[],
  fields: ReadonlySet<string> | null
): string[] {
  return overrides.map(({ path, value }) => {
    const adds = fields !== null && !fields.has(path)
    return `${adds ? '++' : ''}${path}=${hydraValue(value)}`
  })
}

/** The driver started directly: no cluster, no Ray (`cli/common/run_nexrl.sh` ends with this call). */
export function driverLine(
  python: string,
  recipe: string,
  overrides: readonly string[]
): readonly string[] {
  return [
    python,
    '-m',
    'nexrl.main',
    `--config-path=${dirname(recipe)}`,
    `--config-name=${basename(recipe).replace(/\.ya?ml$/i, '')}`,
    ...overrides
  ]
}

/** What of the launcher is there. */
export interface LauncherFound {
  /** The console script, where the Python environment has it. */
  nexrl: string | null
  cliRun: boolean
  scriptsRun: boolean
}

/** How the launcher is called: its console script, else whichever file the checkout has; null when there is none. */
export function launcherCommand(found: LauncherFound, python: string): readonly string[] | null {
  if (found.nexrl !== null) return [found.nexrl]
  if (found.cliRun) return [python, 'cli/run.py']
  return found.scriptsRun ? [python, 'scripts/run.py'] : null
}

/** The launcher with its flags (`cli/run.py`). */
export function launcherLine(
  command: readonly string[],
  choice: {
    mode: NexrlMode
    recipe: string
    runNexrl: boolean
    tag: string
    inferenceUrl: string
  }
): readonly string[] {
  return [
    ...command,
    '-m',
    choice.mode,
    '-c',
    choice.recipe,
    ...(choice.runNexrl ? ['--run-nexrl'] : []),
    ...(choice.tag === '' ? [] : ['--tag', choice.tag]),
    ...(choice.inferenceUrl === '' ? [] : ['--inference-url', choice.inferenceUrl])
  ]
}
