import { alone } from '../state/alone'

/** Milliseconds of drawing in one frame; what is left waits for the next, so that no task holds the page up. */
const BUDGET = 12
/** Milliseconds a frame with drawing in it may take in all: the browser turns what was drawn into pixels at its end. */
const FRAME_BUDGET = 24
const MOST = 12

const waiting = new Set<() => void>()
let frame: number | null = null
/** Drawings in one frame. Without a graphics processor the pixels cost far more than the script, so it is measured. */
let share = 2

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
  let drawn = 0
  for (const draw of waiting) {
    waiting.delete(draw)
    alone(draw)
    drawn++
    if (drawn >= share || performance.now() - begin >= BUDGET) break
  }
  // Comes when the frame is done with. Of a frame whose drawings were all taken back there is nothing to learn.
  const done = drawn
  if (done > 0)
    setTimeout(() => {
      share = nextShare(share, (performance.now() - begin) / done)
    })
  if (waiting.size > 0) frame ??= requestAnimationFrame(drawSome)
}

/**
 * How many drawings the next frame may have when one took `each` milliseconds, pixels included. Falls at once, rises by
 * one: a moment in which the machine did something else costs a few frames and no long task.
 */
export function nextShare(now: number, each: number): number {
  const fits = Math.floor(FRAME_BUDGET / Math.max(each, 0.1))
  return Math.max(1, Math.min(fits, now + 1, MOST))
}
