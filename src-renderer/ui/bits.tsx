import { Check } from 'lucide-react'
import { Checkbox as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Icon } from './icon'

export function Tag(props: { children: ReactNode }) {
  return <span className="tag">{props.children}</span>
}

export function Checkbox(props: {
  checked: boolean
  label: string
  onChange: (checked: boolean) => void
  'data-testid'?: string
}) {
  return (
    <Radix.Root
      className="cb"
      aria-label={props.label}
      checked={props.checked}
      onCheckedChange={(next) => props.onChange(next === true)}
      onClick={(event) => event.stopPropagation()}
      data-testid={props['data-testid']}
    >
      <Radix.Indicator>
        <Icon of={Check} />
      </Radix.Indicator>
    </Radix.Root>
  )
}

/** Part of something done, 0 to 1; `null` draws an empty bar. */
export function Meter(props: { share: number | null; label: string; className?: string }) {
  const share = props.share === null ? 0 : Math.max(0, Math.min(1, props.share))
  return (
    <span
      className={`meter ${props.className ?? ''}`}
      role="progressbar"
      aria-label={props.label}
      aria-valuemin={0}
      aria-valuemax={100}
      aria-valuenow={props.share === null ? undefined : Math.round(share * 100)}
    >
      <i style={{ width: `${share * 100}%` }} />
    </span>
  )
}

/** Grey shape of a line that has not arrived yet. */
export function Skeleton(props: { className?: string }) {
  return <span aria-hidden className={`skeleton block ${props.className ?? ''}`} />
}

/** Names left, values right. A null value is shown as a dash. */
export function KeyValues(props: { rows: readonly (readonly [string, ReactNode])[] }) {
  return (
    <div className="kv">
      {props.rows.flatMap(([name, value]) => [
        <span key={`${name}/name`}>{name}</span>,
        <span key={`${name}/value`}>{value ?? '–'}</span>
      ])}
    </div>
  )
}
