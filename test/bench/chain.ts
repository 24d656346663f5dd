import type { Release } from '@contract/releases'
import { buildChain, parseReleaseList, partsOf } from '../../src-main/engine/releases'
import { layoutChain } from '../../src-renderer/features/releases/chain-layout'
import { releaseSpans } from '../../src-renderer/features/releases/release-spans'

/** Milliseconds for a chain of some length. */
export interface ChainTimes {
  /** The engine: rows as a service gives them to a chain, and to the parts the page is sent. */
  build: number
  /** The page: the longest piece of work a new chain brings (graph or places on the curves). */
  longest: number
}

function bodyOf(rows: number): unknown {
  const releases = Array.from({ length: rows }, (_, step) => ({
    release_id: step.toString(16).padStart(40, '0'),
    parent_release_id: step === 0 ? null : (step - 1).toString(16).padStart(40, '0'),
    content_id: `ck-${step}`,
    content_kind: 'saved_artifact',
    checkpoint: true,
    recorded_at: step === 0 ? null : 1.7e9 + step,
    operation: step === 0 ? 'creation' : 'training',
    pending: false,
    metrics: { 'rollout/rewards': step / rows, 'train/loss': 1 / (step + 1) }
  }))
  return { releases: releases.reverse() }
}

function timed<T>(work: () => T): { took: number; result: T } {
  const begun = performance.now()
  const result = work()
  return { took: performance.now() - begun, result }
}

function once(body: unknown): ChainTimes {
  const { took: build, result: releases } = timed((): Release[] => {
    const chain = buildChain(parseReleaseList(body))
    const head = { run: 'r', scenario: 's', scenarios: ['s'], from: 'disk' as const, readAt: 0 }
    for (const part of partsOf(null, { ...head, releases: chain })) JSON.stringify(part)
    return chain
  })
  const graph = timed(() => layoutChain(releases)).took
  const scene = { axis: 'step' as const, attemptStarts: new Map<number, number>() }
  const spans = timed(() => releaseSpans({ ...scene, releases, newest: null, training: false }))
  return { build, longest: Math.max(graph, spans.took) }
}

/** The best of a few runs: what else the machine does only adds. */
export function benchChain(rows: number): ChainTimes {
  const body = bodyOf(rows)
  const runs = Array.from({ length: 5 }, () => once(body))
  return {
    build: Math.min(...runs.map((run) => run.build)),
    longest: Math.min(...runs.map((run) => run.longest))
  }
}
