import { type Target, UnreachableError } from '../targets'
import type { AttemptJournal } from './attempt-journal'

/**
 * Asks the target at which address a container's service is reached: behind ssh it is a forwarded port, another one
 * each time. While nobody can say, the last address stays.
 */
export async function findAddress(journal: AttemptJournal, target: Target): Promise<void> {
  const { address, plan } = journal.attempt
  if (plan.image === null || address === null) return
  try {
    const now = await target.reach(Number(new URL(address).port))
    const port = new URL(now).port
    if (now !== address && port !== '') journal.change({ address: now })
  } catch (cause) {
    if (!(cause instanceof UnreachableError)) throw cause
  }
}
