/**
 * Seeded random numbers: everything the practice stack draws comes from a named stream, so that two
 * runs with one seed see the same tasks and the same frozen base.
 */

/**
 * Hash of a text to 32 bits (FNV-1a, public domain).
 * @param {string} text
 * @returns {number}
 */
export function hashText(text) {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index += 1) {
    hash ^= text.charCodeAt(index)
    hash = Math.imul(hash, 0x01000193)
  }
  return hash >>> 0
}

/** A stream of random numbers that depends on its name alone. */
export class RandomStream {
  /** @param {string | number} name */
  constructor(name) {
    let state = hashText(String(name)) || 1
    /** Mulberry32: 32 bits of state are enough for tasks and noise. */
    this.next = () => {
      state = (state + 0x6d2b79f5) >>> 0
      let mixed = Math.imul(state ^ (state >>> 15), state | 1)
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296
    }
  }

  /**
   * Whole number in [0, limit).
   * @param {number} limit
   */
  integer(limit) {
    return Math.floor(this.next() * limit)
  }

  /** Standard normal number (Box–Muller). */
  normal() {
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()))
    return radius * Math.cos(2 * Math.PI * this.next())
  }

  /**
   * The items in a random order in which none keeps its place (Sattolo's cycle); the argument stays as it is.
   * @template T
   * @param {readonly T[]} items
   * @returns {T[]}
   */
  passedOn(items) {
    const copy = [...items]
    for (let last = copy.length - 1; last > 0; last -= 1) {
      const other = this.integer(last)
      const kept = copy[last]
      copy[last] = copy[other]
      copy[other] = kept
    }
    return copy
  }
}
