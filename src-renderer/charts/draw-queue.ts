/** Milliseconds of drawing in one frame; what is left waits for the next, so that no task holds the page up. */
const BUDGET = 12

const waiting = new Set<() => void>()
let frame: number | null = null

/**
 * Draws at the next frame, once, however often it was asked for. Many charts that change together are spread over
 * frames.
 */
export function drawSoon(draw: () => void): void {
  waiting.add(draw)
  frame ??= requestAnimationFrame(drawSome)
}

/** Takes back what was asked for; true when it was still to be done. */
export function undraw(draw: () => void): boolean {
  return waiting.delete(draw)
}

function drawSome(): void {
  frame = null
  const begin = performance.now()
  for (const draw of waiting) {
    waiting.delete(draw)
    draw()
    if (performance.now() - begin >= BUDGET) break
  }
  if (waiting.size > 0) frame ??= requestAnimationFrame(drawSome)
}
