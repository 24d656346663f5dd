import { Tabs as Radix } from 'radix-ui'
import type { ReactNode } from 'react'

export interface TabItem<T extends string> {
  value: T
  label: string
  /** Quiet number after the label. */
  count?: string | undefined
}

/** The row of tabs only; what a tab shows is the page's business. */
export function Tabs<T extends string>(props: {
  label: string
  value: T
  tabs: readonly TabItem<T>[]
  onChange: (value: T) => void
  children?: ReactNode
}) {
  const choose = (value: string): void => {
    const chosen = props.tabs.find((tab) => tab.value === value)
    if (chosen !== undefined) props.onChange(chosen.value)
  }
  return (
    <Radix.Root
      value={props.value}
      onValueChange={choose}
      activationMode="manual"
      className="flex min-w-0 items-center gap-6"
    >
      <Radix.List className="tabs" aria-label={props.label}>
        {props.tabs.map((tab) => (
          <Radix.Trigger key={tab.value} value={tab.value} data-testid={`tab-${tab.value}`}>
            {tab.label}
            {tab.count === undefined ? null : <span className="cnt">{tab.count}</span>}
          </Radix.Trigger>
        ))}
      </Radix.List>
      {props.children}
    </Radix.Root>
  )
}
