/** A piece of a line; `hit` is what was sought. Pieces put together give the line again. */
export interface Piece {
  text: string
  hit: boolean
}

/** Cuts a line at every place where `sought` stands, letters of either case. */
export function splitMatch(line: string, sought: string): Piece[] {
  if (sought === '') return [{ text: line, hit: false }]
  const lower = line.toLowerCase()
  const needle = sought.toLowerCase()
  // Lowering may change the length of some letters; then positions no longer fit and nothing is marked.
  if (lower.length !== line.length) return [{ text: line, hit: false }]
  const pieces: Piece[] = []
  let from = 0
  for (;;) {
    const at = lower.indexOf(needle, from)
    if (at === -1) break
    if (at > from) pieces.push({ text: line.slice(from, at), hit: false })
    pieces.push({ text: line.slice(at, at + needle.length), hit: true })
    from = at + needle.length
  }
  if (from < line.length || pieces.length === 0) {
    pieces.push({ text: line.slice(from), hit: false })
  }
  return pieces
}
