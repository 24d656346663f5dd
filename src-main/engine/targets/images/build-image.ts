import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'
import { z } from 'zod'
import { fail, FailureError, messageOf } from '../../lib'
import type { DockerConnection } from '../docker/connection'
import { statusOf } from '../docker/docker-failure'
import { UnreachableError } from '../unreachable'

export interface ImageBuild {
  /** Name the image gets. */
  reference: string
  /** Tar archive with a `Dockerfile` at its top. */
  context: Readable
  /** Each line of the build's log as it comes. */
  log: (line: string) => void
  signal: AbortSignal
}

/** A context of some hundred megabytes may have to cross a slow network before the engine says its first word. */
const BUILD_DEADLINE_MS = 30 * 60_000

const Progress = z.object({
  stream: z.string().optional(),
  status: z.string().optional(),
  id: z.string().optional(),
  progress: z.string().optional(),
  error: z.string().optional(),
  aux: z.object({ ID: z.string().optional() }).optional()
})

/** What one line of the answer of `/build` says. Pure; null for what is not for people. */
export function parseBuildLine(
  line: string
): { kind: 'text' | 'error'; text: string } | { kind: 'image'; id: string } | null {
  let json: unknown
  try {
    json = JSON.parse(line)
  } catch {
    // Not JSON: shown as it is, rather than dropped.
    return line.trim() === '' ? null : { kind: 'text', text: line }
  }
  const parsed = Progress.safeParse(json)
  if (!parsed.success) return null
  const { stream, status, id, progress, error, aux } = parsed.data
  if (error !== undefined) return { kind: 'error', text: error }
  if (aux?.ID !== undefined) return { kind: 'image', id: aux.ID }
  if (status !== undefined)
    return { kind: 'text', text: [id, status, progress].filter(Boolean).join(' ') }
  const text = (stream ?? '').replace(/\n+$/, '')
  return text === '' ? null : { kind: 'text', text }
}

function cancelled(reference: string): FailureError {
  return new FailureError({
    code: 'build-cancelled',
    where: reference,
    what: { en: 'Building the image was cancelled.', zh: '镜像构建已取消。' }
  })
}

function buildFailed(reference: string, detail: string, cause?: unknown): never {
  return fail(
    {
      code: 'build-failed',
      where: reference,
      what: { en: `Building ${reference} failed.`, zh: `构建 ${reference} 失败。` },
      remedy: {
        en: 'The last lines of the build log say why.',
        zh: '原因见构建日志的最后几行。'
      },
      detail
    },
    cause
  )
}

/**
 * Builds an image by the plain build endpoint of the engine (no BuildKit session). Gives its id. Throws FailureError
 * `build-failed`, `build-cancelled`, or UnreachableError.
 */
export async function buildImage(
  connection: DockerConnection,
  { reference, context, log, signal }: ImageBuild
): Promise<string> {
  if (signal.aborted) throw cancelled(reference)
  try {
    const answer = await connection.stream(
      (docker) =>
        docker.buildImage(context, { t: reference, rm: true, forcerm: true, abortSignal: signal }),
      BUILD_DEADLINE_MS
    )
    let id: string | null = null
    for await (const line of createInterface({ input: answer })) {
      const said = parseBuildLine(line)
      if (said?.kind === 'image') id = said.id
      if (said?.kind === 'text') log(said.text)
      if (said?.kind === 'error') {
        log(said.text)
        buildFailed(reference, said.text)
      }
    }
    if (signal.aborted) throw cancelled(reference)
    if (id === null) buildFailed(reference, 'the engine ended the build without an image')
    return id
  } catch (thrown) {
    if (signal.aborted) throw cancelled(reference)
    if (thrown instanceof FailureError || thrown instanceof UnreachableError) throw thrown
    return buildFailed(reference, messageOf(thrown), statusOf(thrown) === null ? thrown : undefined)
  } finally {
    context.destroy()
  }
}
