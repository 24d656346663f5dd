import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { Text } from './text'

export const LogSource = z.object({
  /** Stable within a run: `<attempt>/<service>`. */
  id: z.string(),
  attempt: z.number().int(),
  service: z.string(),
  bytes: z.number(),
  lines: z.number().int(),
  /** Its last line has no end yet. */
  unfinished: z.literal(true).optional(),
  /** What of it is missing: a packed part that is cut off or damaged. Absent where nothing is. */
  faults: z.array(Text).optional()
})
export type LogSource = z.infer<typeof LogSource>

export const LogLevel = z.enum(['debug', 'info', 'warning', 'error', 'event', 'metric'])
export type LogLevel = z.infer<typeof LogLevel>

export const LogLine = z.object({
  /** 0-based line number within the source. */
  line: z.number().int(),
  /** Byte offset of its first byte within the source. */
  offset: z.number(),
  source: z.string(),
  level: LogLevel,
  /** The line as shown: redacted, colours and progress bars removed, cut at 16 kB with a note. */
  text: z.string(),
  /** Metric step of the line, where it carries one. */
  step: z.number().optional(),
  at: z.number().optional()
})
export type LogLine = z.infer<typeof LogLine>

export const LogFilter = z.object({
  text: z.string().optional(),
  regex: z.boolean().default(false),
  caseSensitive: z.boolean().default(false),
  levels: z.array(LogLevel).optional()
})
export type LogFilter = z.infer<typeof LogFilter>

/**
 * Flags with which a pattern that a person wrote compiles: by whole characters where it can, else by the older rules of
 * JavaScript, where a bare `{` stands for itself.
 * @throws SyntaxError when it is none by either.
 */
export function patternFlags(source: string, caseSensitive: boolean): string {
  const flags = caseSensitive ? '' : 'i'
  try {
    new RegExp(source, `${flags}u`)
    return `${flags}u`
  } catch (thrown) {
    if (!(thrown instanceof SyntaxError)) throw thrown
    new RegExp(source, flags)
    return flags
  }
}

/** A progress bar the stack is drawing now. Never a line of text. */
export const Progress = z.object({
  source: z.string(),
  label: z.string(),
  done: z.number(),
  total: z.number().nullable(),
  /** Seconds. */
  left: z.number().nullable(),
  at: z.number()
})
export type Progress = z.infer<typeof Progress>

export const logs = {
  sources: procedure.input(z.object({ run: z.string() })).output(z.array(LogSource)),
  /** `count` lines from line `from`; negative `from` counts from the end. */
  read: procedure
    .input(
      z.object({
        run: z.string(),
        source: z.string(),
        from: z.number().int(),
        count: z.number().int().max(2000)
      })
    )
    .output(z.object({ lines: z.array(LogLine), total: z.number().int() })),
  /**
   * Matching lines, in order, at most `limit` per answer. `scanned` counts the lines looked at from the beginning of
   * the source; while not `done`, go on with `after: scanned - 1`. Answers within about a second.
   */
  search: procedure
    .input(
      z.object({
        run: z.string(),
        source: z.string(),
        filter: LogFilter,
        after: z.number().int().default(-1),
        limit: z.number().int().max(10_000).default(1000)
      })
    )
    .output(z.object({ lines: z.array(LogLine), done: z.boolean(), scanned: z.number().int() })),
  /** Sources and totals whenever they grew; at most about eight a second. */
  watch: procedure
    .input(z.object({ run: z.string() }))
    .output(eventIterator(z.object({ sources: z.array(LogSource), progress: z.array(Progress) })))
}
