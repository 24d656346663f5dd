import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js'
import 'monaco-editor/esm/vs/basic-languages/yaml/yaml.contribution.js'
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker'
import './editor.css'
import { followEditorTheme } from './theme'
import { registerRecipeLanguage } from './recipe-language'

// This module is heavy and is only ever reached through a dynamic import.
self.MonacoEnvironment = { getWorker: () => new EditorWorker() }
followEditorTheme(monaco)
registerRecipeLanguage(monaco)
// The window has a palette of its own; the editor's would list commands that do nothing for a recipe.
monaco.editor.addKeybindingRule({
  keybinding: monaco.KeyCode.F1,
  command: '-editor.action.quickCommand'
})
// What the editor calls off itself (a hover, a completion that came too late) it rejects under this name; nothing failed.
window.addEventListener('unhandledrejection', (event) => {
  if (event.reason instanceof Error && event.reason.name === 'Canceled') event.preventDefault()
})
// Text is measured once; the editor's font may arrive after that.
void document.fonts.ready.then(() => monaco.editor.remeasureFonts())

export { monaco }
