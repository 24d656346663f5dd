import type { releases as en } from '../en/releases'
import type { Same } from '../catalogue'

export const releases: Same<typeof en> = {}
