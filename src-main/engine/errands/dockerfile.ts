import type { CheckoutFacts } from '../../contract/errands'

type DockerfileFacts = Pick<CheckoutFacts, 'stages' | 'arguments' | 'bases'>

/** Instructions with their continuation lines joined; comments and the bodies of RUN are of no interest here. */
function* instructions(text: string): Generator<{ word: string; rest: string }> {
  const joined = text.replace(/\\[ \t]*\r?\n/g, ' ')
  for (const line of joined.split(/\r?\n/)) {
    const parts = /^\s*(ARG|FROM)\s+(.+?)\s*$/i.exec(line)
    if (parts?.[1] !== undefined && parts[2] !== undefined)
      yield { word: parts[1].toUpperCase(), rest: parts[2] }
  }
}

function unquoted(value: string): string {
  return /^(["']).*\1$/.test(value) ? value.slice(1, -1) : value
}

/** Stages, build arguments and base images of a Dockerfile, in its order. Pure; never throws. */
export function readDockerfile(text: string): DockerfileFacts {
  const stages: string[] = []
  const bases: string[] = []
  const values = new Map<string, string | null>()
  for (const { word, rest } of instructions(text)) {
    if (word === 'ARG') {
      const [name, ...value] = rest.split('=')
      // An ARG that is named again in a stage only makes the first one's value visible there.
      if (name !== undefined && name !== '' && !(values.get(name) ?? null))
        values.set(name, value.length === 0 ? null : unquoted(value.join('=')))
      continue
    }
    const from = /^(?:--\S+\s+)*(\S+)(?:\s+AS\s+(\S+))?$/i.exec(rest)
    if (from?.[1] === undefined) continue
    const base = from[1].replace(
      /\$\{(\w+)(?::-[^}]*)?\}|\$(\w+)/g,
      (whole, a?: string, b?: string) => {
        return values.get(a ?? b ?? '') ?? whole
      }
    )
    if (base !== 'scratch' && !stages.includes(base)) bases.push(base)
    if (from[2] !== undefined) stages.push(from[2])
  }
  return {
    stages,
    bases: [...new Set(bases)],
    arguments: [...values].map(([name, value]) => ({ name, value }))
  }
}
