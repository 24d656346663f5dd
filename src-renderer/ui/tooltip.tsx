import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import { Kbd } from './kbd'

/** A short note on hover and focus; with `keys`, the key that does the same. */
export function Tooltip(props: {
  text: ReactNode
  keys?: string | undefined
  children: ReactNode
}) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{props.children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content className="tip" sideOffset={6} collisionPadding={8}>
          <span>{props.text}</span>
          {props.keys === undefined ? null : <Kbd keys={props.keys} />}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Stands once at the root; tests that show a tooltip wrap with it too. */
export function TooltipProvider(props: { children: ReactNode }) {
  return <Radix.Provider delayDuration={400}>{props.children}</Radix.Provider>
}
