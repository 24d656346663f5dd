import { eventIterator } from '@orpc/contract'
import { z } from 'zod'
import { procedure } from './failure'
import { LaunchRequest } from './launch'
import { Text } from './text'

export const Verdict = z.enum(['pass', 'warn', 'fail', 'skip', 'unknown'])
export type Verdict = z.infer<typeof Verdict>

/** What a click may do by itself. Everything else is a command to copy. */
export const PreflightFix = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('override'), title: Text, path: z.string(), value: z.string() }),
  z.object({ kind: z.literal('edit'), title: Text, rule: z.string() }),
  z.object({ kind: z.literal('make-folder'), title: Text, path: z.string() }),
  z.object({ kind: z.literal('remove-leftover'), title: Text, what: z.string() }),
  /** Copies the newest saved weights to `to`, and moves every folder of the launch beside the present one. */
  z.object({ kind: z.literal('start-from-copy'), title: Text, to: z.string() })
])
export type PreflightFix = z.infer<typeof PreflightFix>

export const Check = z.object({
  id: z.string(),
  group: z.enum([
    'recipe',
    'disk',
    'shm',
    'gpu',
    'docker',
    'ports',
    'model',
    'state',
    'environment',
    'nexrl',
    'oracle'
  ]),
  title: Text,
  verdict: Verdict,
  /** What was seen. */
  evidence: Text,
  why: Text.optional(),
  remedy: Text.optional(),
  /** Exact command to copy. */
  command: z.string().optional(),
  /** A fail that is a judgement may be overridden by typing why; one the stack itself refuses may not. */
  judgement: z.boolean(),
  fix: PreflightFix.optional(),
  /** Milliseconds. */
  took: z.number()
})
export type Check = z.infer<typeof Check>

export const PreflightReport = z.object({
  checks: z.array(Check),
  /** Ids still running. */
  running: z.array(z.string()),
  verdict: Verdict,
  took: z.number()
})
export type PreflightReport = z.infer<typeof PreflightReport>

export const preflight = {
  /** The report as it fills in; ends with the complete one. */
  run: procedure.input(LaunchRequest).output(eventIterator(PreflightReport)),
  /** The report a run was launched with. */
  saved: procedure.input(z.object({ run: z.string() })).output(PreflightReport.nullable()),
  fix: procedure
    .input(z.object({ request: LaunchRequest, fix: PreflightFix }))
    .output(z.object({ request: LaunchRequest }))
}
