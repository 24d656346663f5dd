import { CircleX, Info, TriangleAlert, type LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon'
import type { Tone } from './state-chip'

/** Says what is empty, for what, and why; offers one action. */
export function EmptyReason(props: {
  what: ReactNode
  why: ReactNode
  action?: ReactNode
  icon?: LucideIcon
  className?: string
  'data-testid'?: string
}) {
  return (
    <div
      className={`flex flex-col items-center justify-center gap-2 p-6 text-center ${props.className ?? ''}`}
      data-testid={props['data-testid'] ?? 'empty'}
    >
      {props.icon === undefined ? null : <Icon of={props.icon} className="t2" />}
      <div className="font-medium">{props.what}</div>
      <div className="t2 max-w-[440px] text-xs">{props.why}</div>
      {props.action === undefined ? null : <div className="mt-2">{props.action}</div>}
    </div>
  )
}

/** An error where the work is. `detail` are the other side's own words. */
export function InlineError(props: {
  what: ReactNode
  where?: ReactNode
  remedy?: ReactNode
  detail?: ReactNode
  action?: ReactNode
  className?: string
  'data-testid'?: string
}) {
  return (
    <div
      role="alert"
      className={`callout fail ${props.className ?? ''}`}
      data-testid={props['data-testid'] ?? 'inline-error'}
    >
      <div className="flex items-start gap-2">
        <Icon of={CircleX} size="medium" className="c-fail mt-px" />
        <div className="min-w-0 flex-1">
          <div className="font-medium whitespace-pre-line">{props.what}</div>
          {props.where === undefined ? null : (
            <div className="mono t2 break-all">{props.where}</div>
          )}
          {props.remedy === undefined ? null : <div className="t2 mt-1">{props.remedy}</div>}
          {props.detail === undefined ? null : (
            <div className="code mt-2 max-h-40 overflow-auto">{props.detail}</div>
          )}
        </div>
        {props.action}
      </div>
    </div>
  )
}

const bannerIcons: Record<Tone, LucideIcon> = {
  running: Info,
  ready: Info,
  idle: Info,
  warn: TriangleAlert,
  fail: CircleX
}

/** One line over the whole window that stays until its reason goes. */
export function Banner(props: {
  tone: Tone
  children: ReactNode
  action?: ReactNode
  'data-testid'?: string
}) {
  return (
    <div
      role="status"
      className="flex min-h-6 items-center gap-2 border-b border-line-1 bg-inset px-4 py-1 text-xs"
      data-testid={props['data-testid']}
    >
      <span className={`c-${props.tone}`}>
        <Icon of={bannerIcons[props.tone]} size="small" />
      </span>
      <span className="t2 min-w-0">{props.children}</span>
      {props.action === undefined ? null : <span className="ml-auto">{props.action}</span>}
    </div>
  )
}
