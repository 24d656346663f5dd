/** Runs one of several acts that share a task. What it throws is reported, and keeps no other one from being run. */
export function alone(act: () => void): void {
  try {
    act()
  } catch (thrown) {
    reportError(thrown)
  }
}
