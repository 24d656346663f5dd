import { createRouterClient } from '@orpc/server'
import { ORPCError } from '@orpc/client'
import type { ContractRouterClient } from '@orpc/contract'
import type { Contract } from '../contract'
import { Failure } from '../contract/failure'
import { openEngine } from '../engine'
import { EXIT, words, type Io } from './output'

export type EngineClient = ContractRouterClient<Contract>

export interface EngineOptions {
  home: string | undefined
  resources: string
  recipes: string
  version: string
}

/** Opens the engine in this process, runs `work` with a client of the same contract the page uses, and closes it. */
export async function withEngine<T>(
  options: EngineOptions,
  work: (engine: EngineClient) => Promise<T>
): Promise<T> {
  const engine = await openEngine({ ...options, host: null, watch: 'asked' })
  try {
    return await work(createRouterClient(engine.router))
  } finally {
    await engine.dispose()
  }
}

/** Says a failure the way the page does: what, where, what to do. Returns the exit code it means. */
export function reportFailure(io: Io, thrown: unknown): number {
  const parsed = Failure.safeParse(thrown instanceof ORPCError ? thrown.data : undefined)
  if (!parsed.success) {
    io.err(thrown instanceof Error ? thrown.message : String(thrown))
    return EXIT.failed
  }
  const { what, where, remedy, detail, code } = parsed.data
  io.err(where === undefined ? words(io, what) : `${words(io, what)} [${where}]`)
  if (detail !== undefined) io.err(detail)
  if (remedy !== undefined) io.err(words(io, remedy))
  return code.endsWith('unreadable') || code.endsWith('-not-found') ? EXIT.unreadable : EXIT.failed
}
