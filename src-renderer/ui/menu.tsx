import { Check, type LucideIcon } from 'lucide-react'
import { DropdownMenu } from 'radix-ui'
import type { ReactNode } from 'react'
import { Icon } from './icon'
import { Kbd } from './kbd'

export type MenuEntry =
  | {
      kind: 'item'
      id: string
      label: string
      icon?: LucideIcon
      keys?: string
      note?: string
      checked?: boolean
      off?: boolean
      run: () => void
    }
  | { kind: 'line'; id: string }
  | { kind: 'head'; id: string; label: string }

/** A list of commands or choices under its trigger (a Button or IconButton). */
export function Menu(props: {
  trigger: ReactNode
  entries: readonly MenuEntry[]
  align?: 'start' | 'end'
  /** Pixels. */
  width?: number
  onOpen?: () => void
}) {
  return (
    <DropdownMenu.Root
      onOpenChange={(open) => {
        if (open) props.onOpen?.()
      }}
    >
      <DropdownMenu.Trigger asChild>{props.trigger}</DropdownMenu.Trigger>
      <DropdownMenu.Portal>
        <DropdownMenu.Content
          className="menu"
          style={props.width === undefined ? undefined : { width: props.width }}
          align={props.align ?? 'start'}
          sideOffset={4}
          collisionPadding={8}
        >
          {props.entries.map((entry) => (
            <Entry key={entry.id} entry={entry} />
          ))}
        </DropdownMenu.Content>
      </DropdownMenu.Portal>
    </DropdownMenu.Root>
  )
}

function Entry(props: { entry: MenuEntry }) {
  const { entry } = props
  switch (entry.kind) {
    case 'line':
      return <DropdownMenu.Separator className="hr my-1" />
    case 'head':
      return <DropdownMenu.Label className="t2 px-2 py-1">{entry.label}</DropdownMenu.Label>
    case 'item':
      return (
        <DropdownMenu.Item
          className="mi"
          disabled={entry.off === true}
          onSelect={entry.run}
          data-testid={`menu-${entry.id}`}
        >
          {entry.icon === undefined ? null : <Icon of={entry.icon} size="medium" className="t2" />}
          {entry.checked === undefined ? null : (
            <span className="w-3.5">
              {entry.checked ? <Icon of={Check} size="medium" /> : null}
            </span>
          )}
          <span>{entry.label}</span>
          <span className="ml-auto flex flex-none items-center gap-2 pl-4 whitespace-nowrap">
            {entry.note === undefined ? null : <span className="t2">{entry.note}</span>}
            {entry.keys === undefined ? null : <Kbd keys={entry.keys} />}
          </span>
        </DropdownMenu.Item>
      )
  }
}
