import { Dialog as Radix } from 'radix-ui'
import type { KeyboardEvent, ReactNode, RefObject } from 'react'

/**
 * A window over the page. Focus goes to `focus` when it opens (the safe button of anything that cannot be undone)
 * and back to where it was when it closes. `onConfirm` is bound to Ctrl+Enter.
 */
export function Dialog(props: {
  open: boolean
  onClose: () => void
  title: ReactNode
  description?: ReactNode
  /** Pixels. */
  width?: number
  focus?: RefObject<HTMLElement | null>
  onConfirm?: (() => void) | undefined
  footer?: ReactNode
  'data-testid'?: string
  children: ReactNode
}) {
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey)) return
    if (props.onConfirm === undefined) return
    event.preventDefault()
    props.onConfirm()
  }
  return (
    <Radix.Root open={props.open} onOpenChange={(open) => (open ? undefined : props.onClose())}>
      <Radix.Portal>
        <Radix.Overlay className="scrim" />
        <Radix.Content
          className="dialog"
          style={{ width: props.width ?? 520 }}
          data-testid={props['data-testid']}
          onKeyDown={onKeyDown}
          onOpenAutoFocus={(event) => {
            const wanted = props.focus?.current
            if (wanted === undefined || wanted === null) return
            event.preventDefault()
            wanted.focus()
          }}
          {...(props.description === undefined ? { 'aria-describedby': undefined } : {})}
        >
          <div className="flex-none px-4 pt-4">
            <Radix.Title className="text-base font-semibold">{props.title}</Radix.Title>
            {props.description === undefined ? null : (
              <Radix.Description className="t2 mt-1 text-xs">{props.description}</Radix.Description>
            )}
          </div>
          <div className="min-h-0 overflow-auto px-4 py-3 text-xs">{props.children}</div>
          {props.footer === undefined ? null : (
            <div className="flex flex-none items-center justify-end gap-2 border-t border-line-1 px-4 py-3">
              {props.footer}
            </div>
          )}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}
