import type { Text } from '../contract/text'

/** Exit codes of every command. */
export const EXIT = { ok: 0, failed: 1, unreadable: 2, strict: 3 } as const

/** Where a command writes. Injected, so that tests read what a person would. */
export interface Io {
  out(text: string): void
  err(text: string): void
  /** Writes a piece of a text that is still coming, as it is; absent where only whole texts are taken. */
  piece?: (text: string) => void
  /** Sets the exit code; the process ends when nothing is left to do. */
  exit(code: number): void
  /** Language of sentences; JSON always carries both. */
  language: 'en' | 'zh'
  /** True when what goes wrong is to be said as JSON: one `{"error": …}` a line. */
  json?: () => boolean
}

/** The language of the terminal: `LC_ALL`, `LC_MESSAGES`, `LANG`, in the order the C library reads them. */
export function terminalLanguage(
  environment: Readonly<Record<string, string | undefined>>
): 'en' | 'zh' {
  const name = environment['LC_ALL'] || environment['LC_MESSAGES'] || environment['LANG'] || ''
  return name.toLowerCase().startsWith('zh') ? 'zh' : 'en'
}

export function words(io: Io, text: Text): string {
  return text[io.language]
}

/** What a person should know and keeps nothing from going on, on standard error: words, or one line of JSON. */
export function note(io: Io, text: Text): void {
  io.err(io.json?.() === true ? JSON.stringify({ note: text }) : words(io, text))
}

/** A word with the colon its language writes, ready for what follows. */
export function label(io: Io, text: Text): string {
  return io.language === 'zh' ? `${text.zh}：` : `${text.en}: `
}

/** Columns padded to their widest cell, two spaces apart. CJK characters take two columns. */
export function table(written: readonly (readonly string[])[]): string {
  // A line break in a cell would tear the rows apart.
  const rows = written.map((row) => row.map((cell) => cell.replace(/[\p{Cc}\p{Zl}\p{Zp}]+/gu, ' ')))
  const widths: number[] = []
  for (const row of rows)
    row.forEach((cell, index) => {
      widths[index] = Math.max(widths[index] ?? 0, columnsOf(cell))
    })
  return rows
    .map((row) =>
      row
        .map((cell, index) => cell + ' '.repeat((widths[index] ?? 0) - columnsOf(cell)))
        .join('  ')
        .trimEnd()
    )
    .join('\n')
}

/** Columns of a terminal a text takes: CJK characters take two. */
export function columnsOf(text: string): number {
  let columns = 0
  for (const character of text) columns += (character.codePointAt(0) ?? 0) >= 0x1100 ? 2 : 1
  return columns
}
