import type { RunStore } from '../runs'
import { isFinal } from './attempt-state'

/** Ports of unfinished runs, this one left out: a stack that is just starting does not listen yet. */
export async function reservedPorts(
  store: RunStore,
  except: string | null
): Promise<ReadonlySet<number>> {
  const { records } = await store.list()
  const ports = records.flatMap(({ id, attempts }) => {
    const last = attempts.at(-1)
    if (id === except || last === undefined || isFinal(last.state)) return []
    return last.address === null ? [] : [Number(new URL(last.address).port)]
  })
  return new Set(ports)
}
