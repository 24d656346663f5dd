import type { LucideIcon } from 'lucide-react'
import { useId, type KeyboardEvent, type ReactNode, type Ref } from 'react'
import { Icon } from './icon'
import { Kbd } from './kbd'

export interface FieldProps {
  value: string
  onChange: (value: string) => void
  /** Name for screen readers, and shown above when `showLabel`. */
  label: string
  showLabel?: boolean
  placeholder?: string
  icon?: LucideIcon
  /** Note at the end of the field, e.g. the number of matches. */
  note?: ReactNode
  keys?: string
  mono?: boolean
  /** What is typed is not to be read over one's shoulder. */
  secret?: boolean
  size?: 'small' | 'normal' | 'tall'
  /** Said under the field; the field turns red. */
  error?: string | undefined
  className?: string
  inputRef?: Ref<HTMLInputElement>
  onKeyDown?: (event: KeyboardEvent<HTMLInputElement>) => void
  list?: string
  'data-testid'?: string
}

export function Field({ inputRef, ...props }: FieldProps) {
  const id = useId()
  const wrong = props.error !== undefined
  const size = props.size === undefined || props.size === 'normal' ? '' : props.size
  return (
    <div className={`min-w-0 ${props.className ?? ''}`}>
      {props.showLabel === true ? (
        <label htmlFor={id} className="mb-1 block text-xs text-text-2">
          {props.label}
        </label>
      ) : null}
      <div className={`field ${size} ${wrong ? 'wrong' : ''}`}>
        {props.icon === undefined ? null : (
          <Icon of={props.icon} size={props.size === 'small' ? 'small' : 'medium'} className="t2" />
        )}
        <input
          id={id}
          ref={inputRef}
          type={props.secret === true ? 'password' : 'text'}
          className={props.mono === true ? 'mono' : ''}
          value={props.value}
          aria-label={props.showLabel === true ? undefined : props.label}
          aria-invalid={wrong}
          aria-describedby={wrong ? `${id}-error` : undefined}
          placeholder={props.placeholder}
          list={props.list}
          spellCheck={false}
          autoComplete="off"
          onChange={(event) => props.onChange(event.target.value)}
          onKeyDown={props.onKeyDown}
          data-testid={props['data-testid']}
        />
        {props.note === undefined ? null : (
          <span className="t2 num whitespace-nowrap">{props.note}</span>
        )}
        {props.keys === undefined ? null : <Kbd keys={props.keys} />}
      </div>
      {wrong ? (
        <div id={`${id}-error`} role="alert" className="c-fail mt-1 text-xs">
          {props.error}
        </div>
      ) : null}
    </div>
  )
}

/** Several lines of text, e.g. why something is done. */
export function TextArea(props: {
  value: string
  onChange: (value: string) => void
  label: string
  rows?: number
  placeholder?: string
  mono?: boolean
  className?: string
  'data-testid'?: string
}) {
  return (
    <textarea
      className={`area text-xs ${props.mono === true ? 'mono' : ''} ${props.className ?? ''}`}
      value={props.value}
      aria-label={props.label}
      rows={props.rows ?? 3}
      placeholder={props.placeholder}
      onChange={(event) => props.onChange(event.target.value)}
      data-testid={props['data-testid']}
    />
  )
}
