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
              {act.order.way !== 'api' ? (
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
                  {act.order.act === 'undo'
                    ? t('act.redo')
                    : t('act.undo', { name: nameOf(act.order.before) })}
                </Button>
              )}
              {dismiss}
            </span>
          }
        >
          {doneWords(act.order, servedName(props.releases), t)}
        </Banner>
      )
  }
}

function doneWords(
  { act, way, step }: RollbackOrder,
  served: string,
  t: ReturnType<typeof useTranslation<'releases'>>['t']
): string {
  const name = nameOf(step)
  switch (way) {
    case 'api':
      return act === 'undo' ? t('act.undone', { served }) : t('act.done', { served, name })
    case 'redeploy':
      return t('act.under', { name })
    case 'reopen':
      return t('act.reopening')
  }
}

function servedName(releases: readonly Release[]): string {
  const served = servedOf(releases)
  return served === null ? '–' : nameOf(served.step)
}
