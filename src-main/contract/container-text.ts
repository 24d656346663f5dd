/** How choices for a container are typed, on the command line and in the window. */

/** `0,2` as a list; `none` as no GPU at all; `all` and an empty text as null: no choice. */
export function gpusOf(text: string): string[] | null {
  const names = text
    .split(/[,，]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
  if (names.length === 0 || (names.length === 1 && names[0] === 'all')) return null
  return names.filter((name) => name !== 'none')
}

const powers: Readonly<Record<string, number>> = { b: 0, k: 1, m: 2, g: 3, t: 4 }

/** `32g`, `512m`, `64 GiB` or a plain number of bytes, as `docker run --shm-size` reads it; null for anything else. */
export function bytesOf(text: string): number | null {
  const parts = /^(\d{1,15}(?:\.\d{1,6})?)\s*(?:([bkmgt])(?:i?b)?)?$/i.exec(text.trim())
  if (parts === null) return null
  const bytes = Math.round(
    Number(parts[1]) * 1024 ** (powers[(parts[2] ?? 'b').toLowerCase()] ?? 0)
  )
  return bytes > 0 && Number.isSafeInteger(bytes) ? bytes : null
}
