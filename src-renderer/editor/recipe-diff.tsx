import { useEffect, useRef } from 'react'
import { monaco } from './core'

/** Two texts side by side, what differs marked. Read-only. Heavy: load it by a dynamic import. */
export function RecipeDiff(props: { before: string; after: string; label: string }) {
  const { before, after, label } = props
  const host = useRef<HTMLDivElement>(null)
  const diff = useRef<monaco.editor.IStandaloneDiffEditor>(null)

  useEffect(() => {
    if (host.current === null) return
    const made = monaco.editor.createDiffEditor(host.current, {
      automaticLayout: true,
      readOnly: true,
      originalEditable: false,
      renderSideBySide: true,
      useInlineViewWhenSpaceIsLimited: false,
      fontFamily: getComputedStyle(document.documentElement).getPropertyValue('--mono'),
      fontSize: 12,
      lineHeight: 16,
      minimap: { enabled: false },
      scrollBeyondLastLine: false,
      renderOverviewRuler: false,
      contextmenu: false,
      hideUnchangedRegions: { enabled: true },
      lineNumbersMinChars: 3
    })
    diff.current = made
    return () => {
      made.dispose()
      diff.current = null
    }
  }, [])

  useEffect(() => {
    const original = monaco.editor.createModel(before, 'yaml')
    const modified = monaco.editor.createModel(after, 'yaml')
    diff.current?.setModel({ original, modified })
    const firstShown = diff.current?.onDidUpdateDiff(() => {
      firstShown?.dispose()
      diff.current?.revealFirstDiff()
    })
    return () => {
      firstShown?.dispose()
      diff.current?.setModel(null)
      original.dispose()
      modified.dispose()
    }
  }, [before, after])

  return (
    <div
      ref={host}
      role="group"
      aria-label={label}
      className="h-full min-h-[220px] overflow-hidden rounded-md border border-line-1"
      data-testid="recipe-diff"
    />
  )
}
