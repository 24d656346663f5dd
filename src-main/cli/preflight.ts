import type { Command } from 'commander'
import type { PreflightReport, Verdict } from '../contract/preflight'
import { addCompanionFlags, type CompanionFlags, companionsOf } from './companion-flags'
import {
  addContainerFlags,
  containerChoices,
  type ContainerFlags,
  refuseComposeElsewhere
} from './container-choices'
import { reportFailure, type EngineClient } from './engine-client'
import { addNexrlOptions, nexrlChoices, type NexrlOptions } from './nexrl-options'
import { EXIT } from './output'
import { reportLines } from './preflight-report'
import { act, type Context } from './runs'
import { addSetOption, overridesOf } from './set-pairs'

interface Options extends CompanionFlags, ContainerFlags, NexrlOptions {
  target: string
  set: string[]
  json?: boolean
  strict?: boolean
}

/** Exit code of a report: 1 with a fail, 3 with a warning when asked to be strict, else 0. */
export function preflightExit(verdict: Verdict, strict: boolean): number {
  if (verdict === 'fail') return EXIT.failed
  return verdict === 'warn' && strict ? EXIT.strict : EXIT.ok
}

async function judge(
  context: Context,
  engine: EngineClient,
  recipe: string,
  options: Options
): Promise<number> {
  const { io } = context
  let last: PreflightReport | null = null
  try {
    const overrides = overridesOf(options.set)
    await refuseComposeElsewhere(engine, options)
    const request = {
      recipe,
      target: options.target,
      overrides,
      companions: companionsOf(options),
      ...nexrlChoices(options),
      ...containerChoices(options)
    }
    for await (const report of await engine.preflight.run(request)) last = report
  } catch (thrown) {
    // Nothing was judged, so this is not a verdict about the recipe.
    reportFailure(io, thrown)
    return EXIT.unreadable
  }
  if (last === null) return EXIT.unreadable
  print(context, last, options.json === true)
  return preflightExit(last.verdict, options.strict === true)
}

function print({ io }: Context, report: PreflightReport, json: boolean): void {
  if (json) io.out(JSON.stringify(report, null, 2))
  else for (const line of reportLines(report, io)) io.out(line)
}

/** `slipway preflight RECIPE`: what the launch page judges before a start, on a terminal. */
export function registerPreflightCommand(program: Command, context: Context): void {
  addSetOption(addNexrlOptions(addCompanionFlags(addContainerFlags(program.command('preflight')))))
    .description(
      'judge machine, recipe and target before a launch; exit 0, 1 with a fail, 2 unreadable, 3 with --strict and a warning'
    )
    .argument('<recipe>', 'recipe file')
    .option('--target <id>', 'where it would run', 'local')
    .option('--strict', 'exit 3 when there are warnings but no fail')
    .option('--json', 'print JSON')
    .action(async (recipe: string, _options: Options, command: Command) => {
      const options = command.optsWithGlobals<Options>()
      await act(context, (engine) => judge(context, engine, recipe, options))
    })
}
