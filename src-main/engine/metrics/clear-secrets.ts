import { REDACTED, SHORTEST_SECRET } from '../lib'

/** A secret variable of the stack whose log is read. */
export interface NamedSecret {
  name: string
  value: string
}

/** Looks for values of secrets in the bytes of a log, each until it was seen once. */
export class ClearSecrets {
  private readonly left: Map<string, Buffer>

  /** Short values would be found in ordinary words. */
  constructor(secrets: readonly NamedSecret[]) {
    this.left = new Map(
      secrets
        .filter(({ value }) => value.length >= SHORTEST_SECRET)
        .map(({ name, value }) => [name, Buffer.from(value, 'utf8')])
    )
  }

  /** Names of the secrets in these bytes that were not seen before, with the place in them where each begins. */
  look(bytes: Buffer): { name: string; at: number }[] {
    const found: { name: string; at: number }[] = []
    for (const [name, value] of this.left) {
      const at = bytes.indexOf(value)
      if (at === -1) continue
      this.left.delete(name)
      found.push({ name, at })
    }
    return found
  }
}

/** What stands in an event in place of the line, which is not kept. */
export function clearLine(name: string): string {
  return `${name}=${REDACTED}`
}
