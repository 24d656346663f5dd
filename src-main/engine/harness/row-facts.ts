import { z } from 'zod'
import type { HarnessRelease, HarnessVerdict, SetupItem } from '../../contract/release-detail'

/*
 * What rows of harness recipes carry in their metrics. Public sources: `reef/service/release_page.py`,
 * `reef/train/evaluation/`; older rows say `verdict` for `selection`.
 */

const text = z.string().nullish().catch(null)
const number = z.number().nullish().catch(null)

const Requirement = z.union([
  z.string(),
  z.looseObject({ name: z.string(), kind: text, check: text })
])
export const Requirements = z.array(Requirement).nullish().catch(null)

const Mutation = z.looseObject({ op: z.string(), id: text })
const Selection = z.looseObject({ reason: text, outcome: text, policy: text })

const Row = z.looseObject({
  selected: z.boolean().nullish().catch(null),
  selection: z.union([Selection, z.string()]).nullish().catch(null),
  verdict: z.union([Selection, z.string()]).nullish().catch(null),
  skipped: text,
  error: text,
  mutation: Mutation.nullish().catch(null),
  mutations: z.array(Mutation).nullish().catch(null),
  proposal: z.looseObject({ id: text, reason: text }).nullish().catch(null),
  training_request: z
    .looseObject({ id: text, text: z.string(), client: text, requires: Requirements })
    .nullish()
    .catch(null),
  proposal_notes: z.record(z.string(), z.unknown()).nullish().catch(null),
  wins: number,
  losses: number,
  ties: number,
  candidate_score: number,
  current_score: number,
  interval_lower: number,
  interval_upper: number
})
type Row = z.infer<typeof Row>

/** Keys that only rows of harness recipes carry. */
const TELLING = [
  'selection',
  'mutation',
  'mutations',
  'proposal',
  'training_request',
  'proposal_notes'
]

/** Whether a row was made by a recipe that releases a harness. */
export function isHarnessRow(metrics: Readonly<Record<string, unknown>>): boolean {
  return TELLING.some((key) => metrics[key] !== undefined && metrics[key] !== null)
}

/** A list of requirements in one form; what is none of them is left out. */
export function setupOf(requires: z.infer<typeof Requirements>): SetupItem[] {
  return (requires ?? []).map((one) =>
    typeof one === 'string'
      ? { name: one, kind: null, check: null }
      : { name: one.name, kind: one.kind ?? null, check: one.check ?? null }
  )
}

function verdictOf(row: Row): HarnessVerdict | null {
  const selection = row.selection ?? row.verdict ?? null
  const told = typeof selection === 'string' ? { reason: selection } : selection
  const lower = row.interval_lower ?? null
  const upper = row.interval_upper ?? null
  const verdict: HarnessVerdict = {
    selected: row.selected ?? null,
    reason: told?.reason ?? row.skipped ?? row.error ?? null,
    policy:
      told !== null && 'policy' in told && typeof told.policy === 'string' ? told.policy : null,
    wins: row.wins ?? null,
    losses: row.losses ?? null,
    ties: row.ties ?? null,
    candidate: row.candidate_score ?? null,
    current: row.current_score ?? null,
    interval: lower === null || upper === null ? null : [lower, upper]
  }
  return Object.values(verdict).every((value) => value === null) ? null : verdict
}

function wordsOf(value: unknown): string | null {
  if (typeof value === 'string') return value.trim() === '' ? null : value
  if (value === null || value === undefined) return null
  if (Array.isArray(value)) {
    const texts = value.map((one) => (typeof one === 'string' ? one : JSON.stringify(one)))
    return texts.length === 0 ? null : texts.join(', ')
  }
  return JSON.stringify(value)
}

export type RowFacts = Pick<
  HarnessRelease,
  'verdict' | 'proposal' | 'request' | 'mutations' | 'notes' | 'setup'
>

/** What a row itself says of its harness release, whatever else can be read. */
export function rowFacts(metrics: Readonly<Record<string, unknown>>): RowFacts {
  const parsed = Row.safeParse(metrics)
  const row: Row = parsed.success ? parsed.data : {}
  const { proposal, training_request: request } = row
  return {
    verdict: verdictOf(row),
    proposal:
      proposal === null || proposal === undefined
        ? null
        : { id: proposal.id ?? null, reason: proposal.reason ?? null },
    request:
      request === null || request === undefined
        ? null
        : { id: request.id ?? null, text: request.text, client: request.client ?? null },
    mutations: (row.mutations ?? (row.mutation ? [row.mutation] : [])).map(({ op, id }) => ({
      op,
      id: id ?? null
    })),
    notes: Object.entries(row.proposal_notes ?? {}).flatMap(([name, value]) => {
      const words = wordsOf(value)
      return words === null ? [] : [{ name, text: words }]
    }),
    setup: setupOf(request?.requires)
  }
}
