import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Plan } from '../contract/launch'
import { fail } from '../engine/lib'
import { label, type Io } from './output'

/** Where a person answers: a terminal, and what is read from it is not shown. */
export interface Terminal {
  input: NodeJS.ReadableStream
  isTerminal: boolean
}

/** The secret variables of a plan that the environment has no value for. Pure. */
export function missingSecrets(
  plan: Pick<Plan, 'environment'>,
  environment: Readonly<Record<string, string | undefined>>
): string[] {
  return plan.environment.flatMap(({ name, value }) =>
    value === null && (environment[name] ?? '') === '' ? [name] : []
  )
}

/** Reads one line that appears nowhere: the echo of the terminal goes into nothing. Null when it was called off (Ctrl+C). */
function hiddenLine(input: NodeJS.ReadableStream): Promise<string | null> {
  const nowhere = new Writable({
    write: (_piece, _encoding, done) => {
      done()
    }
  })
  const lines = createInterface({ input, output: nowhere, terminal: true })
  return new Promise((resolve) => {
    let answer: string | null = null
    lines.once('line', (line) => {
      answer = line
      lines.close()
    })
    lines.once('close', () => {
      resolve(answer)
    })
  })
}

/**
 * Asks for the secrets of a launch that the environment lacks, where a person sits at a terminal. They live in
 * this process alone, as variables set for it would; an empty answer leaves one out.
 * @throws FailureError `launch-called-off` when the question was not answered but called off
 */
export async function askSecrets(
  io: Io,
  plan: Pick<Plan, 'environment'>,
  { input, isTerminal }: Terminal,
  environment: Record<string, string | undefined>
): Promise<void> {
  if (!isTerminal || io.json?.() === true) return
  for (const name of missingSecrets(plan, environment)) {
    const hint = {
      en: `${name} (not shown; Enter leaves it out)`,
      zh: `${name}（不显示；直接回车则不提供）`
    }
    io.err(label(io, hint).trimEnd())
    const answer = await hiddenLine(input)
    if (answer === null)
      return fail({
        code: 'launch-called-off',
        what: { en: 'Called off; nothing was started.', zh: '已取消，未启动任何内容。' }
      })
    if (answer !== '') environment[name] = answer
  }
}
