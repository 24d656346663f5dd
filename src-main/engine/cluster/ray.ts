import { z } from 'zod'
import type { RayJob, RaySeen } from '../../contract/cluster'
import { redactor } from '../lib'
import { httpGet, jsonOf } from './http-get'
import { parseRayStatus } from './ray-status'

const Version = z.looseObject({
  ray_version: z.string(),
  session_name: z.string().nullish()
})
const Status = z.looseObject({ data: z.looseObject({ clusterStatus: z.string().nullish() }) })
const Job = z.looseObject({
  job_id: z.string().nullish(),
  submission_id: z.string().nullish(),
  status: z.string(),
  entrypoint: z.string().nullish(),
  message: z.string().nullish(),
  start_time: z.number().nullish(),
  end_time: z.number().nullish()
})
const Actors = z.looseObject({
  data: z.looseObject({
    result: z.looseObject({
      result: z.array(z.looseObject({ class_name: z.string(), state: z.string() }))
    })
  })
})

/** Jobs shown, newest first. */
const JOBS = 8
const LONGEST = 300
const redact = redactor([])

function jobOf(value: unknown): RayJob[] {
  const parsed = Job.safeParse(value)
  if (!parsed.success) return []
  const { job_id, submission_id, status, entrypoint, message, start_time, end_time } = parsed.data
  return [
    {
      id: submission_id ?? job_id ?? '?',
      status,
      entrypoint: redact(entrypoint ?? '').slice(0, LONGEST),
      message: message ? redact(message).slice(0, LONGEST) : null,
      startedAt: start_time || null,
      endedAt: end_time || null
    }
  ]
}

/** Actors that live or wait, counted by class and state. Dead ones pile up over days and say nothing of now. */
export function countActors(value: unknown): RaySeen['actors'] {
  const parsed = Actors.safeParse(value)
  if (!parsed.success) return null
  const counts = new Map<string, { className: string; state: string; count: number }>()
  for (const { class_name: className, state } of parsed.data.data.result.result) {
    if (state === 'DEAD') continue
    const key = `${className} ${state}`
    const known = counts.get(key) ?? { className, state, count: 0 }
    counts.set(key, { ...known, count: known.count + 1 })
  }
  return [...counts.values()].sort((a, b) => b.count - a.count)
}

/** Asks the dashboard at an address. Null when no Ray answers there. */
export async function lookAtRay(base: string, signal: AbortSignal): Promise<RaySeen | null> {
  const version = Version.safeParse(jsonOf(await httpGet(`${base}/api/version`, signal)))
  if (!version.success) return null
  const [status, jobs, actors] = await Promise.all([
    httpGet(`${base}/api/cluster_status?format=1`, signal),
    httpGet(`${base}/api/jobs/`, signal),
    httpGet(`${base}/api/v0/actors?limit=1000`, signal)
  ])
  const text = Status.safeParse(jsonOf(status)).data?.data.clusterStatus ?? ''
  const listed = z.array(z.unknown()).safeParse(jsonOf(jobs)).data ?? []
  return {
    kind: 'seen',
    version: version.data.ray_version,
    session: version.data.session_name ?? null,
    dashboard: base,
    ...parseRayStatus(text),
    actors: countActors(jsonOf(actors)),
    jobs: listed
      .flatMap(jobOf)
      .sort((a, b) => (b.startedAt ?? 0) - (a.startedAt ?? 0))
      .slice(0, JOBS)
  }
}
