import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { failureOf } from '../../api/failures'
import { useText } from '../../i18n'
import { Button, InlineError } from '../../ui'

/** Anything a call threw, told where the work is. */
export function FailureNote(props: {
  thrown: unknown
  retry?: (() => void) | undefined
  action?: ReactNode
  className?: string
}) {
  const { t } = useTranslation()
  const text = useText()
  const failure = failureOf(props.thrown)
  return (
    <InlineError
      what={text(failure.what)}
      {...(failure.where === undefined ? {} : { where: failure.where })}
      {...(failure.remedy === undefined ? {} : { remedy: text(failure.remedy) })}
      {...(failure.detail === undefined ? {} : { detail: failure.detail })}
      {...(props.className === undefined ? {} : { className: props.className })}
      action={
        props.action ??
        (props.retry === undefined ? undefined : (
          <Button size="small" onClick={props.retry}>
            {t('retry')}
          </Button>
        ))
      }
    />
  )
}
