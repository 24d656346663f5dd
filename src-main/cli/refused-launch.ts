import { Failure } from '../contract/failure'
import type { Text } from '../contract/text'
import { FailureError } from '../engine/lib'
import { shellLine } from '../engine/stacks'
import { failureIn, type EngineClient } from './engine-client'

type Start = EngineClient['launch']['start']
type Request = Parameters<Start>[0]

/** The command that shows all preflight looked at for a launch. */
export function preflightPointer(request: Request): Text {
  const { recipe, target = 'local', overrides = [], container, nexrl } = request
  const command = shellLine([
    ...['slipway', 'preflight', recipe],
    ...(target === 'local' ? [] : ['--target', target]),
    ...overrides.flatMap(({ path, value }) => ['--set', `${path}=${value}`])
  ])
  return container === undefined && nexrl === undefined
    ? { en: `${command} shows all of it.`, zh: `${command} 可查看全部检查。` }
    : {
        en: `${command}, with the other choices of this launch, shows all of it.`,
        zh: `${command} 加上本次启动的其他选项，可查看全部检查。`
      }
}

/**
 * Starts a launch.
 * @throws FailureError `preflight-failed` with the command that shows all of it as the last line; others as they are
 */
export async function startLaunch(
  engine: EngineClient,
  request: Request
): Promise<Awaited<ReturnType<Start>>> {
  try {
    return await engine.launch.start(request)
  } catch (thrown) {
    const failure = Failure.safeParse(failureIn(thrown))
    if (!failure.success || failure.data.code !== 'preflight-failed') throw thrown
    const { remedy } = failure.data
    const pointer = preflightPointer(request)
    throw new FailureError({
      ...failure.data,
      remedy:
        remedy === undefined
          ? pointer
          : { en: `${remedy.en}\n${pointer.en}`, zh: `${remedy.zh}\n${pointer.zh}` }
    })
  }
}
