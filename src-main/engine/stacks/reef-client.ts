import { z } from 'zod'
import { messageOf, redactor } from '../lib'

/** What became of a call. `away` says nothing about the stack, only that nobody answered us. */
export type Answer<T> =
  | { kind: 'ok'; value: T }
  | { kind: 'refused'; status: number; text: string }
  | { kind: 'away'; why: string }

const Scenario = z.looseObject({
  scenario_step: z.number().nullish(),
  last_committed_step: z.looseObject({ step: z.number() }).nullish(),
  checkpoint_storage: z.unknown().nullish(),
  batch_ready: z.boolean().nullish(),
  processor: z.record(z.string(), z.unknown()).nullish(),
  inference_admission: z.looseObject({ open: z.boolean() }).nullish()
})

/** `GET /reef/status` (`reef/dispatcher.py`), as far as it is used here; every generation leaves something out. */
export const ReefStatus = z.looseObject({
  error: z.string().nullish(),
  preload_errors: z.record(z.string(), z.unknown()).nullish(),
  scenarios: z.record(z.string(), Scenario).default({}),
  training_job: z.looseObject({ status: z.string().nullish() }).nullish()
})
export type ReefStatus = z.infer<typeof ReefStatus>

/** What the service says is wrong with it; null when nothing is. */
export function errorOf(status: ReefStatus): string | null {
  const { error } = status
  return error === null || error === undefined || error === '' ? null : error
}

const Rows = z.looseObject({
  releases: z.array(z.record(z.string(), z.unknown())).optional(),
  versions: z.array(z.record(z.string(), z.unknown())).optional()
})
const Commits = z.looseObject({
  commits: z.array(z.record(z.string(), z.unknown())),
  next_after_step: z.number().nullish()
})
const Records = z.looseObject({
  records: z.array(
    z.looseObject({
      sequence: z.number(),
      request_type: z.string(),
      agent_record_id: z.string().optional(),
      references: z.array(z.string()).nullish(),
      score: z.number().nullish()
    })
  ),
  next_after_sequence: z.number().nullish()
})
const Scenarios = z.looseObject({
  scenarios: z.array(z.looseObject({ scenario: z.string() }))
})
const Head = z.looseObject({ release_id: z.string() })

export type RecordRow = z.infer<typeof Records>['records'][number]

/**
 * Milliseconds until an answer is given up: a service that trains may be busy for seconds. One that has just been silent
 * for so long gets less until it answers again, so that one whose processes are held still is soon said to be.
 */
const DEADLINES = { first: 10_000, again: 2_500 }
/** The longest error text kept of an answer. */
const LONGEST_TEXT = 2_000

/** A Reef service over HTTP (`docs/reference/http-api.rst`), both generations of the release route. */
export class ReefClient {
  private oldRoute = false
  private silent = false

  constructor(
    /** May change where a forwarded port leads to the service. */
    public address: string,
    private readonly token: string | null,
    private readonly signal: AbortSignal,
    private readonly deadlines = DEADLINES
  ) {}

  /** True while the newest question was given up unanswered. A refused connection is an answer. */
  get late(): boolean {
    return this.silent
  }

  /** Only that HTTP is up; says nothing about training. */
  health(): Promise<Answer<unknown>> {
    return this.call('GET', '/healthz', z.unknown())
  }

  status(): Promise<Answer<ReefStatus>> {
    return this.call('GET', '/reef/status', ReefStatus)
  }

  async scenarios(): Promise<Answer<string[]>> {
    const answer = await this.call('GET', '/reef/scenarios', Scenarios)
    return answer.kind === 'ok'
      ? { kind: 'ok', value: answer.value.scenarios.map((one) => one.scenario) }
      : answer
  }

  /** Release rows, oldest first. */
  async releases(scenario: string): Promise<Answer<Record<string, unknown>[]>> {
    const route = this.oldRoute ? 'versions' : 'releases'
    const answer = await this.call('GET', `${path(scenario)}/${route}`, Rows)
    if (answer.kind === 'refused' && answer.status === 404 && !this.oldRoute) {
      const old = await this.call('GET', `${path(scenario)}/versions`, Rows)
      if (old.kind === 'ok') this.oldRoute = true
      return rowsOf(old)
    }
    return rowsOf(answer)
  }

  /** Commits after a step, oldest first, at most 100. */
  async commits(scenario: string, after: number): Promise<Answer<Record<string, unknown>[]>> {
    const answer = await this.call(
      'GET',
      `${path(scenario)}/commits?after_step=${after}&limit=100`,
      Commits
    )
    return answer.kind === 'ok' ? { kind: 'ok', value: answer.value.commits } : answer
  }

  /** Record rows after a sequence number, at most 100. */
  async records(scenario: string, after: number): Promise<Answer<RecordRow[]>> {
    const answer = await this.call(
      'GET',
      `${path(scenario)}/records?after_sequence=${after}&limit=100`,
      Records
    )
    return answer.kind === 'ok' ? { kind: 'ok', value: answer.value.records } : answer
  }

  /** Serves an earlier (`rollback`) or a pending (`promote`) release; the answer names the new head. */
  async republish(
    scenario: string,
    operation: 'rollback' | 'promote',
    releaseId: string
  ): Promise<Answer<string>> {
    const answer = await this.call('POST', `${path(scenario)}/${operation}`, Head, {
      release_id: releaseId
    })
    return answer.kind === 'ok' ? { kind: 'ok', value: answer.value.release_id } : answer
  }

  /** Any other route; `headers` beside the token's. A text that is no JSON is handed to the schema as it is. */
  async call<T>(
    method: 'GET' | 'POST' | 'DELETE',
    route: string,
    schema: z.ZodType<T>,
    body?: unknown,
    headers: Readonly<Record<string, string>> = {}
  ): Promise<Answer<T>> {
    const aborter = new AbortController()
    const abort = (): void => {
      aborter.abort()
    }
    const { first, again } = this.deadlines
    const timer = setTimeout(
      () => {
        this.silent = true
        abort()
      },
      this.silent && method === 'GET' ? again : first
    )
    this.signal.addEventListener('abort', abort, { once: true })
    if (this.signal.aborted) abort()
    try {
      const response = await fetch(`${this.address}${route}`, {
        method,
        signal: aborter.signal,
        headers: {
          ...Object.fromEntries(
            Object.entries(headers).map(([name, value]) => [name, headerText(value)])
          ),
          ...(this.token === null ? {} : { authorization: `Bearer ${this.token}` }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
      const text = await response.text()
      this.silent = false
      if (!response.ok) {
        return { kind: 'refused', status: response.status, text: text.slice(0, LONGEST_TEXT) }
      }
      return read(text, response.status, schema)
    } catch (cause) {
      if (!aborter.signal.aborted) this.silent = false
      return { kind: 'away', why: redactor([this.token ?? ''])(reasonOf(cause)) }
    } finally {
      clearTimeout(timer)
      this.signal.removeEventListener('abort', abort)
    }
  }
}

/**
 * A header's value as its UTF-8 bytes, which is how the service reads headers (aiohttp): `fetch` takes one byte a
 * letter and refuses a scenario with a Chinese name.
 */
export function headerText(value: string): string {
  return Buffer.from(value, 'utf8').toString('latin1')
}

function path(scenario: string): string {
  return `/reef/scenarios/${encodeURIComponent(scenario)}`
}

function rowsOf(answer: Answer<z.infer<typeof Rows>>): Answer<Record<string, unknown>[]> {
  if (answer.kind !== 'ok') return answer
  const rows = answer.value.releases ?? answer.value.versions ?? []
  // The service gives the newest first; the chain is counted from the oldest.
  return { kind: 'ok', value: [...rows].reverse() }
}

function read<T>(text: string, status: number, schema: z.ZodType<T>): Answer<T> {
  let value: unknown = text
  try {
    value = JSON.parse(text)
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause
  }
  const parsed = schema.safeParse(value)
  return parsed.success
    ? { kind: 'ok', value: parsed.data }
    : { kind: 'refused', status, text: `unexpected answer: ${text.slice(0, 200)}` }
}

/** `fetch` hides the reason (ECONNREFUSED and its like) in the cause. */
function reasonOf(thrown: unknown): string {
  const inner = thrown instanceof Error ? thrown.cause : undefined
  return inner instanceof Error ? messageOf(inner) : messageOf(thrown)
}
