/** Tags out of what was typed: parted by commas of either script, no blanks, each once. */
export function readTags(text: string): string[] {
  const tags = text
    .split(/[,，、]/)
    .map((tag) => tag.trim())
    .filter((tag) => tag !== '')
  return [...new Set(tags)]
}
