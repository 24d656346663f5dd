import { ToggleGroup } from 'radix-ui'
import type { ReactNode } from 'react'

export interface Segment<T extends string> {
  value: T
  label: ReactNode
  /** Why it cannot be chosen now; absent: it can. */
  off?: string | null
}

/** One of a few, all visible. Arrow keys move the choice. */
export function Segmented<T extends string>(props: {
  label: string
  value: T
  segments: readonly Segment<T>[]
  onChange: (value: T) => void
  size?: 'small' | 'normal'
  'data-testid'?: string
}) {
  const choose = (value: string): void => {
    const chosen = props.segments.find((segment) => segment.value === value)
    if (chosen !== undefined) props.onChange(chosen.value)
  }
  return (
    <ToggleGroup.Root
      type="single"
      className={`seg ${props.size === 'small' ? 'small' : ''}`}
      aria-label={props.label}
      value={props.value}
      onValueChange={choose}
      data-testid={props['data-testid']}
    >
      {props.segments.map((segment) => (
        <ToggleGroup.Item
          key={segment.value}
          value={segment.value}
          disabled={typeof segment.off === 'string'}
          title={segment.off ?? undefined}
          data-testid={
            props['data-testid'] === undefined
              ? undefined
              : `${props['data-testid']}-${segment.value}`
          }
        >
          {segment.label}
        </ToggleGroup.Item>
      ))}
    </ToggleGroup.Root>
  )
}
