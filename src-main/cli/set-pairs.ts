import type { Command } from 'commander'
import type { Override } from '../contract/launch'
import { fail } from '../engine/lib'
import { checkOverrides } from '../engine/recipes'

/**
 * What stands after `--set`: `path=value` pairs. FailureError `override-unreadable` for one without a path, or that can
 * be no override whatever the recipe says.
 */
export function overridesOf(pairs: readonly string[]): Override[] {
  const overrides = pairs.map(overrideOf)
  checkOverrides(overrides)
  return overrides
}

function overrideOf(pair: string): Override {
  const at = pair.indexOf('=')
  if (at > 0) return { path: pair.slice(0, at), value: pair.slice(at + 1) }
  return fail({
    code: 'override-unreadable',
    what: {
      en: `--set wants path=value, not “${pair}”.`,
      zh: `--set 需要“路径=值”，而不是“${pair}”。`
    },
    where: '--set',
    remedy: {
      en: 'For example --set training.options.lr=1e-4.',
      zh: '例如 --set training.options.lr=1e-4。'
    }
  })
}

/** `--set path=value`, once for each field: one that took several would take the recipe's name for one of them. */
export function addSetOption(command: Command): Command {
  const collect = (pair: string, all: string[]): string[] => [...all, pair]
  return command.option('--set <path=value>', 'give a field another value', collect, [])
}
