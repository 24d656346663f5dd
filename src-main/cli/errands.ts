import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { ErrandRequest, ErrandView } from '../contract/errands'
import { fail } from '../engine/lib'
import { reportFailureOf, type EngineClient } from './engine-client'
import { EXIT, words } from './output'
import { act, type Context } from './runs'

/** The lines of a log that were not printed yet, given how many were. */
export function newLines({ lines, earlier }: ErrandView, printed: number): string[] {
  return lines.slice(Math.max(0, printed - earlier))
}

/** Does one errand to its end, its log on standard error as it comes. Ctrl-C calls it off and waits for that. */
async function run(
  context: Context,
  engine: EngineClient,
  request: ErrandRequest
): Promise<number> {
  const { id } = await engine.errands.start(request)
  const cancel = (): void => {
    void engine.errands.cancel({ id })
  }
  process.once('SIGINT', cancel)
  process.once('SIGTERM', cancel)
  try {
    let printed = 0
    let last: ErrandView | null = null
    for await (const view of await engine.errands.follow({ id })) {
      for (const line of newLines(view, printed)) context.io.err(line)
      printed = view.earlier + view.lines.length
      last = view
    }
    return last === null ? EXIT.failed : conclude(context, last)
  } finally {
    process.off('SIGINT', cancel)
    process.off('SIGTERM', cancel)
  }
}

function conclude(context: Context, view: ErrandView): number {
  const { io } = context
  const { state } = view
  if (context.json()) io.out(JSON.stringify(view))
  switch (state.kind) {
    case 'done':
      if (!context.json()) io.out(words(io, state.note))
      return EXIT.ok
    case 'failed':
      return reportFailureOf(io, state.failure)
    case 'cancelled':
    case 'running':
      io.err(words(io, { en: 'Called off.', zh: '已取消。' }))
      return EXIT.failed
  }
}

function argumentsOf(pairs: readonly string[]): { name: string; value: string }[] {
  return pairs.map((pair) => {
    const at = pair.indexOf('=')
    if (at > 0) return { name: pair.slice(0, at), value: pair.slice(at + 1) }
    return fail({
      code: 'build-request-unreadable',
      where: '--build-arg',
      what: {
        en: `--build-arg wants NAME=value, not “${pair}”.`,
        zh: `--build-arg 需要“名称=值”，而不是“${pair}”。`
      },
      remedy: {
        en: 'For example --build-arg SLIME_IMAGE_TAG=latest.',
        zh: '例如 --build-arg SLIME_IMAGE_TAG=latest。'
      }
    })
  })
}

/** `slipway get-reef` and `slipway build-image`: what the launch page offers beside its fields. */
export function registerErrandCommands(program: Command, context: Context): void {
  const collect = (value: string, all: string[]): string[] => [...all, value]
  program
    .command('get-reef <address> [folder]')
    .description('clone a repository with git, large files too; default folder: ./Reef')
    .option('--no-lfs', 'leave what git-lfs keeps elsewhere')
    .action((address: string, folder: string | undefined, { lfs }: { lfs: boolean }) =>
      act(context, (engine) =>
        run(context, engine, {
          kind: 'clone',
          address,
          folder: resolve(folder ?? 'Reef'),
          largeFiles: lfs
        })
      )
    )
  program
    .command('build-image <checkout>')
    .description('build Reef’s image from its checkout, with docker/Dockerfile.reef')
    .requiredOption('--target <id>', 'container engine that gets it; “slipway targets” lists them')
    .option('--tag <name>', 'name the image gets', 'reef')
    .option('--stage <name>', 'a named stage of the Dockerfile, such as tttd')
    .option('--build-arg <name=value>', 'a variable of the Dockerfile; no secret', collect, [])
    .action(
      (
        checkout: string,
        options: { target: string; tag: string; stage?: string; buildArg: string[] }
      ) =>
        act(context, (engine) =>
          run(context, engine, {
            kind: 'build',
            target: options.target,
            checkout: resolve(checkout),
            reference: options.tag,
            ...(options.stage === undefined ? {} : { stage: options.stage }),
            arguments: argumentsOf(options.buildArg)
          })
        )
    )
}
