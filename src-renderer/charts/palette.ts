/** Colours a canvas needs, read from the theme's CSS variables. Names follow the variables. */
export type Palette = {
  readonly series: readonly string[]
  readonly compareA: string
  readonly compareB: string
  readonly panel: string
  readonly text: string
  readonly text2: string
  readonly text3: string
  readonly grid: string
  readonly axis: string
  readonly lit: string
  readonly ring: string
  readonly accentText: string
  readonly running: string
  readonly ready: string
  readonly warn: string
  readonly fail: string
  readonly failWash: string
  readonly line3: string
  readonly sans: string
  readonly mono: string
}

/** How one series is told from the others: its colour token and, beyond six series, a dash pattern. */
export type SeriesLook = { readonly token: SeriesToken; readonly dash: readonly number[] }

export type SeriesToken = 'c1' | 'c2' | 'c3' | 'c4' | 'c5' | 'c6' | 'cmp-a' | 'cmp-b'

const SERIES_TOKENS = ['c1', 'c2', 'c3', 'c4', 'c5', 'c6'] as const
const DASHES: readonly (readonly number[])[] = [[], [6, 3], [2, 3], [8, 3, 2, 3]]

/**
 * The look of each name, fixed by its place among *all* names of the panel, so that hiding one recolours none.
 * The first six differ by colour, the next by dash as well.
 */
export function looksOf(names: readonly string[]): ReadonlyMap<string, SeriesLook> {
  return new Map(
    names.map((name, index) => [
      name,
      {
        token: SERIES_TOKENS[index % SERIES_TOKENS.length] ?? 'c1',
        dash: DASHES[Math.floor(index / SERIES_TOKENS.length) % DASHES.length] ?? []
      }
    ])
  )
}

/** The palette's colour of a token. */
export function colourOf(palette: Palette, token: SeriesToken): string {
  switch (token) {
    case 'cmp-a':
      return palette.compareA
    case 'cmp-b':
      return palette.compareB
    case 'c1':
    case 'c2':
    case 'c3':
    case 'c4':
    case 'c5':
    case 'c6':
      return palette.series[SERIES_TOKENS.indexOf(token)] ?? palette.text
  }
}

/** Reads the palette from an element's computed style. */
export function readPalette(element: Element): Palette {
  const style = getComputedStyle(element)
  const read = (name: string): string => style.getPropertyValue(`--${name}`).trim()
  return {
    series: SERIES_TOKENS.map(read),
    compareA: read('cmp-a'),
    compareB: read('cmp-b'),
    panel: read('panel'),
    text: read('text'),
    text2: read('text-2'),
    text3: read('text-3'),
    grid: read('grid'),
    axis: read('axis'),
    lit: read('lit'),
    ring: read('ring'),
    accentText: read('accent-text'),
    running: read('running'),
    ready: read('ready'),
    warn: read('warn'),
    fail: read('fail'),
    failWash: read('fail-wash'),
    line3: read('line-3'),
    sans: read('sans') || 'sans-serif',
    mono: read('mono') || 'monospace'
  }
}

type PaletteListener = (palette: Palette) => void

let current: Palette | null = null
let observer: MutationObserver | null = null
const listeners = new Set<PaletteListener>()

/** The page's palette. Read once, then again only when the theme changes. */
export function currentPalette(): Palette {
  current ??= readPalette(document.documentElement)
  return current
}

/** Calls `listener` after each change of theme; returns the unsubscribe. */
export function onPaletteChange(listener: PaletteListener): () => void {
  listeners.add(listener)
  observer ??= watchTheme()
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    observer?.disconnect()
    observer = null
    current = null
  }
}

function watchTheme(): MutationObserver {
  const watching = new MutationObserver(() => {
    current = readPalette(document.documentElement)
    for (const listener of [...listeners]) listener(current)
  })
  watching.observe(document.documentElement, {
    attributes: true,
    attributeFilter: ['data-theme', 'class']
  })
  return watching
}
