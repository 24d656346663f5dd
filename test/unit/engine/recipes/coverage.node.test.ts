import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { ruleBook } from '../../../../src-main/engine/recipes'

const file = join(import.meta.dirname, '../../../../src-main/engine/recipes/data/coverage.json')
const Row = z
  .object({
    topic: z.string(),
    source: z.string(),
    fact: z.string(),
    rules: z.array(z.string()).min(1).optional(),
    reason: z.string().optional()
  })
  .strict()
const { rows } = z.object({ rows: z.array(Row) }).parse(JSON.parse(readFileSync(file, 'utf8')))
const known = new Set(ruleBook.map((rule) => rule.id))

describe('what the stacks demand', () => {
  it.each(rows.map((row) => [`${row.topic}: ${row.fact}`, row] as const))('%s', (_, row) => {
    expect(row.rules !== undefined || (row.reason ?? '').length > 10).toBe(true)
    expect((row.rules ?? []).filter((id) => !known.has(id))).toEqual([])
    // A public file, page or package; never a place of one machine.
    expect(row.source).toMatch(/^[\w.-]+[\w ./*-]*$/)
  })

  it('names every fact once', () => {
    const facts = rows.map((row) => `${row.topic}: ${row.fact}`)
    expect(facts.filter((fact, at) => facts.indexOf(fact) !== at)).toEqual([])
  })

  it('is where every rule of Slime, Megatron, batch, GPU and NexRL comes from', () => {
    const named = new Set(rows.flatMap((row) => row.rules ?? []))
    const areas = /^(?:batch|gpu|family|sao|tttd|checkpoint|lora|slime|model|tinker|nexrl)\//
    // Composition, syntax and figures our own types demand have no row of a stack behind them.
    const own =
      /^(?:slime\/(?:number|json)|batch\/smoke|nexrl\/(?:defaults-missing|defaults-self|self-order|unknown-reference|reference-loop|too-long|launch-mode|logger-backend|setup-script|nexau-tokenizer|data-files|filter-tokenizer|continue-policy))$/
    const missing = [...known].filter((id) => areas.test(id) && !own.test(id) && !named.has(id))
    expect(missing).toEqual([])
  })
})
