import { type Target, UnreachableError } from '../targets'
import type { AttemptJournal } from './attempt-journal'
import { servicePort } from './service-port'

/**
 * Asks the target at which address a container's service is reached: behind ssh it is a forwarded port, the one of
 * before where that is free, so that a companion of this machine finds it again. While nobody can say, the last address
 * stays.
 */
export async function findAddress(journal: AttemptJournal, target: Target): Promise<void> {
  const { address, plan } = journal.attempt
  if (plan.image === null || address === null) return
  try {
    const there = servicePort(journal.attempt)
    const last = Number(new URL(address).port)
    // Until the first answer the address has the service's own port, which on this machine may be another program's.
    const now = await target.reach(there, last === there ? undefined : last)
    const port = new URL(now).port
    if (now !== address && port !== '') journal.change({ address: now })
  } catch (cause) {
    if (!(cause instanceof UnreachableError)) throw cause
  }
}
