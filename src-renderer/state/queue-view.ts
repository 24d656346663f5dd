import { create } from 'zustand'

/** Whether the list of launches that wait is open. */
export const queueView = create<{ readonly open: boolean }>(() => ({ open: false }))

/** Opens the list of launches that wait. */
export function showQueue(): void {
  queueView.setState({ open: true })
}
