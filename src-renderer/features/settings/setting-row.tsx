import type { ReactNode } from 'react'

/** A setting: what it is called, what it does, and its control. */
export function SettingRow(props: { name: string; more?: string; children: ReactNode }) {
  return (
    <div className="flex min-h-13 items-center gap-6 border-t border-line-1 px-4 py-3 text-xs first:border-t-0">
      <div className="min-w-0 flex-1">
        <div className="font-medium">{props.name}</div>
        {props.more === undefined ? null : <div className="t2 mt-1">{props.more}</div>}
      </div>
      {props.children}
    </div>
  )
}
