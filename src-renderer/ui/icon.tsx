import type { LucideIcon } from 'lucide-react'

export type IconSize = 'small' | 'medium' | 'large'

const sizes: Record<IconSize, string> = { small: 's', medium: 'm', large: '' }

/** An icon beside a word: it is never the only carrier of meaning, so it is hidden from screen readers. */
export function Icon(props: {
  of: LucideIcon
  size?: IconSize
  fill?: boolean
  className?: string
}) {
  const { of: Of, size = 'large', fill = false, className = '' } = props
  return <Of aria-hidden className={`ic ${sizes[size]} ${fill ? 'fill' : ''} ${className}`} />
}
