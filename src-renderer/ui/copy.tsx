import { Check, Copy } from 'lucide-react'
import { useEffect, useState, type ReactNode } from 'react'
import { IconButton } from './button'
import { copyText } from './clipboard'

/** Copies `text`; the icon turns into a check for two seconds as the only answer. */
export function CopyButton(props: { text: string; label: string; done: string }) {
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = window.setTimeout(() => setCopied(false), 2000)
    return () => window.clearTimeout(timer)
  }, [copied])
  const copy = (): void => {
    void copyText(props.text).then(() => setCopied(true))
  }
  return (
    <IconButton
      variant="ghost"
      size="small"
      icon={copied ? Check : Copy}
      label={copied ? props.done : props.label}
      onClick={copy}
    />
  )
}

/** Code to read and to copy. */
export function CodeBlock(props: {
  text: string
  copyLabel: string
  copiedLabel: string
  children?: ReactNode
  'data-testid'?: string
}) {
  return (
    <div className="code relative pr-10" data-testid={props['data-testid']}>
      {props.children ?? props.text}
      <span className="absolute top-1 right-1">
        <CopyButton text={props.text} label={props.copyLabel} done={props.copiedLabel} />
      </span>
    </div>
  )
}
