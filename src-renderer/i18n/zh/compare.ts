import type { compare as en } from '../en/compare'
import type { Same } from '../catalogue'

export const compare: Same<typeof en> = {}
