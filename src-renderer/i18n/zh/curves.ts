import type { curves as en } from '../en/curves'
import type { Same } from '../catalogue'

export const curves: Same<typeof en> = {}
