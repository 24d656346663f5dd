import type { Pen } from './pen'

/** Width of a letter as a share of the font size, where nothing can be measured. */
const LETTER = 0.56

type State = Pick<
  Pen,
  | 'fillStyle'
  | 'strokeStyle'
  | 'globalAlpha'
  | 'lineWidth'
  | 'lineJoin'
  | 'lineCap'
  | 'font'
  | 'textAlign'
  | 'textBaseline'
> & { dash: readonly number[]; clip: string | null }

/** A pen that writes SVG elements instead of pixels, for the same drawing functions. */
export class SvgPen implements Pen {
  fillStyle: Pen['fillStyle'] = '#000'
  strokeStyle: Pen['strokeStyle'] = '#000'
  globalAlpha = 1
  lineWidth = 1
  lineJoin: Pen['lineJoin'] = 'miter'
  lineCap: Pen['lineCap'] = 'butt'
  font = '12px sans-serif'
  textAlign: Pen['textAlign'] = 'start'
  textBaseline: Pen['textBaseline'] = 'alphabetic'
  readonly #parts: string[] = []
  readonly #kept: State[] = []
  #path: string[] = []
  #dash: readonly number[] = []
  #clip: string | null = null
  #clips = 0

  /** What has been drawn, as the inside of an `svg` element. */
  content(): string {
    return this.#parts.join('\n')
  }

  beginPath(): void {
    this.#path = []
  }

  closePath(): void {
    this.#path.push('Z')
  }

  moveTo(x: number, y: number): void {
    this.#path.push(`M${at(x)} ${at(y)}`)
  }

  lineTo(x: number, y: number): void {
    this.#path.push(`L${at(x)} ${at(y)}`)
  }

  rect(x: number, y: number, width: number, height: number): void {
    this.#path.push(`M${at(x)} ${at(y)}h${at(width)}v${at(height)}h${at(-width)}Z`)
  }

  /** Whole circles only, which is all that charts draw. */
  arc(x: number, y: number, radius: number): void {
    const r = at(radius)
    this.#path.push(
      `M${at(x - radius)} ${at(y)}a${r} ${r} 0 1 0 ${at(2 * radius)} 0a${r} ${r} 0 1 0 ${at(-2 * radius)} 0Z`
    )
  }

  fill(): void {
    this.#add(`<path d="${this.#path.join('')}" fill="${colour(this.fillStyle)}"${this.#alpha()}/>`)
  }

  stroke(): void {
    const dash =
      this.#dash.length === 0 ? '' : ` stroke-dasharray="${this.#dash.map(at).join(' ')}"`
    this.#add(
      `<path d="${this.#path.join('')}" fill="none" stroke="${colour(this.strokeStyle)}" stroke-width="${at(this.lineWidth)}" stroke-linejoin="${this.lineJoin}" stroke-linecap="${this.lineCap}"${dash}${this.#alpha()}/>`
    )
  }

  fillRect(x: number, y: number, width: number, height: number): void {
    this.#add(
      `<rect x="${at(x)}" y="${at(y)}" width="${at(Math.max(0, width))}" height="${at(Math.max(0, height))}" fill="${colour(this.fillStyle)}"${this.#alpha()}/>`
    )
  }

  fillText(text: string, x: number, y: number): void {
    const anchor = { right: 'end', end: 'end', center: 'middle', left: 'start', start: 'start' }
    const baseline = this.textBaseline === 'middle' ? ' dominant-baseline="middle"' : ''
    this.#add(
      `<text x="${at(x)}" y="${at(y)}" style="font:${escaped(this.font)}" text-anchor="${anchor[this.textAlign]}"${baseline} fill="${colour(this.fillStyle)}"${this.#alpha()}>${escaped(text)}</text>`
    )
  }

  measureText(text: string): TextMetrics {
    const size = Number(/([\d.]+)px/.exec(this.font)?.[1] ?? 12)
    const letters = [...text].reduce((sum, letter) => sum + (letter > '\u2e80' ? 1 : LETTER), 0)
    const none = 0
    return {
      width: letters * size,
      actualBoundingBoxAscent: none,
      actualBoundingBoxDescent: none,
      actualBoundingBoxLeft: none,
      actualBoundingBoxRight: none,
      alphabeticBaseline: none,
      emHeightAscent: none,
      emHeightDescent: none,
      fontBoundingBoxAscent: none,
      fontBoundingBoxDescent: none,
      hangingBaseline: none,
      ideographicBaseline: none
    }
  }

  setLineDash(dash: Iterable<number>): void {
    this.#dash = [...dash]
  }

  save(): void {
    const { fillStyle, strokeStyle, globalAlpha, lineWidth, lineJoin, lineCap } = this
    const { font, textAlign, textBaseline } = this
    this.#kept.push({
      fillStyle,
      strokeStyle,
      globalAlpha,
      lineWidth,
      lineJoin,
      lineCap,
      font,
      textAlign,
      textBaseline,
      dash: this.#dash,
      clip: this.#clip
    })
  }

  restore(): void {
    const kept = this.#kept.pop()
    if (kept === undefined) return
    const { dash, clip, ...style } = kept
    Object.assign(this, style)
    this.#dash = dash
    if (this.#clip !== null && clip === null) this.#parts.push('</g>')
    this.#clip = clip
  }

  clip(): void {
    const id = `cut-${++this.#clips}`
    this.#parts.push(
      `<clipPath id="${id}"><path d="${this.#path.join('')}"/></clipPath>`,
      `<g clip-path="url(#${id})">`
    )
    this.#clip = id
  }

  #add(element: string): void {
    this.#parts.push(element)
  }

  #alpha(): string {
    return this.globalAlpha === 1 ? '' : ` opacity="${at(this.globalAlpha)}"`
  }
}

/** Two decimals are a hundredth of a pixel. */
function at(value: number): string {
  return String(Math.round(value * 100) / 100)
}

function colour(style: Pen['fillStyle']): string {
  return typeof style === 'string' ? escaped(style) : 'currentColor'
}

export function escaped(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}
