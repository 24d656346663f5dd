// Says the story as a person would: one line a step, the path of each picture, and a last line that counts.
export default class StoryReporter {
  passed = 0
  failed = 0

  printsToStdio() {
    return true
  }

  onStepEnd(_test, _result, step) {
    if (step.category !== 'test.step' || step.parent?.category === 'test.step') return
    const ok = step.error === undefined
    this.passed += ok ? 1 : 0
    this.failed += ok ? 0 : 1
    console.log(`${ok ? 'ok  ' : 'FAIL'} ${step.title} (${(step.duration / 1000).toFixed(1)} s)`)
    if (!ok) console.log(step.error.message ?? String(step.error))
  }

  onTestEnd(_test, result) {
    for (const { type, description } of result.annotations ?? [])
      if (type === 'screenshot') console.log(`picture ${description}`)
    // A failure outside of any step (set-up, the last check for complaints) counts too.
    if (result.status !== 'passed' && this.failed === 0) {
      this.failed = 1
      console.log(result.error?.message ?? result.status)
    }
  }

  onError(error) {
    this.failed += 1
    console.log(error.message ?? String(error))
  }

  onEnd() {
    console.log(`${this.passed} passed, ${this.failed} failed`)
  }
}
