import type { Release } from '@contract/releases'
import { nameOf } from './release-model'

/**
 * Rows that fit what was typed: every word must be found in the row's name, ids, operation, result or attempt.
 * `r30..r40` picks a range; `served`, `restorable`, `left-behind` pick by that.
 */
export function filterReleases(releases: readonly Release[], typed: string): readonly Release[] {
  const words = typed
    .toLowerCase()
    .split(/\s+/)
    .filter((word) => word !== '')
  if (words.length === 0) return releases
  const tests = words.map(testOf)
  return releases.filter((release) => tests.every((test) => test(release)))
}

type Test = (release: Release) => boolean

function testOf(word: string): Test {
  const range = /^r?(\d+)\.\.r?(\d+)$/.exec(word)
  if (range !== null) {
    const [low, high] = [Number(range[1]), Number(range[2])].sort((a, b) => a - b)
    return (release) => release.step >= (low ?? 0) && release.step <= (high ?? Infinity)
  }
  switch (word) {
    case 'served':
      return (release) => release.served
    case 'restorable':
      return (release) => release.restorable
    case 'left-behind':
      return (release) => release.leftBehind
    default:
      return (release) =>
        nameOf(release.step) === word || haystack(release).some((text) => text.includes(word))
  }
}

function haystack(release: Release): string[] {
  return [
    release.releaseId,
    release.contentId,
    release.operation,
    release.result,
    release.checkpoint ?? '',
    `attempt ${release.attempt}`
  ].map((text) => text.toLowerCase())
}
