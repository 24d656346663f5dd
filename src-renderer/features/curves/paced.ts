/** Times as long as an act took that follow without it: a dear one is rarer, and never takes more than two thirds. */
const REST_OVER_WORK = 0.5

/**
 * Runs an act when asked, one at a time and no oftener than `every` milliseconds, rarer when it takes long. What is
 * asked while it runs or rests is answered by one more run at the end.
 */
export function paced(
  every: number,
  act: () => Promise<unknown>
): { readonly ask: () => void; readonly end: () => void } {
  let state: 'idle' | 'busy' | 'again' | 'ended' = 'idle'
  let timer: ReturnType<typeof setTimeout> | undefined
  const rested = (): void => {
    if (state === 'ended') return
    const wanted = state === 'again'
    state = 'idle'
    if (wanted) ask()
  }
  const rest = (began: number): void => {
    if (state === 'ended') return
    timer = setTimeout(rested, Math.max(every, REST_OVER_WORK * (performance.now() - began)))
  }
  const ask = (): void => {
    if (state !== 'idle') {
      if (state === 'busy') state = 'again'
      return
    }
    state = 'busy'
    const began = performance.now()
    void act().finally(() => rest(began))
  }
  return {
    ask,
    end: () => {
      state = 'ended'
      clearTimeout(timer)
    }
  }
}
