import type { LucideIcon } from 'lucide-react'
import type { ReactNode } from 'react'
import { Icon } from './icon'

/** The five meanings a state can have on screen. Colour never says it alone: icon and word go with it. */
export type Tone = 'running' | 'ready' | 'warn' | 'fail' | 'idle'

export interface StateLook {
  tone: Tone
  icon: LucideIcon
  fillIcon?: boolean
  /** Slow pulse, for starting only. */
  pulse?: boolean
}

/** State on a coloured ground, for headers. */
export function StateChip(props: {
  look: StateLook
  children: ReactNode
  'data-testid'?: string
  'data-state'?: string
}) {
  const { look } = props
  return (
    <span
      className={`chip ${look.tone} ${look.pulse === true ? 'pulse' : ''}`}
      data-testid={props['data-testid']}
      data-state={props['data-state']}
    >
      <Icon of={look.icon} size="small" fill={look.fillIcon === true} />
      {props.children}
    </span>
  )
}

/** State inside a line or a table. */
export function InlineState(props: {
  look: StateLook
  children: ReactNode
  'data-testid'?: string
}) {
  const { look } = props
  return (
    <span
      className={`st c-${look.tone} ${look.pulse === true ? 'pulse' : ''}`}
      data-testid={props['data-testid']}
    >
      <Icon of={look.icon} size="small" fill={look.fillIcon === true} />
      {props.children}
    </span>
  )
}
