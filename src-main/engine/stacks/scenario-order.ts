/**
 * A run's scenarios, the one a person means when they name none first: those that have trained, in the order they were
 * seen, then the others. A client makes a scenario by naming one, and that must not take the place of the run's own.
 * Those that appear together stand by how far they have come.
 *
 * @param stepOf Newest step of a scenario's chain, 0 before the first.
 */
export function scenarioOrder(
  known: readonly string[],
  found: Iterable<string>,
  stepOf: (scenario: string) => number
): string[] {
  const fresh = [...new Set(found)]
    .filter((name) => !known.includes(name))
    .sort((a, b) => stepOf(b) - stepOf(a) || (a < b ? -1 : 1))
  const all = [...known, ...fresh]
  return [...all.filter((name) => stepOf(name) > 0), ...all.filter((name) => stepOf(name) === 0)]
}
