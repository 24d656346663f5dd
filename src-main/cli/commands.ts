import type { Command } from 'commander'
import { registerClusterCommand } from './cluster'
import { registerCompareCommand } from './compare'
import { withEngine, type EngineClient } from './engine-client'
import { registerErrandCommands } from './errands'
import { registerImportCommand } from './import'
import { registerLogsCommand } from './logs'
import { registerMetricsCommand } from './metrics'
import { registerPreflightCommand } from './preflight'
import { registerQueueCommand } from './queue'
import { registerRecipeCommands } from './recipes'
import { find, registerRunCommands, type Context } from './runs'
import { registerTalkCommands } from './talk'
import { registerTargetsCommand } from './targets'
import { registerTrialCommands } from './trials'
import { registerWeaverCommands } from './weaver'

/** Every command of `slipway`, in the order its help lists them. */
export function addCommands(program: Command, context: Context): void {
  registerRunCommands(program, context)
  registerLogsCommand(program, context)
  registerPreflightCommand(program, context)
  registerRecipeCommands(program, context.io)
  const ask = <T>(work: (engine: EngineClient) => Promise<T>): Promise<T> =>
    withEngine({ ...context.engine, home: context.home() }, work)
  /** Sides whose runs are named as on the command line, by id. */
  const byId = <S extends object>(engine: EngineClient, sides: readonly S[]): Promise<S[]> =>
    Promise.all(
      sides.map(async (side) =>
        'run' in side ? { ...side, run: (await find(engine, String(side.run))).id } : side
      )
    )
  registerCompareCommand(program, context.io, {
    sides: (request) =>
      ask(async (engine) =>
        engine.compare.sides({ ...request, sides: await byId(engine, request.sides) })
      ),
    save: (request) =>
      ask(async (engine) =>
        engine.compare.save({ ...request, sides: await byId(engine, request.sides) })
      ),
    page: (request) =>
      ask(async (engine) =>
        engine.compare.exportPage({ ...request, sides: await byId(engine, request.sides) })
      ),
    saved: () => ask((engine) => engine.compare.saved()),
    savedOne: (id) => ask((engine) => engine.compare.savedOne({ id })),
    removeSaved: (id) => ask((engine) => engine.compare.removeSaved({ id })),
    attach: (table) =>
      ask(async (engine) =>
        engine.compare.attachResults({ ...table, run: (await find(engine, table.run)).id })
      ),
    detach: ({ run, task }) =>
      ask(async (engine) =>
        engine.compare.removeResults({ run: (await find(engine, run)).id, task })
      )
  })
  registerTalkCommands(program, context)
  registerTrialCommands(program, context, { ask, byId })
  registerMetricsCommand(program, context.io)
  registerImportCommand(program, context)
  registerWeaverCommands(program, context)
  registerErrandCommands(program, context)
  registerTargetsCommand(program, context)
  registerClusterCommand(program, context)
  registerQueueCommand(program, context)
}
