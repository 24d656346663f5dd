import { CircleX, Info } from 'lucide-react'
import i18next from 'i18next'
import { failureOf } from '../../api/failures'
import type { ChartGroup } from '../../charts'
import { useToasts } from '../../ui'
import { openLogAtStep } from '../log'
import { curvePrefs } from './curve-prefs'

/** Opens the log at the line of the step under the crosshair, or says why it cannot. */
export function openLineUnderCrosshair(run: string, groups: readonly ChartGroup[]): void {
  const cross = groups.map((group) => group.store.getState().cross).find((at) => at !== null)
  if (cross === undefined || curvePrefs.getState().axis !== 'step') {
    say('info', i18next.t('curves:lineNoStep'))
    return
  }
  const step = Math.round(cross.x)
  openLogAtStep(run, step).then(
    (found) => {
      if (!found) say('info', i18next.t('curves:lineNone', { step }))
    },
    (thrown: unknown) => {
      const { what } = failureOf(thrown)
      say('fail', i18next.language === 'zh' ? what.zh : what.en)
    }
  )
}

function say(kind: 'info' | 'fail', text: string): void {
  const look =
    kind === 'fail'
      ? ({ tone: 'fail', icon: CircleX } as const)
      : ({ tone: 'idle', icon: Info } as const)
  useToasts.getState().show({ look, text })
}
