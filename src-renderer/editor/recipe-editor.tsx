import { useEffect, useImperativeHandle, useRef, type Ref } from 'react'
import type { Finding, TextEdit } from '@contract/recipes'
import { monaco } from './core'
import { passChords } from './pass-chords'
import { findingRange, rangeOf, setContext, type RecipeContext } from './recipe-language'

/** What the page may do to an open editor. Every change can be undone with Ctrl+Z. */
export interface EditorHandle {
  replaceAll: (text: string) => void
  applyEdits: (edits: readonly TextEdit[]) => void
  reveal: (line: number, column: number) => void
  focus: () => void
  /** The list of the text's fields to go to. */
  outline: () => void
}

export interface RecipeEditorProps {
  path: string
  /** The text to begin with; afterwards the editor holds the text and tells of changes. */
  text: string
  /** Another number makes the editor take `text` anew. */
  revision: number
  readOnly: boolean
  /** Said when someone types into a read-only text. */
  readOnlyNote: string
  label: string
  findings: readonly Finding[]
  context: RecipeContext
  onChange: (text: string) => void
  onCursor: (line: number, column: number) => void
  handle: Ref<EditorHandle>
}

type Model = monaco.editor.ITextModel

/** One model a file, so that its undo history lives as long as the window. */
function modelFor(path: string, text: string): Model {
  const uri = monaco.Uri.from({
    scheme: 'recipe',
    path: `/${path.replaceAll('\\', '/').replace(/^\/+/, '')}`
  })
  return monaco.editor.getModel(uri) ?? monaco.editor.createModel(text, 'yaml', uri)
}

function replaceAll(model: Model, text: string): void {
  if (model.getValue() === text) return
  model.pushStackElement()
  model.pushEditOperations([], [{ range: model.getFullModelRange(), text }], () => null)
  model.pushStackElement()
}

const OPTIONS: monaco.editor.IStandaloneEditorConstructionOptions = {
  automaticLayout: true,
  fontSize: 14,
  lineHeight: 20,
  minimap: { enabled: false },
  scrollBeyondLastLine: false,
  renderLineHighlight: 'all',
  lineNumbersMinChars: 3,
  glyphMargin: true,
  folding: true,
  tabSize: 2,
  insertSpaces: true,
  detectIndentation: false,
  fixedOverflowWidgets: true,
  wordBasedSuggestions: 'off',
  quickSuggestions: { other: true, strings: true, comments: false },
  suggest: { showWords: false },
  stickyScroll: { enabled: false },
  unicodeHighlight: { ambiguousCharacters: false },
  padding: { top: 4, bottom: 4 },
  // The menu's words exist in English only; everything in it has a key and most a button.
  contextmenu: false
}

function markerOf(
  finding: Finding,
  language: RecipeContext['language']
): monaco.editor.IMarkerData {
  const severity = {
    error: monaco.MarkerSeverity.Error,
    warning: monaco.MarkerSeverity.Warning,
    hint: monaco.MarkerSeverity.Info
  }[finding.severity]
  return {
    ...findingRange(finding),
    severity,
    message: `${finding.message[language]}\n${finding.explanation[language]}`,
    code: finding.rule
  }
}

/** A recipe in Monaco. Heavy: load it by a dynamic import. */
export function RecipeEditor(props: RecipeEditorProps) {
  const { path, revision, readOnly, readOnlyNote, label, findings, context } = props
  const host = useRef<HTMLDivElement>(null)
  const editor = useRef<monaco.editor.IStandaloneCodeEditor>(null)
  const latest = useRef(props)
  useEffect(() => {
    latest.current = props
  })

  useEffect(() => {
    if (host.current === null) return
    const mono = getComputedStyle(document.documentElement).getPropertyValue('--mono')
    const made = monaco.editor.create(host.current, {
      ...OPTIONS,
      fontFamily: mono,
      model: null,
      ariaLabel: latest.current.label
    })
    editor.current = made
    const stopPassing = passChords(host.current)
    const cursor = made.onDidChangeCursorPosition(({ position }) =>
      latest.current.onCursor(position.lineNumber, position.column)
    )
    return () => {
      stopPassing()
      cursor.dispose()
      made.dispose()
      editor.current = null
    }
  }, [])

  useEffect(() => {
    const model = modelFor(path, latest.current.text)
    // The page's text is the truth: after a restored draft or a reload the model follows it.
    replaceAll(model, latest.current.text)
    editor.current?.setModel(model)
    editor.current?.focus()
    const changes = model.onDidChangeContent(() => latest.current.onChange(model.getValue()))
    return () => changes.dispose()
  }, [path, revision])

  useEffect(() => {
    editor.current?.updateOptions({
      readOnly,
      readOnlyMessage: { value: readOnlyNote },
      ariaLabel: label
    })
  }, [readOnly, readOnlyNote, label])

  useEffect(() => {
    const model = editor.current?.getModel()
    return model === null || model === undefined
      ? undefined
      : setContext(model.uri.toString(), context)
  }, [path, context])

  useEffect(() => {
    const model = editor.current?.getModel()
    if (model === null || model === undefined) return
    const own = findings.filter((finding) => finding.file === undefined)
    const markers = own.map((finding) => markerOf(finding, context.language))
    monaco.editor.setModelMarkers(model, 'slipway', markers)
  }, [path, findings, context.language])

  useImperativeHandle(
    props.handle,
    () => ({
      replaceAll: (text) => {
        const model = editor.current?.getModel()
        if (model !== null && model !== undefined) replaceAll(model, text)
      },
      applyEdits: (edits) => {
        const model = editor.current?.getModel()
        if (model === null || model === undefined) return
        editor.current?.pushUndoStop()
        editor.current?.executeEdits(
          'slipway',
          edits.map((edit) => ({ range: rangeOf(model, edit), text: edit.text }))
        )
        editor.current?.pushUndoStop()
      },
      reveal: (line, column) => {
        const position = { lineNumber: Math.max(1, line), column: Math.max(1, column) }
        editor.current?.setPosition(position)
        editor.current?.revealPositionInCenterIfOutsideViewport(position)
        editor.current?.focus()
      },
      focus: () => editor.current?.focus(),
      outline: () => {
        editor.current?.focus()
        void editor.current?.getAction('editor.action.quickOutline')?.run()
      }
    }),
    []
  )

  return <div ref={host} className="min-h-0 flex-1" data-testid="recipe-editor" />
}
