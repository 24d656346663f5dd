/**
 * The words of a line: blanks part them, quotes of either kind hold them together and a backslash takes the character
 * after it as it is, except between single quotes. Nothing else means anything. Null while a quote is open.
 */
export function commandWords(line: string): string[] | null {
  const words: string[] = []
  let word: string | null = null
  let quote = ''
  for (let i = 0; i < line.length; i += 1) {
    const letter = line.charAt(i)
    if (letter === quote) quote = ''
    else if (quote === '' && (letter === '"' || letter === "'")) {
      quote = letter
      word ??= ''
    } else if (quote === '' && /\s/.test(letter)) {
      if (word !== null) words.push(word)
      word = null
    } else if (letter === '\\' && quote !== "'" && i + 1 < line.length) {
      i += 1
      word = (word ?? '') + line.charAt(i)
    } else word = (word ?? '') + letter
  }
  if (quote !== '') return null
  return word === null ? words : [...words, word]
}
