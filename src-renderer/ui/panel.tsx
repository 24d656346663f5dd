import type { ReactNode } from 'react'

/** A bordered surface with a one-line head. */
export function Panel(props: {
  title: ReactNode
  sub?: ReactNode
  actions?: ReactNode
  className?: string
  'data-testid'?: string
  children: ReactNode
}) {
  return (
    <section className={`panel ${props.className ?? ''}`} data-testid={props['data-testid']}>
      <div className="ph">
        <span>{props.title}</span>
        {props.sub === undefined ? null : <span className="sub el">{props.sub}</span>}
        {props.actions === undefined ? null : (
          <span className="ml-auto flex items-center gap-2 font-normal">{props.actions}</span>
        )}
      </div>
      {props.children}
    </section>
  )
}
