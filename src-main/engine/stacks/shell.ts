/** One word of a POSIX shell line. Words that need no quotes get none, so that the line reads as people write it. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./~-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`
}

/** A command as one shell line. */
export function shellLine(argv: readonly string[]): string {
  return argv.map(shellWord).join(' ')
}
