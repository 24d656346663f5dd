import type * as Monaco from 'monaco-editor/esm/vs/editor/editor.api'
import type { Completion, Finding, TextEdit } from '@contract/recipes'
import type { Language } from '@contract/text'
import { outlineOf, type OutlineEntry } from './outline'

/** What the language knows about a model: whoever shows the editor answers, so the editor itself asks no engine. */
export interface RecipeContext {
  language: Language
  /** Findings of the text as it is now; empty while a newer text is being checked. */
  fixable: () => readonly Finding[]
  complete: (at: Place, signal: AbortSignal) => Promise<Completion[]>
  hover: (at: Place, signal: AbortSignal) => Promise<string | null>
}

/** A place in a text; line and column from 1. */
export interface Place {
  text: string
  line: number
  column: number
}

const contexts = new Map<string, RecipeContext>()

/**
 * Tells the language about a model, by its address.
 * @returns forgets it
 */
export function setContext(uri: string, context: RecipeContext): () => void {
  contexts.set(uri, context)
  return () => {
    if (contexts.get(uri) === context) contexts.delete(uri)
  }
}

type Model = Monaco.editor.ITextModel

function contextOf(model: Model): RecipeContext | undefined {
  return contexts.get(model.uri.toString())
}

/** The span of an edit in the model's own terms. */
export function rangeOf(model: Model, edit: TextEdit): Monaco.IRange {
  const start = model.getPositionAt(edit.start)
  const end = model.getPositionAt(edit.end)
  return {
    startLineNumber: start.lineNumber,
    startColumn: start.column,
    endLineNumber: end.lineNumber,
    endColumn: end.column
  }
}

/** The span of a finding; one that belongs to no line stands on the first. */
export function findingRange(finding: Finding): Monaco.IRange {
  if (finding.line < 1) {
    return { startLineNumber: 1, startColumn: 1, endLineNumber: 1, endColumn: 2 }
  }
  return {
    startLineNumber: finding.line,
    startColumn: Math.max(1, finding.column),
    endLineNumber: Math.max(finding.line, finding.endLine),
    endColumn: Math.max(1, finding.endColumn)
  }
}

function aborter(token: Monaco.CancellationToken): AbortSignal {
  const controller = new AbortController()
  if (token.isCancellationRequested) controller.abort()
  token.onCancellationRequested(() => controller.abort())
  return controller.signal
}

/** An aborted question has no answer; any other failure is the asker's to show. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | null> {
  try {
    return await answer
  } catch (thrown) {
    if (signal.aborted) return null
    throw thrown
  }
}

function completions(monaco: typeof Monaco): Monaco.languages.CompletionItemProvider {
  return {
    triggerCharacters: ['-', '_', ' ', '.'],
    async provideCompletionItems(model, position, _context, token) {
      const context = contextOf(model)
      if (context === undefined) return { suggestions: [] }
      const signal = aborter(token)
      const at = { text: model.getValue(), line: position.lineNumber, column: position.column }
      const found = (await unlessAborted(context.complete(at, signal), signal)) ?? []
      const before = model.getLineContent(position.lineNumber).slice(0, position.column - 1)
      const typed = /[^\s:"'[\],]*$/.exec(before)?.[0].length ?? 0
      const range = {
        startLineNumber: position.lineNumber,
        endLineNumber: position.lineNumber,
        startColumn: position.column - typed,
        endColumn: position.column
      }
      return {
        suggestions: found.map((one) => ({
          label: one.label,
          kind: one.insert.endsWith(': ')
            ? monaco.languages.CompletionItemKind.Property
            : monaco.languages.CompletionItemKind.Value,
          insertText: one.insert,
          detail: one.detail[context.language],
          documentation: one.documentation[context.language],
          range
        }))
      }
    }
  }
}

function hovers(): Monaco.languages.HoverProvider {
  return {
    async provideHover(model, position, token) {
      const context = contextOf(model)
      if (context === undefined) return null
      const signal = aborter(token)
      const at = { text: model.getValue(), line: position.lineNumber, column: position.column }
      const markdown = await unlessAborted(context.hover(at, signal), signal)
      return markdown === null ? null : { contents: [{ value: markdown }] }
    }
  }
}

function touches(range: Monaco.IRange, other: Monaco.IRange): boolean {
  return (
    range.startLineNumber <= other.endLineNumber && other.startLineNumber <= range.endLineNumber
  )
}

function quickFixes(): Monaco.languages.CodeActionProvider {
  return {
    provideCodeActions(model, range, asked) {
      const context = contextOf(model)
      if (context === undefined) return { actions: [], dispose: () => undefined }
      const found = context.fixable().filter((finding) => touches(findingRange(finding), range))
      const actions = found.flatMap((finding): Monaco.languages.CodeAction[] => {
        const { fix } = finding
        if (fix === undefined) return []
        return [
          {
            title: fix.title[context.language],
            kind: 'quickfix',
            isPreferred: true,
            diagnostics: asked.markers.filter(
              (marker) =>
                marker.startLineNumber === finding.line &&
                (typeof marker.code === 'string' ? marker.code : marker.code?.value) ===
                  finding.rule
            ),
            edit: {
              edits: fix.edits.map((edit) => ({
                resource: model.uri,
                versionId: model.getVersionId(),
                textEdit: { range: rangeOf(model, edit), text: edit.text }
              }))
            }
          }
        ]
      })
      return { actions, dispose: () => undefined }
    }
  }
}

function outlines(monaco: typeof Monaco): Monaco.languages.DocumentSymbolProvider {
  const symbol = (model: Model, entry: OutlineEntry): Monaco.languages.DocumentSymbol => {
    const whole = {
      startLineNumber: entry.line,
      startColumn: entry.column,
      endLineNumber: entry.endLine,
      endColumn: model.getLineMaxColumn(Math.min(entry.endLine, model.getLineCount()))
    }
    return {
      name: entry.name,
      detail: '',
      kind:
        entry.children.length > 0
          ? monaco.languages.SymbolKind.Module
          : monaco.languages.SymbolKind.Field,
      tags: [],
      range: whole,
      selectionRange: {
        ...whole,
        endLineNumber: entry.line,
        endColumn: entry.column + entry.name.length
      },
      children: entry.children.map((child) => symbol(model, child))
    }
  }
  return {
    provideDocumentSymbols: (model) =>
      contextOf(model) === undefined
        ? []
        : outlineOf(model.getValue()).map((entry) => symbol(model, entry))
  }
}

/** Completion, hover, quick fixes and outline for YAML models that have a context. */
export function registerRecipeLanguage(monaco: typeof Monaco): void {
  monaco.languages.registerCompletionItemProvider('yaml', completions(monaco))
  monaco.languages.registerHoverProvider('yaml', hovers())
  monaco.languages.registerCodeActionProvider('yaml', quickFixes(), {
    providedCodeActionKinds: ['quickfix']
  })
  monaco.languages.registerDocumentSymbolProvider('yaml', outlines(monaco))
}
