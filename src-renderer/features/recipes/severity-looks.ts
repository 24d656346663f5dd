import { CircleX, Info, TriangleAlert } from 'lucide-react'
import type { Severity } from '@contract/recipes'
import type { StateLook } from '../../ui'

export const severityLooks: Record<Severity, StateLook> = {
  error: { tone: 'fail', icon: CircleX },
  warning: { tone: 'warn', icon: TriangleAlert },
  hint: { tone: 'idle', icon: Info }
}
