import type { ScalarNode, YamlNode } from './yaml-tree'

/** Plain words that mean the same inside brackets as outside, to every reader. */
const PLAIN = /^[\w./~+-]+$/

/** A node on one line, whatever way it was written: what an alias names is written out. Comments inside are not kept. */
export function flowText(node: YamlNode): string {
  switch (node.type) {
    case 'scalar':
      return scalarText(node)
    case 'seq':
      return `[${node.items.map(flowText).join(', ')}]`
    case 'map': {
      // Of equal keys the last one counts.
      const last = new Map(node.entries.map((entry) => [entry.key, entry.value]))
      const pairs = [...last].map(([key, value]) => `${keyText(key)}: ${flowText(value)}`)
      return pairs.length === 0 ? '{}' : `{ ${pairs.join(', ')} }`
    }
  }
}

/** A key as it may stand before a colon. */
export function keyText(key: string): string {
  return /^[A-Za-z_][\w-]*$/.test(key) ? key : JSON.stringify(key)
}

function scalarText(node: ScalarNode): string {
  if (node.style !== 'plain') return JSON.stringify(node.text)
  if (node.kind === 'null') return 'null'
  if (node.kind === 'string' && !PLAIN.test(node.text)) return JSON.stringify(node.text)
  return node.text
}
