import type { Command } from 'commander'
import type { QueuedLaunch } from '../contract/queue'
import type { Text } from '../contract/text'
import { fail } from '../engine/lib'
import type { EngineClient } from './engine-client'
import { EXIT, table, words, type Io } from './output'
import { queueWords } from './queue-words'
import { act, print, type Context } from './runs'

const HEAD: readonly Text[] = [
  { en: 'id', zh: 'id' },
  { en: 'name', zh: '名称' },
  { en: 'target', zh: '目标' },
  { en: 'why', zh: '原因' }
]

function whyOf(state: QueuedLaunch['state']): Text {
  switch (state.kind) {
    case 'waiting':
      return state.why
    case 'starting':
      return { en: 'Is being started.', zh: '正在启动。' }
    case 'refused':
      return {
        en: `Does not start: ${state.failure.what.en}`,
        zh: `无法启动：${state.failure.what.zh}`
      }
  }
}

/** The queue as a person reads it: one line a launch, in the order they will start. */
export function queueTable(io: Io, queue: readonly QueuedLaunch[]): string {
  if (queue.length === 0) return words(io, { en: 'Nothing waits.', zh: '没有排队项。' })
  return table([
    HEAD.map((one) => words(io, one)),
    ...queue.map(({ id, name, request, state }) => [
      ...[id, name, request.target, words(io, whyOf(state))]
    ])
  ])
}

/** The launch with this id or name. FailureError `queue-unknown`, `queue-ambiguous`. */
export function findQueued(queue: readonly QueuedLaunch[], wanted: string): QueuedLaunch {
  const exact = queue.filter(({ id }) => id === wanted)
  const found =
    exact.length > 0
      ? exact
      : queue.filter(({ id, name }) => name === wanted || id.startsWith(wanted))
  const [first, second] = found
  if (first !== undefined && second === undefined) return first
  return fail({
    code: first === undefined ? 'queue-unknown' : 'queue-ambiguous',
    where: wanted,
    what:
      first === undefined
        ? { en: 'Nothing with this id or name waits.', zh: '没有以此 id 或名称排队的启动。' }
        : { en: 'Several launches that wait fit this.', zh: '有多个排队的启动与此相符。' },
    remedy: { en: 'See `slipway queue` for the ids.', zh: '请用 `slipway queue` 查看 id。' }
  })
}

async function queueOf(engine: EngineClient): Promise<QueuedLaunch[]> {
  for await (const { queue } of await engine.queue.watch()) return queue
  return []
}

type Act = 'remove' | 'first' | 'again'

const done: Readonly<Record<Act, Text>> = {
  remove: { en: 'Taken out of the queue.', zh: '已移出队列。' },
  first: { en: 'Is looked at first now.', zh: '现在最先检查。' },
  again: { en: 'Waits again.', zh: '重新等待。' }
}
async function wish(
  context: Context,
  engine: EngineClient,
  kind: Act,
  wanted: string
): Promise<number> {
  const { id, name } = findQueued(await queueOf(engine), wanted)
  const told = await engine.queue[kind]({ id })
  print(context, { id, name, done: told.done }, () =>
    words(context.io, told.done ? done[kind] : queueWords.later)
  )
  return EXIT.ok
}

/** `slipway queue`: what waits for a target, and the ways out of it. Only the window starts what waits. */
export function registerQueueCommand(program: Command, context: Context): void {
  const queue = program
    .command('queue')
    .description('launches that wait for GPUs and ports; the window starts them')
    // Commander would count words where a person has mistyped one.
    .allowExcessArguments()
    .action(async (_options: object, command: Command) => {
      const [word] = command.args
      if (word !== undefined) command.error(`error: unknown command '${word}'`)
      await act(context, async (engine) => {
        const items = await queueOf(engine)
        print(context, { queue: items }, () => queueTable(context.io, items))
        return EXIT.ok
      })
    })
  queue
    .command('remove <launch>')
    .description('take a launch out, by id or name')
    .action((wanted: string) => act(context, (engine) => wish(context, engine, 'remove', wanted)))
  queue
    .command('first <launch>')
    .description('let a launch be the first of its target')
    .action((wanted: string) => act(context, (engine) => wish(context, engine, 'first', wanted)))
  queue
    .command('again <launch>')
    .description('let a launch that did not start wait again')
    .action((wanted: string) => act(context, (engine) => wish(context, engine, 'again', wanted)))
}
