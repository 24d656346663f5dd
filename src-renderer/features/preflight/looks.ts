import { Check, CircleQuestionMark, CircleSlash, TriangleAlert, X } from 'lucide-react'
import type { StateLook } from '../../ui'
import type { NextStep } from './preflight-model'

export const stepLooks: Record<NextStep, StateLook> = {
  fix: { tone: 'fail', icon: X },
  know: { tone: 'warn', icon: TriangleAlert },
  unknown: { tone: 'idle', icon: CircleQuestionMark },
  fine: { tone: 'ready', icon: Check },
  skipped: { tone: 'idle', icon: CircleSlash }
}
