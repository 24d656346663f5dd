import type { Release } from '@contract/releases'
import { Undo2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useText } from '../../i18n'
import { go } from '../../state/route'
import { Banner, Button } from '../../ui'
import { failureOf } from '../../api'
import { nameOf, servedOf } from './release-model'
import { dismissAct, useRollbackAct } from './rollback-act'
import type { RollbackOrder } from './rollback-act'

/** How going back went, with its undo, until the person has seen it. */
export function RollbackBanner(props: {
  run: string
  releases: readonly Release[]
  onUndo: (order: RollbackOrder) => void
}) {
  const { t } = useTranslation('releases')
  const text = useText()
  const act = useRollbackAct(props.run)
  if (act === null) return null
  const name = nameOf(act.order.step)
  const dismiss = (
    <Button size="small" variant="ghost" onClick={() => dismissAct(props.run)}>
      {t('act.dismiss')}
    </Button>
  )
  switch (act.kind) {
    case 'running':
      return (
        <Banner tone="running" data-testid="rollback-running">
          {t('act.running', { name })}
        </Banner>
      )
    case 'failed': {
      const failure = failureOf(act.thrown)
      return (
        <Banner tone="fail" action={dismiss} data-testid="rollback-failed">
          {t('act.failed', { name })} {text(failure.what)}{' '}
          {failure.remedy === undefined ? '' : text(failure.remedy)}
        </Banner>
      )
    }
    case 'done':
      return (
        <Banner
          tone="ready"
          data-testid="rollback-done"
          action={
            <span className="flex gap-2">
              {act.order.way === 'redeploy' ? (
                <Button
                  size="small"
                  onClick={() => go({ page: 'run', id: props.run, tab: 'stack' })}
                >
                  {t('act.stack')}
                </Button>
              ) : null}
              {act.order.before === null ? null : (
                <Button
                  size="small"
                  icon={Undo2}
                  onClick={() => props.onUndo(act.order)}
                  data-testid="rollback-undo"
                >
                  {t('act.undo', { name: nameOf(act.order.before) })}
                </Button>
              )}
              {dismiss}
            </span>
          }
        >
          {act.order.way === 'api'
            ? t('act.done', { served: servedName(props.releases), name })
            : t('act.under', { name })}
        </Banner>
      )
  }
}

function servedName(releases: readonly Release[]): string {
  const served = servedOf(releases)
  return served === null ? '–' : nameOf(served.step)
}
