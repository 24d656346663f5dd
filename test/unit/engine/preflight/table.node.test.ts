import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { launchChecks } from '../../../../src-main/engine/preflight'
import { launchContext, slimeRecipe } from '../../../support/preflight-yard'
import { TABLE } from '../../../support/preflight-table'

/** Ids of every check there is, those that go by port or rule under their family's name. */
async function ids(): Promise<Set<string>> {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-table-'))
  try {
    const context = await launchContext({ folder, text: slimeRecipe(folder) })
    const nexrl = { ...context, recipe: { ...context.recipe, dialect: 'nexrl' as const } }
    const all = [...launchChecks(context), ...launchChecks(nexrl)]
    return new Set(
      all.map(({ id }) => id.replace(/^recipe\/.*/, 'recipe/*').replace(/^ports\/\d+$/, 'ports/*'))
    )
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

it('every check stands in the table, and nothing else does', async () => {
  const named = new Set(TABLE.flatMap((row) => row.ids))
  const there = await ids()
  expect([...there].filter((id) => !named.has(id))).toEqual([])
  expect([...named].filter((id) => !there.has(id) && id !== 'recipe' && id !== 'recipe/*')).toEqual(
    []
  )
})

it('every test that the table names is there', async () => {
  const gone: string[] = []
  for (const { asked, pass, warn, fail } of TABLE)
    for (const proof of [pass, warn, fail]) {
      if (!('test' in proof)) continue
      const [file = '', title = ''] = proof.test.split(' > ')
      if (!(await readFile(file, 'utf8')).includes(title)) gone.push(`${asked}: ${proof.test}`)
    }
  expect(gone).toEqual([])
})
