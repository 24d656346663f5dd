import { resolve } from 'node:path'
import type { OpenRequest } from '../contract/host'

/**
 * What a command line asks the window to show: a recipe file (`slipway-app recipe.yaml`) or a run (`--run=ID`).
 * Chromium's own switches and the app's folder are ignored.
 */
export function openRequestFrom(argv: readonly string[], cwd: string): OpenRequest | null {
  for (const argument of argv) {
    if (argument.startsWith('--run=')) return { kind: 'run', run: argument.slice('--run='.length) }
    if (!argument.startsWith('-') && /\.ya?ml$/i.test(argument))
      return { kind: 'recipe', path: resolve(cwd, argument) }
  }
  return null
}
