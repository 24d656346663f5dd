import type { Page } from '@playwright/test'
import { en } from '../../../src-renderer/i18n/en'
import { zh } from '../../../src-renderer/i18n/zh'

/**
 * Text a person cannot read in full. A text node counts as cut when its box reaches out of an ancestor that
 * hides what overflows and cannot be scrolled. Two things are no fault: an ellipsis whose whole text can be had, by a
 * `title`, a tooltip or the class `el` (ui/whole-text.ts, tested by `saysItselfWhole`), and text that is out of sight
 * on purpose (of one pixel for screen readers, or far outside the window for measuring).
 * Editors and drawings (Monaco, canvas, svg) lay out their own text and are left out.
 */
export async function cutTexts(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const SLACK = 1.5
    const hides = (value: string): boolean => value === 'hidden' || value === 'clip'
    const canBeRead = (element: Element): boolean =>
      element.closest('.el, [title], [aria-describedby]') !== null
    const where = (element: Element): string => {
      const named = element.closest('[data-testid]')?.getAttribute('data-testid') ?? 'page'
      return `${named} <${element.tagName.toLowerCase()} class="${element.getAttribute('class') ?? ''}">`
    }
    const verdictOf = (parent: Element, box: DOMRect): string | null => {
      let clipped = false
      for (let each: Element | null = parent; each !== null; each = each.parentElement) {
        const style = getComputedStyle(each)
        const frame = each.getBoundingClientRect()
        if (style.textOverflow === 'ellipsis' && canBeRead(each)) return null
        const x = box.right > frame.right + SLACK || box.left < frame.left - SLACK
        const y = box.bottom > frame.bottom + SLACK || box.top < frame.top - SLACK
        if (frame.width <= 1 || frame.height <= 1) return null
        if ((x && hides(style.overflowX)) || (y && hides(style.overflowY))) clipped = true
        const scrolls = (value: string): boolean => value === 'auto' || value === 'scroll'
        if (!clipped && ((x && scrolls(style.overflowX)) || (y && scrolls(style.overflowY))))
          return null
        if (clipped) return where(each)
      }
      return null
    }
    const found: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement
      if (!(node instanceof Text) || parent === null || node.data.trim() === '') continue
      if (parent.closest('svg, .monaco-editor, script, style, option, datalist') !== null) continue
      if (!parent.checkVisibility({ checkOpacity: true, checkVisibilityCSS: true })) continue
      const range = document.createRange()
      range.selectNodeContents(node)
      const box = range.getBoundingClientRect()
      if (box.right < -1000 || box.bottom < -1000) continue
      const verdict = verdictOf(parent, box)
      if (verdict !== null) found.push(`cut: "${node.data.trim().slice(0, 80)}" by ${verdict}`)
    }
    return found
  })
}

/** Points at the first text with an ellipsis and without a title of its own; what the window then says of it. */
export async function saysItselfWhole(page: Page): Promise<{ text: string; title: string } | null> {
  const cut = page.locator('.el:not([title])')
  const index = await cut.evaluateAll((all) =>
    all.findIndex((each) => each.scrollWidth > each.clientWidth && each.checkVisibility())
  )
  if (index < 0) return null
  const element = await cut.nth(index).elementHandle()
  if (element === null) return null
  await element.hover()
  return element.evaluate((each) => ({
    text: each.textContent ?? '',
    title: each.getAttribute('title') ?? ''
  }))
}

/** What people, recipes and stacks wrote: shown as it is in any language. */
const WRITTEN_BY_OTHERS =
  '.mono, code, pre, kbd, svg, input, textarea, datalist, .monaco-editor, [data-testid="log-lines"], [data-testid="run-name"], [data-testid="code-text"], [data-testid="notes"], [data-testid="progress"], [data-testid="language-en"], [translate="no"]'

async function ownWords(page: Page): Promise<string[]> {
  return page.evaluate((others) => {
    const words: string[] = []
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
      const parent = node.parentElement
      const text = (node.textContent ?? '').trim()
      if (parent === null || text === '' || parent.closest(`${others}, script, style`) !== null)
        continue
      if (parent.checkVisibility()) words.push(text)
    }
    for (const element of document.querySelectorAll('[title], [aria-label], [placeholder]'))
      for (const name of ['title', 'aria-label', 'placeholder']) {
        const text = element.getAttribute(name)?.trim() ?? ''
        if (text !== '' && element.closest(others) === null) words.push(text)
      }
    return [...new Set(words)]
  }, WRITTEN_BY_OTHERS)
}

interface Leaf {
  path: string
  en: string
  zh: string
}

function isTree(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function leaves(enTree: unknown, zhTree: unknown, path: string): Leaf[] {
  if (typeof enTree === 'string' && typeof zhTree === 'string')
    return [{ path, en: enTree, zh: zhTree }]
  if (!isTree(enTree) || !isTree(zhTree)) return []
  return Object.entries(enTree).flatMap(([key, value]) =>
    leaves(value, zhTree[key], path === '' ? key : `${path}.${key}`)
  )
}

const catalogue = Object.entries(en).flatMap(([space, tree]) =>
  leaves(tree, (zh as Record<string, unknown>)[space], '').map((leaf) => ({ ...leaf, space }))
)

/** Keys shown in place of their words: `space:key`, a dotted or camel-case key of the catalogue, or an open `{{name}}`. */
export async function bareKeys(page: Page): Promise<string[]> {
  const keys = new Set(
    catalogue.flatMap(({ space, path }) => [
      `${space}:${path}`,
      ...(/[.A-Z_]/.test(path) ? [path] : [])
    ])
  )
  const shaped = /^[a-z]+:[a-z][A-Za-z_.]*$/
  return (await ownWords(page))
    .filter((text) => keys.has(text) || shaped.test(text) || text.includes('{{'))
    .map((text) => `key: "${text}"`)
}

function patternOf(sentence: string): RegExp {
  const plain = sentence.split(/\{\{[^}]*\}\}|<[^>]*>/).map(escaped)
  return new RegExp(`^${plain.join('.+')}$`)
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

const translated = catalogue
  .filter((leaf) => leaf.en !== leaf.zh && /[a-z]/.test(leaf.en.replace(/\{\{[^}]*\}\}/g, '')))
  .map((leaf) => ({ ...leaf, pattern: patternOf(leaf.en) }))

/**
 * English on a Chinese page: words of the catalogue that have Chinese ones, and any run of four English words, which
 * is a sentence and no term of the field. A lower-case word alone is none: scenarios, services and metrics are named so.
 */
export async function englishLeft(page: Page): Promise<string[]> {
  const sentence = /\b[A-Za-z’']{2,}(?:,? [a-z’']{2,}){3,}/
  const foreign = (text: string): boolean =>
    !/\p{Script=Han}/u.test(text) && !/^[a-z-]+$/.test(text)
  return (await ownWords(page)).filter(foreign).flatMap((text) => {
    const leaf = translated.find(({ pattern }) => pattern.test(text))
    if (leaf !== undefined) return [`English: "${text}" is ${leaf.space}:${leaf.path}`]
    return sentence.test(text) ? [`English: "${text.slice(0, 100)}"`] : []
  })
}
