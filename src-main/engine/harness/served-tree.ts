import { z } from 'zod'
import type { SetupItem } from '../../contract/release-detail'
import { Requirements, setupOf } from './row-facts'
import type { HarnessTree, TreeFile } from './tree'

/** `GET /reef/harness?release_id=` (`docs/reference/http-api.rst`). */
export const ServedHarness = z.looseObject({
  files: z.record(z.string(), z.string()),
  requires: Requirements
})

/** The tree a service gives for a release, and what it needs of the machine it is installed on. */
export function servedTree(answer: z.infer<typeof ServedHarness>): {
  tree: HarnessTree
  setup: SetupItem[]
} {
  const tree = Object.entries(answer.files).map(([path, text]): [string, TreeFile] => [
    path,
    { bytes: Buffer.byteLength(text), text, id: null }
  ])
  return { tree: new Map(tree), setup: setupOf(answer.requires) }
}
