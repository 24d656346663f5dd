import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { checkRecipe } from '../../../../src-main/engine/recipes'
import type { Generation, Severity } from '../../../../src-main/contract/recipes'

/** Recipes of the stacks themselves, where a folder with them is named. They are not part of this project. */
const folder = process.env['SLIPWAY_EXTRA_RECIPES'] ?? ''
const present = folder !== '' && existsSync(folder)

interface Row {
  line: number
  severity: Severity
  rule: string
  file?: string
}

function rows(severity: Severity, rule: string, ...lines: number[]): Row[] {
  return lines.map((line) => ({ line, severity, rule }))
}

function inBase(severity: Severity, rule: string, ...lines: number[]): Row[] {
  return rows(severity, rule, ...lines).map((row) => ({ ...row, file: 'common.yaml' }))
}

const openClaw = [
  ...rows('warning', 'service/open', 5, 9),
  ...rows('hint', 'service/engine-open', 94, 105)
]
const sao = [
  ...rows('hint', 'secret/in-file', 5),
  ...rows('hint', 'batch/smoke', 17),
  ...rows('hint', 'sao/critic-warm-up', 60),
  ...rows('hint', 'path/relative-state', 6, 25, 68, 69, 70, 71, 78)
]
const tttd = [
  ...rows('hint', 'secret/in-file', 5),
  ...rows('warning', 'env/path-from-root', 6, 36, 114, 115, 116, 117, 125),
  ...rows('error', 'env/empty-number', 74, 76, 107),
  ...rows('hint', 'length/context', 104, 105),
  ...rows('hint', 'checkpoint/cadence', 25),
  ...rows('hint', 'batch/run-ends', 52),
  ...rows('hint', 'batch/grid-of-agent', 23)
]
const weaver = [
  ...inBase('warning', 'nexrl/wandb-environment', 6),
  ...rows('warning', 'nexrl/weights-expire', 0),
  ...inBase('hint', 'nexrl/save-freq', 59),
  ...inBase('hint', 'nexrl/validation-mock', 70)
]
const dataPath = inBase('error', 'nexrl/missing-variable', 20, 21, 22, 23, 24)

const expected: readonly { file: string; generation?: Generation; rows: readonly Row[] }[] = [
  { file: 'reef/sao-imo-answerbench.v2.yaml', generation: 'C', rows: sao },
  {
    file: 'reef/sao-imo-answerbench.v2.yaml',
    generation: 'B',
    rows: [...sao, ...rows('warning', 'train/dropout', 0)]
  },
  { file: 'reef/tttd-erdos.v2.yaml', generation: 'B', rows: tttd },
  {
    file: 'reef/tttd-erdos.v2.yaml',
    generation: 'C',
    rows: [
      ...tttd,
      ...rows('error', 'v2/unknown-field', 19),
      ...rows('error', 'reef/placement-flag', 60)
    ]
  },
  { file: 'reef/openclawrl-7gpu.unversioned.yaml', generation: 'A', rows: openClaw },
  { file: 'reef/openclawrl-7gpu.unversioned.yaml', generation: 'B', rows: openClaw },
  {
    file: 'reef/openclawrl-7gpu.unversioned.yaml',
    generation: 'C',
    rows: [
      ...openClaw,
      ...rows('warning', 'legacy/old-handler', 22),
      ...rows('warning', 'legacy/old-driver', 112)
    ]
  },
  {
    file: 'reef/basic-local-sglang.unversioned.yaml',
    generation: 'A',
    rows: [...rows('warning', 'service/open', 2, 6), ...rows('hint', 'recipe/records-only', 5)]
  },
  {
    file: 'nexrl/math/weaver.yaml',
    rows: [...weaver, ...dataPath, ...rows('warning', 'nexrl/missing-variable', 25)]
  },
  {
    file: 'nexrl/math/weaver_full_ft.yaml',
    rows: [
      ...weaver,
      ...dataPath,
      ...rows('warning', 'nexrl/missing-variable', 25),
      ...rows('hint', 'nexrl/lora-rank', 24),
      ...rows('hint', 'nexrl/experiment-shared', 5)
    ]
  },
  {
    file: 'nexrl/pig_latin/weaver.yaml',
    rows: [...rows('error', 'nexrl/pig-latin', 9), ...rows('hint', 'nexrl/flat-train-service', 27)]
  }
]

describe.skipIf(!present)('recipes of the stacks themselves (SLIPWAY_EXTRA_RECIPES)', () => {
  test.each(expected)(
    '$file ($generation): what a careful reader finds, and nothing louder',
    ({ file, generation, rows: wanted }) => {
      const path = join(folder, file)
      const siblings = Object.fromEntries(
        readdirSync(dirname(path))
          .filter((name) => name !== basename(path))
          .map((name) => [name, readFileSync(join(dirname(path), name), 'utf8')])
      )
      const text = readFileSync(path, 'utf8')
      const { findings } = checkRecipe({
        path,
        text,
        siblings,
        ...(generation === undefined ? {} : { generation })
      })
      const found = findings.map(({ line, severity, rule, file: at }) => ({
        line,
        severity,
        rule,
        ...(at === undefined ? {} : { file: at })
      }))
      for (const row of wanted) expect(found).toContainEqual(row)
      if (file.includes('pig_latin')) return
      const loud = found.filter((row) => row.severity !== 'hint')
      for (const row of loud) expect(wanted).toContainEqual(row)
    }
  )
})
