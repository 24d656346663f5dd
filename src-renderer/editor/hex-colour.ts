/**
 * A CSS colour of the tokens (`#rgb`, `#rrggbb`, `rgba(r, g, b, a)`) as `#rrggbb` or `#rrggbbaa`, the only form the editor reads.
 * Anything else becomes black, which is seen at once.
 */
export function hexColour(css: string): string {
  const text = css.trim()
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text)
  if (short !== null)
    return `#${short
      .slice(1)
      .map((digit) => digit + digit)
      .join('')}`
  if (/^#([0-9a-f]{6}|[0-9a-f]{8})$/i.test(text)) return text
  const parts = /^rgba?\(([^)]+)\)$/i
    .exec(text)?.[1]
    ?.split(/[\s,/]+/)
    .filter((part) => part !== '')
  if (parts === undefined || parts.length < 3) return '#000000'
  const [red, green, blue, alpha = '1'] = parts
  return `#${[red, green, blue].map((part) => byte(Number(part))).join('')}${byte(Number(alpha) * 255)}`
}

function byte(value: number): string {
  const whole = Number.isFinite(value) ? Math.round(Math.max(0, Math.min(255, value))) : 0
  return whole.toString(16).padStart(2, '0')
}
