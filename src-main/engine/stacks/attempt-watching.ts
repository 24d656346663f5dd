import { join } from 'node:path'
import { redactor } from '../lib'
import { Ingest, type MetricStore, openMetricStore } from '../metrics'
import type { AttemptRecord } from '../runs'
import type { StackHandle } from '../targets'
import { findAddress } from './address'
import { AttemptJournal } from './attempt-journal'
import { AttemptWatch } from './attempt-watch'
import { Companions } from './companions'
import { planSecrets, secretsOf, tokenOf } from './run-secrets'
import type { SupervisorOptions } from './supervisor-options'

/** A watch that has been made and not begun, and what must be closed after it. */
export interface Watching {
  watch: AttemptWatch
  metrics: MetricStore
}

/** Makes the watch of an attempt. `hurry`: somebody waits for the first look to have read everything. */
export async function watchingOf(
  options: SupervisorOptions,
  number: number,
  handle: StackHandle,
  how: { signal: AbortSignal; hurry: boolean }
): Promise<Watching> {
  const { store, run, clock, target, secret } = options
  const journal = await AttemptJournal.open(store, run, number)
  if (journal.attempt.handle === null) journal.change({ handle })
  await findAddress(journal, target)
  const record = await store.read(run)
  const { plan } = journal.attempt
  const recipe = await options.readRecipe(plan.overrides)
  const token = await tokenOf(recipe, secret)
  const secrets = await planSecrets(plan, secret)
  const redact = redactor([
    ...(await secretsOf(recipe, plan.companions, secret)),
    ...secrets.map(({ value }) => value)
  ])
  const companions = new Companions({
    journal,
    companions: plan.companions,
    here: options.here,
    target,
    stack: handle,
    installation: store.installation,
    secret,
    token,
    clock
  })
  const metrics = await openMetricStore(store.paths(run).metrics)
  metrics.onChange(() => {
    store.samples.mark()
  })
  const watch = new AttemptWatch({
    journal,
    handle,
    target,
    clock,
    metrics,
    // A NexRL driver's own reader tells of its secrets, with the line and the other file that holds them.
    ingest: new Ingest({
      store: metrics,
      redact,
      clock,
      secrets: plan.nexrl === undefined ? secrets : []
    }),
    redact,
    address: journal.attempt.address ?? '',
    companions,
    token,
    releases: await store.releases(run),
    attempts: record.attempts,
    quietAfterMs: options.quietAfterMs,
    below: options.below,
    onTrouble: options.onTrouble,
    attended: options.attended,
    secrets,
    weaver: options.weaver,
    ...how
  })
  return { watch, metrics }
}

/** An engine may have died between starting the stack and writing down what it started. */
export async function findHandle(
  { target, store, run }: Pick<SupervisorOptions, 'target' | 'store' | 'run'>,
  attempt: AttemptRecord
): Promise<StackHandle | null> {
  if (attempt.handle !== null) return attempt.handle
  const own = await target.findOwn(store.installation)
  const found = own.find((one) => one.runId === run && one.attempt === attempt.number)
  if (found !== undefined) return found.handle
  const folder = store.paths(run).attempt(attempt.number)
  const exitFile = join(folder, 'exit.json')
  if (attempt.plan.image !== null || (await target.files.stat(exitFile)) === null) return null
  // It ran and has ended: the record of its end names it well enough to be read.
  return {
    kind: 'process',
    pid: 0,
    startTime: '',
    exitFile,
    stdout: join(folder, 'stdout.log'),
    stderr: join(folder, 'stderr.log')
  }
}

/** Whether a container was made and its engine died before it started it, so that nothing of the stack ever ran. */
export async function neverBegan(
  { target }: SupervisorOptions,
  attempt: AttemptRecord,
  handle: StackHandle
): Promise<boolean> {
  if (attempt.handle !== null || handle.kind !== 'container') return false
  const seen = await target.look(handle)
  return seen.kind === 'exited' && seen.exit.kind === 'unknown'
}
