import type { Chain, ChainPart, Release } from '@contract/releases'

/** Puts a chain together that comes in parts, and keeps it as parts with what changed follow. */
export class ChainAssembly {
  private rows: Release[] = []

  /** The chain with this part; null while it is not whole yet. */
  add({ fresh, total: _, done, ...part }: ChainPart): Chain | null {
    void _
    this.rows = fresh ? [...part.releases] : joined(this.rows, part.releases)
    return done ? { ...part, releases: [...this.rows] } : null
  }
}

/** Rows with those that are new or differ. The next piece of a chain that is still coming is older than all before it. */
function joined(rows: Release[], changed: readonly Release[]): Release[] {
  const oldest = rows.at(-1)
  const newest = changed[0]
  if (newest === undefined) return rows
  if (oldest !== undefined && oldest.step <= newest.step) return merged(rows, changed)
  rows.push(...changed)
  return rows
}

/** Two lists of rows, newest first, as one; where both have a step, the second one's row. */
function merged(rows: readonly Release[], changed: readonly Release[]): Release[] {
  const all: Release[] = []
  let at = 0
  for (const row of changed) {
    for (let old = rows[at]; old !== undefined && old.step > row.step; old = rows[(at += 1)])
      all.push(old)
    if (rows[at]?.step === row.step) at += 1
    all.push(row)
  }
  for (; at < rows.length; at += 1) {
    const old = rows[at]
    if (old !== undefined) all.push(old)
  }
  return all
}

/** The first whole chain of a stream of parts. Throws when the stream ends before it. */
export async function firstChain(parts: AsyncIterable<ChainPart>): Promise<Chain> {
  const assembly = new ChainAssembly()
  for await (const part of parts) {
    const chain = assembly.add(part)
    if (chain !== null) return chain
  }
  throw new Error('the chain broke off')
}
