/**
 * Listens for where files lie that are dropped onto the page: the preload tells. Only messages of this very window are
 * taken.
 * @returns stops listening
 */
export function listenForDrops(take: (paths: readonly string[]) => void): () => void {
  const listener = (event: MessageEvent<unknown>): void => {
    if (event.source !== window) return
    const { data } = event
    if (typeof data !== 'object' || data === null) return
    if (!('kind' in data) || data.kind !== 'slipway-dropped') return
    if (!('paths' in data) || !Array.isArray(data.paths)) return
    take(data.paths.filter((path): path is string => typeof path === 'string'))
  }
  window.addEventListener('message', listener)
  return () => window.removeEventListener('message', listener)
}
