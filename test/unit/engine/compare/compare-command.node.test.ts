import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { Command } from 'commander'
import { describe, expect, it } from 'vitest'
import { registerCompareCommand, type CompareRequest } from '../../../../src-main/cli/compare'
import {
  ResultTable,
  SideComparison,
  WeightComparison,
  type ComparedSide,
  type SavedComparison
} from '../../../../src-main/contract/compare'
import {
  attachResults,
  profileRows,
  readResults,
  removeResults
} from '../../../../src-main/engine/compare'
import { fromValues, safetensors, tensor, withFiles } from './weight-files'

/** What the stand-in engine of these tests keeps. */
const kept: SavedComparison[] = []

function savedOf(request: CompareRequest & { name: string }): SavedComparison {
  const { name, sides, window, baseline = null } = request
  return { id: `id-${name}`, name, savedAt: 0, sides, window, baseline, then: sampleSides(request) }
}

function noSuch(id: string): never {
  throw new Error(`nothing is kept as ${id}`)
}

async function slipway(
  folder: string,
  ...argv: string[]
): Promise<{ out: string; err: string; code: number }> {
  const result = { out: '', err: '', code: -1 }
  const program = new Command('slipway').exitOverride()
  registerCompareCommand(
    program,
    {
      out: (text) => void (result.out += `${text}\n`),
      err: (text) => void (result.err += `${text}\n`),
      exit: (code) => void (result.code = code),
      language: 'en'
    },
    {
      sides: (request) => Promise.resolve(sampleSides(request)),
      save: (request) => {
        kept.push(savedOf(request))
        return Promise.resolve(savedOf(request))
      },
      page: (request) => Promise.resolve({ html: `<p>${JSON.stringify(request)}</p>` }),
      saved: () =>
        Promise.resolve({
          comparisons: kept.map(({ then, ...rest }) => ({
            ...rest,
            labels: then.sides.map(({ label }) => label)
          })),
          unreadable: []
        }),
      savedOne: (id) => Promise.resolve(kept.find((one) => one.id === id) ?? noSuch(id)),
      removeSaved: (id) => {
        kept.splice(0, kept.length, ...kept.filter((one) => one.id !== id))
        return Promise.resolve({})
      },
      attach: ({ source, text }) => attachResults(folder, source, text),
      detach: async ({ task }) => ({ rows: await removeResults(folder, task) })
    }
  )
  await program.parseAsync(argv, { from: 'user' })
  return result
}

function sampleSides({ sides }: { sides: ComparedSide[] }): SideComparison {
  return {
    sides: sides.map((side, index) => ({
      side,
      label: `s${index}`,
      run: null,
      step: null,
      attempt: null,
      recordedAt: null,
      weights: null,
      hasRecipe: false
    })),
    baseline: 0,
    window: 4,
    metrics: [
      {
        key: 'rollout/rewards',
        direction: 'up',
        cells: sides.map((_, index) => ({ value: index, n: 2 })),
        against: sides.map((_, index) =>
          index === 0
            ? null
            : {
                key: 'rollout/rewards',
                a: 0,
                b: index,
                difference: index,
                interval: null,
                n: [2, 2],
                direction: 'up',
                verdict: 'not-proven'
              }
        )
      }
    ],
    results: [],
    settings: []
  }
}

const ramp = (factor: number): Buffer =>
  safetensors({
    w: tensor(
      [4, 8],
      fromValues(
        'F32',
        Array.from({ length: 32 }, (_, i) => 1 + (i < 8 ? factor : 0))
      )
    )
  })

describe('slipway comparisons', () => {
  const asked = ['compare', 'one:3', 'two:r5', 'three', '--baseline', '2', '--window', '8']

  it('keeps one by name, lists it, makes it again and forgets it', async () => {
    expect((await slipway('', ...asked, '--save', 'seeds')).code).toBe(0)
    expect(kept[0]).toMatchObject({ name: 'seeds', window: 8, baseline: 1 })
    expect((await slipway('', 'comparisons')).out).toContain('seeds')
    const again = await slipway('', 'comparisons', 'seeds', '--json')
    expect(SideComparison.parse(JSON.parse(again.out)).sides.map(({ side }) => side)).toEqual([
      { kind: 'release', run: 'one', step: 3 },
      { kind: 'release', run: 'two', step: 5 },
      { kind: 'run', run: 'three' }
    ])
    expect((await slipway('', 'comparisons', 'sees')).err).toContain('“sees”')
    await slipway('', 'comparisons', 'seeds', '--remove')
    expect(kept).toEqual([])
  })

  it('writes a page, and says where it cannot', async () => {
    await withFiles({ 'model.safetensors': ramp(0) }, async (folder) => {
      const file = `${folder}/page.html`
      const { out, code } = await slipway('', ...asked, '--no-weights', '--html', file)
      expect({ out, code }).toEqual({ out: `${file}\n`, code: 0 })
      expect(await readFile(file, 'utf8')).toContain('"weights":false')
      const failed = await slipway('', ...asked, '--html', `${folder}/none/page.html`)
      expect(failed.code).not.toBe(0)
      expect(failed.err).toContain('cannot be written')
    })
  })
})

describe('slipway compare', () => {
  it('prints JSON of the contract for two folders, and a table without --json', async () => {
    await withFiles(
      { 'a/model.safetensors': ramp(0), 'b/model.safetensors': ramp(1) },
      async (folder) => {
        const json = await slipway(folder, 'compare', `${folder}/a`, `${folder}/b/`, '--json')
        expect(json.code).toBe(0)
        expect(WeightComparison.parse(JSON.parse(json.out)).tensors[0]?.relative).toBeCloseTo(0.5)
        expect((await slipway(folder, 'compare', `${folder}/a`, `${folder}/b`)).out).toContain(
          '0.5000'
        )
        expect(
          await profileRows({ a: `${folder}/a`, b: `${folder}/b`, tensor: 'w', buckets: 2 })
        ).toEqual({ name: 'w', rows: 4, perBucket: 2, relative: [Math.SQRT1_2, 0] })
      }
    )
  })
  it('says what is wrong and ends with 2', async () => {
    const missing = await slipway('/', 'compare', '/nonexistent/a', '/nonexistent/b')
    expect(missing).toMatchObject({ out: '', code: 2 })
    expect(missing.err).toContain('/nonexistent/a')
    await withFiles({ 'empty/notes.txt': Buffer.from('-') }, async (folder) => {
      const empty = await slipway('/', 'compare', 'x.yaml', `${folder}/empty`)
      expect(empty).toMatchObject({ out: '', code: 2 })
      expect(empty.err).toContain('There are no safetensors weights here.')
    })
    expect((await slipway('/', 'compare', 'run:1')).err).toContain('two to eight sides')
    expect((await slipway('/', 'compare', 'run:1', 'run:2', '--baseline', '3')).err).toContain(
      '1 to 2'
    )
  })

  it('takes releases, runs, recipes and folders in any mix, and heads columns with their names', async () => {
    const { out, code } = await withFiles({ 'ck/model.safetensors': ramp(0) }, (folder) =>
      slipway('/', 'compare', 'a:r1', 'a:2', 'b', 'x.yaml', `${folder}/ck`, '--json')
    )
    expect(code).toBe(0)
    const kinds = SideComparison.parse(JSON.parse(out)).sides.map(({ side }) => side.kind)
    expect(kinds).toEqual(['release', 'release', 'run', 'recipe', 'files'])
    const text = (await slipway('/', 'compare', 'a:1', 'a:2')).out
    expect(text).toMatch(/^Means of the last 4 releases .*\nmetric +s0 \(baseline\) +s1 +s1 - s0\n/)
    expect(text).toContain('not proven, n = 2')
  })
})

describe('slipway score', () => {
  it('attaches a table', async () => {
    await withFiles({}, async (folder) => {
      await writeFile(`${folder}/t.csv`, 'release,task,n,correct\n3,math,30,20\n')
      const { out, code } = await slipway(folder, 'score', 'run', `${folder}/t.csv`, '--json')
      expect(code).toBe(0)
      expect(ResultTable.parse(JSON.parse(out)).rows[0]).toMatchObject({ release: 3, task: 'math' })
    })
  })

  it('takes the results of a task back, and names the tasks there are for one that is none', async () => {
    await withFiles({}, async (folder) => {
      await writeFile(`${folder}/t.csv`, 'release,task,score\n3,math,0.5\n3,code,0.25\n')
      await slipway(folder, 'score', 'run', `${folder}/t.csv`)
      const gone = await slipway(folder, 'score', 'run', '--remove', 'math')
      expect([gone.out, gone.code]).toEqual(['Results of math taken back: 1.\n', 0])
      const again = await slipway(folder, 'score', 'run', '--remove', 'math')
      expect(again.code).not.toBe(0)
      expect(again.err).toContain('code')
      const { tables, unreadable } = await readResults(folder)
      expect(tables.flatMap(({ rows }) => rows.map(({ task }) => task))).toEqual(['code'])
      expect(unreadable).toBe(0)
      await slipway(folder, 'score', 'run', `${folder}/t.csv`)
      expect((await readResults(folder)).tables).toHaveLength(2)
      expect((await slipway(folder, 'score', 'run')).err).toContain('--remove')
    })
  })

  it('says what is no table before anything of it is read', async () => {
    await withFiles({}, async (folder) => {
      await writeFile(`${folder}/large.csv`, Buffer.alloc(17 * 1024 * 1024, 'a'))
      await writeFile(`${folder}/weights.bin`, Buffer.from([8, 0xff, 0xfe, 0, 1]))
      for (const [file, why] of [
        ['none.csv', 'There is no such file.'],
        ['', 'This is a folder'],
        ['large.csv', 'too large'],
        ['weights.bin', 'no text in UTF-8']
      ] as const) {
        const { out, err, code } = await slipway(folder, 'score', 'run', join(folder, file))
        expect([out, code]).toEqual(['', 2])
        expect(err).toContain(why)
        expect(err).not.toMatch(/ENOENT|EISDIR/)
      }
    })
  })
})
