import { implement, ORPCError, ValidationError } from '@orpc/server'
import { contract } from '../../contract'
import type { Failure } from '../../contract/failure'
import { errorCode, FailureError, messageOf, redactor } from '../lib'
import { inputFailure } from './input-failure'

const redact = redactor([])

/** What a thrown thing becomes for the other side: a Failure as it is, anything else as an unexpected one. */
export function failureOf(thrown: unknown): Failure {
  if (thrown instanceof FailureError) return thrown.failure
  const code = errorCode(thrown)
  if (code === 'ENOSPC') return diskFull(messageOf(thrown))
  if (code !== undefined && NOT_WRITABLE.has(code) && hasPath(thrown))
    return notWritable(code, messageOf(thrown))
  return {
    code: 'unexpected',
    what: {
      en: 'Something in Slipway itself went wrong.',
      zh: 'Slipway 内部出现意外错误。'
    },
    detail: redact(messageOf(thrown)),
    remedy: {
      en: 'Your runs go on. Try again; if it stays, please report it with the detail.',
      zh: '运行不受影响。请重试；若仍出现，请附上详情反馈。'
    }
  }
}

/** A full disk is no fault of ours, and has a way out. */
function diskFull(said: string): Failure {
  return {
    code: 'disk-full',
    what: {
      en: 'The disk that holds the Slipway home is full, so this was not done.',
      zh: '存放 Slipway 主目录的磁盘已满，操作未执行。'
    },
    detail: redact(said),
    remedy: {
      en: 'Free some space, a few megabytes are enough, and do it again. What runs goes on.',
      zh: '请腾出一些空间（几 MB 即可）后重试。正在运行的不受影响。'
    }
  }
}

const NOT_WRITABLE: ReadonlySet<string> = new Set(['EROFS', 'EACCES', 'EPERM'])

/** A signal that may not be sent has the same codes, and no path. */
function hasPath(thrown: unknown): boolean {
  return thrown instanceof Error && 'path' in thrown && typeof thrown.path === 'string'
}

/** A file system that became read-only, or a file of another user: no fault of ours either. */
function notWritable(code: string, said: string): Failure {
  return {
    code: 'not-writable',
    what:
      code === 'EROFS'
        ? {
            en: 'The file system is mounted read-only, so this was not done.',
            zh: '文件系统是只读挂载的，操作未执行。'
          }
        : {
            en: 'This user may not do that to a file, so this was not done.',
            zh: '当前用户无权对某个文件执行该操作，操作未执行。'
          },
    detail: redact(said),
    remedy: {
      en: 'Give this user the right to write there, or start Slipway with another home (--home, SLIPWAY_HOME). What runs goes on.',
      zh: '请授予当前用户写入权限，或用其他主目录启动 Slipway（--home、SLIPWAY_HOME）。正在运行的不受影响。'
    }
  }
}

function isStream(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Every procedure fails with FAILED and a Failure, whatever was thrown inside, also in the middle of a stream. */
export const os = implement(contract).use(async ({ next, errors }) => {
  const failed = (thrown: unknown): Error => {
    // Input that is not of the contract was refused before anything of ours ran.
    if (
      thrown instanceof ORPCError &&
      thrown.code === 'BAD_REQUEST' &&
      thrown.cause instanceof ValidationError
    )
      return errors.FAILED({ data: inputFailure(thrown.cause.issues, thrown.cause.data) })
    if (thrown instanceof ORPCError) return thrown
    if (!(thrown instanceof FailureError) && errorCode(thrown) !== 'ENOSPC') console.error(thrown)
    return errors.FAILED({ data: failureOf(thrown) })
  }
  async function* guarded(stream: AsyncIterable<unknown>): AsyncGenerator<unknown, void, void> {
    try {
      yield* stream
    } catch (thrown) {
      throw failed(thrown)
    }
  }
  try {
    const result = await next()
    return isStream(result.output) ? { ...result, output: guarded(result.output) } : result
  } catch (thrown) {
    throw failed(thrown)
  }
})
