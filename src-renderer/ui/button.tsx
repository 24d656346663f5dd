import type { LucideIcon } from 'lucide-react'
import type { MouseEvent, ReactNode, Ref } from 'react'
import { Icon } from './icon'
import { Kbd } from './kbd'
import { Tooltip } from './tooltip'

type Native = Omit<React.ComponentPropsWithoutRef<'button'>, 'type' | 'children'>

export interface ButtonProps extends Native {
  variant?: 'default' | 'primary' | 'ghost' | 'danger' | undefined
  size?: 'small' | 'normal' | 'large' | undefined
  icon?: LucideIcon | undefined
  fillIcon?: boolean | undefined
  /** Shown at the end, in the registry's form. */
  keys?: string | undefined
  /** Pressed state of a toggle. */
  on?: boolean | undefined
  /** Why it cannot be pressed now. Shown on hover and to screen readers; the button keeps its place in the tab order. */
  off?: string | false | undefined
  ref?: Ref<HTMLButtonElement> | undefined
  children?: ReactNode
}

function classes(props: ButtonProps, extra: string): string {
  const size = props.size === 'large' ? 'lg' : props.size === 'small' ? 'small' : ''
  const variant = props.variant === undefined || props.variant === 'default' ? '' : props.variant
  const off = typeof props.off === 'string' ? 'off' : ''
  return ['btn', off === '' ? variant : '', size, off, props.on === true ? 'on' : '', extra]
    .filter((name) => name !== '')
    .join(' ')
}

function Base(props: ButtonProps & { extra: string }) {
  const { variant, size, icon, fillIcon, keys, on, off, extra, children, ...rest } = props
  const blocked = typeof off === 'string'
  const onClick = (event: MouseEvent<HTMLButtonElement>): void => {
    if (blocked) event.preventDefault()
    else rest.onClick?.(event)
  }
  const button = (
    <button
      {...rest}
      type="button"
      className={`${classes({ variant, size, on, off }, extra)} ${rest.className ?? ''}`}
      aria-pressed={on}
      aria-disabled={blocked || rest.disabled === true ? true : undefined}
      onClick={onClick}
    >
      {icon === undefined ? null : <Icon of={icon} fill={fillIcon === true} />}
      {children}
      {keys === undefined ? null : <Kbd keys={keys} />}
    </button>
  )
  return blocked && off !== '' ? <Tooltip text={off}>{button}</Tooltip> : button
}

export function Button(props: ButtonProps) {
  return <Base {...props} extra="" />
}

/** A button of one icon. `label` is its name, shown as a tooltip with its key. */
export function IconButton(
  props: Omit<ButtonProps, 'children' | 'keys'> & {
    icon: LucideIcon
    label: string
    keys?: string | undefined
  }
) {
  const { label, keys, ...rest } = props
  return (
    <Tooltip text={label} keys={keys}>
      <Base {...rest} aria-label={label} extra="icon" />
    </Tooltip>
  )
}
