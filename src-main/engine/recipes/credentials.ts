import { holdsCredential } from '../lib'
import type { YamlSource } from './yaml-tree'

const looked = new WeakMap<YamlSource, boolean>()

/** Whether anything in a source has the shape of a credential: asked by the check and by its rules, looked for once. */
export function sourceHoldsCredential(source: YamlSource): boolean {
  const known = looked.get(source)
  if (known !== undefined) return known
  const found = holdsCredential(source.text)
  looked.set(source, found)
  return found
}
