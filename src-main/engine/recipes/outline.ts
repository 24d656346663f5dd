import { keyText } from './flow-text'

/** A YAML text under construction: nested keys in the order they were first named, comments with their key. */
export class Outline {
  private readonly root: Branch = { children: new Map() }
  private readonly beginning: string[] = []
  private readonly ending: string[] = []

  has(path: string): boolean {
    return this.find(path) !== undefined
  }

  /** `text` is written as it stands. `comments`: own lines first, a last one without `#` at its start stays behind the value. */
  put(path: string, text: string, comments: readonly KeptComment[]): void {
    const parts = path.split('.')
    let at: Branch = this.root
    for (const part of parts.slice(0, -1)) {
      const next = at.children.get(part)
      if (next !== undefined && 'children' in next) at = next
      else {
        const made: Branch = { children: new Map() }
        at.children.set(part, made)
        at = made
      }
    }
    at.children.set(parts.at(-1) ?? '', { text, comments })
  }

  /** Lines for the head of the text. */
  head(lines: readonly string[]): void {
    this.beginning.push(...lines)
  }

  /** Lines for the end of the text. */
  tail(lines: readonly string[]): void {
    this.ending.push(...lines)
  }

  print(): string {
    const lines: string[] = [...this.beginning]
    printBranch(this.root, '', lines)
    if (this.ending.length > 0) lines.push('', ...this.ending)
    return `${lines.join('\n')}\n`
  }

  private find(path: string): Branch | Leaf | undefined {
    let at: Branch | Leaf = this.root
    for (const part of path.split('.')) {
      const next: Branch | Leaf | undefined = 'children' in at ? at.children.get(part) : undefined
      if (next === undefined) return undefined
      at = next
    }
    return at
  }
}

export interface KeptComment {
  text: string
  where: 'above' | 'behind'
}

interface Branch {
  children: Map<string, Branch | Leaf>
}

interface Leaf {
  text: string
  comments: readonly KeptComment[]
}

function printBranch(branch: Branch, indent: string, lines: string[]): void {
  for (const [key, child] of branch.children) {
    if ('children' in child) {
      lines.push(`${indent}${keyText(key)}:`)
      printBranch(child, `${indent}  `, lines)
      continue
    }
    for (const comment of child.comments) {
      if (comment.where === 'above') lines.push(`${indent}${comment.text}`)
    }
    const behind = child.comments.find((comment) => comment.where === 'behind')
    const text = behind === undefined ? child.text : `${child.text} ${behind.text}`
    lines.push(`${indent}${keyText(key)}: ${text}`)
  }
}
