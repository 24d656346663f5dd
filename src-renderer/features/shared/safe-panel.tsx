import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, ErrorBoundary, InlineError } from '../../ui'

/** A part of the page that may fail without taking its neighbours along. */
export function SafePanel(props: { children: ReactNode }) {
  const { t } = useTranslation()
  return (
    <ErrorBoundary
      fallback={(error, retry) => (
        <InlineError
          className="m-4"
          what={t('panelFailed')}
          remedy={t('panelFailedRemedy')}
          detail={error.message}
          action={
            <Button size="small" onClick={retry}>
              {t('retry')}
            </Button>
          }
        />
      )}
    >
      {props.children}
    </ErrorBoundary>
  )
}
