import { create } from 'zustand'
import { useEffect } from 'react'
import { X } from 'lucide-react'
import { Button, IconButton } from './button'
import { Icon } from './icon'
import type { StateLook } from './state-chip'

/** Outcome of something the person asked for whose place is no longer on screen. One at a time. */
export interface ToastMessage {
  look: StateLook
  text: string
  action?: { label: string; run: () => void }
}

interface ToastStore {
  current: ToastMessage | null
  show: (message: ToastMessage) => void
  close: () => void
}

export const useToasts = create<ToastStore>((set) => ({
  current: null,
  show: (message) => set({ current: message }),
  close: () => set({ current: null })
}))

export function Toast(props: { closeLabel: string }) {
  const current = useToasts((store) => store.current)
  const close = useToasts((store) => store.close)
  useEffect(() => {
    if (current === null) return
    const timer = window.setTimeout(close, 8000)
    return () => window.clearTimeout(timer)
  }, [current, close])
  if (current === null) return null
  const { action } = current
  return (
    <div
      role="status"
      className="fixed right-4 bottom-9 z-40 flex max-w-[420px] items-center gap-3 rounded-lg border border-line-3 bg-elevated px-3 py-2 text-xs"
      style={{ boxShadow: 'var(--shadow)' }}
      data-testid="toast"
    >
      <span className={`c-${current.look.tone}`}>
        <Icon of={current.look.icon} size="medium" />
      </span>
      <span className="min-w-0 flex-1">{current.text}</span>
      {action === undefined ? null : (
        <Button
          size="small"
          onClick={() => {
            close()
            action.run()
          }}
        >
          {action.label}
        </Button>
      )}
      <IconButton size="small" variant="ghost" icon={X} label={props.closeLabel} onClick={close} />
    </div>
  )
}
