/** What the window asks of a browser and jsdom has not: sizes, so that virtual lists have rows, and media queries. */
class NoResize {
  observe(): void {}
  unobserve(): void {}
  disconnect(): void {}
}
Object.assign(window, {
  ResizeObserver: NoResize,
  IntersectionObserver: NoResize,
  requestIdleCallback: (run: () => void) => window.setTimeout(run, 0),
  cancelIdleCallback: (handle: number) => window.clearTimeout(handle),
  matchMedia: () => ({
    matches: false,
    addEventListener: () => undefined,
    removeEventListener: () => undefined
  })
})
Object.assign(Element.prototype, {
  scrollIntoView: () => undefined,
  hasPointerCapture: () => false,
  scrollTo: () => undefined
})
for (const side of ['offsetHeight', 'offsetWidth', 'clientHeight', 'clientWidth']) {
  Object.defineProperty(HTMLElement.prototype, side, { configurable: true, get: () => 800 })
}

export {}
