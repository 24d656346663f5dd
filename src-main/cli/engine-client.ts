import { createRouterClient } from '@orpc/server'
import { ORPCError } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '../contract'
import { Failure } from '../contract/failure'
import type { Text } from '../contract/text'
import { openEngine } from '../engine'
import { FailureError, messageOf } from '../engine/lib'
import { EXIT, words, type Io } from './output'

export type EngineClient = ContractRouterClient<Contract>

export interface EngineOptions {
  home: string | undefined
  resources: string
  recipes: string
  version: string
  /** Told of what is wrong and keeps nobody from going on. */
  warn?: (problem: Text) => void
}

/** Opens the engine in this process, runs `work` with a client of the same contract the page uses, and closes it. */
export async function withEngine<T>(
  options: EngineOptions,
  work: (engine: EngineClient) => Promise<T>
): Promise<T> {
  const engine = await openEngine({ ...options, host: null, watch: 'asked' })
  if (engine.problem !== null) options.warn?.(engine.problem)
  try {
    return await work(createRouterClient(engine.router))
  } finally {
    await engine.dispose()
  }
}

/** Says a failure the way the page does: what, where, what to do. Returns the exit code it means. */
export function reportFailure(io: Io, thrown: unknown): number {
  const parsed = Failure.safeParse(failureIn(thrown))
  if (!parsed.success) {
    const said = messageOf(thrown)
    const error: Failure = { code: 'unexpected', what: { en: said, zh: said } }
    io.err(io.json?.() === true ? JSON.stringify({ error }) : said)
    return EXIT.failed
  }
  return reportFailureOf(io, parsed.data)
}

/** The same for a failure that was handed on rather than thrown. */
export function reportFailureOf(io: Io, failure: Failure): number {
  sayFailure(io, failure)
  return unreadable.test(failure.code) ? EXIT.unreadable : EXIT.failed
}

/** A failure as a person reads it, or as one line of JSON where that was asked for. */
export function sayFailure(io: Io, failure: Failure): void {
  if (io.json?.() === true) {
    io.err(JSON.stringify({ error: failure }))
    return
  }
  const { what, where, remedy, detail } = failure
  io.err(placed(words(io, what), where))
  if (detail !== undefined && detail !== '') io.err(detail)
  if (remedy !== undefined) io.err(words(io, remedy))
}

/** What is wrong and where. Of several lines the first says where, for the others may be commands to copy. */
function placed(what: string, where: string | undefined): string {
  if (where === undefined) return what
  const [first = '', ...others] = what.split('\n')
  return [`${first} [${where}]`, ...others].join('\n')
}

/** Codes of failures that are about what was given to read: a missing file, a folder, nothing, no text. */
const unreadable =
  /unreadable$|^import-empty$|^metrics-file-|^metrics-folder-|-not-found$|^recipe-missing$|^run-damaged$/

/** The failure that was thrown, here or behind the contract; anything at all when it was none. */
export function failureIn(thrown: unknown): unknown {
  if (thrown instanceof FailureError) return thrown.failure
  return thrown instanceof ORPCError ? thrown.data : undefined
}
