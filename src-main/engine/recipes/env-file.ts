/** Reads `NAME=value` lines as shells and Docker's `--env-file` do: comments, `export`, and quotes are understood. */
export function parseEnvFile(text: string): Record<string, string> {
  const found: Record<string, string> = {}
  for (const line of text.split(/\r?\n/)) {
    const match = /^\s*(?:export\s+)?([A-Za-z_]\w*)\s*=\s*(.*)$/.exec(line)
    const name = match?.[1]
    if (name !== undefined) found[name] = valueOf(match?.[2] ?? '')
  }
  return found
}

function valueOf(written: string): string {
  const quote = written.charAt(0)
  if (quote === '"' || quote === "'") {
    const end = written.indexOf(quote, 1)
    if (end !== -1) return written.slice(1, end)
  }
  return written.replace(/\s+#.*$/, '').trim()
}
