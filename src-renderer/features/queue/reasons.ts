/** What begins a line that says what to do about the reason before it: in words, or as a command. */
const REMEDY = /^(?:→|\$) /

/** A text of several lines as reasons, each with the lines that belong to it. */
export function reasonsOf(why: string): string[][] {
  const reasons: string[][] = []
  for (const line of why.split('\n').filter((one) => one.trim() !== '')) {
    const last = reasons.at(-1)
    if (last !== undefined && REMEDY.test(line)) last.push(line)
    else reasons.push([line])
  }
  return reasons
}
