/**
 * Runs an act when asked, one at a time and no oftener than `every` milliseconds. What is asked while it runs or
 * rests is answered by one more run at the end.
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
  const rest = (): void => {
    if (state !== 'ended') timer = setTimeout(rested, every)
  }
  const ask = (): void => {
    if (state !== 'idle') {
      if (state === 'busy') state = 'again'
      return
    }
    state = 'busy'
    void act().finally(rest)
  }
  return {
    ask,
    end: () => {
      state = 'ended'
      clearTimeout(timer)
    }
  }
}
