import * as monaco from 'monaco-editor/esm/vs/editor/edcore.main.js'
import 'monaco-editor/esm/vs/basic-languages/yaml/yaml.contribution.js'
import EditorWorker from 'monaco-editor/esm/vs/editor/editor.worker.js?worker'
import { followEditorTheme } from './theme'
import { registerRecipeLanguage } from './recipe-language'

// This module is heavy and is only ever reached through a dynamic import.
self.MonacoEnvironment = { getWorker: () => new EditorWorker() }
followEditorTheme(monaco)
registerRecipeLanguage(monaco)
// Text is measured once; the editor's font may arrive after that.
void document.fonts.ready.then(() => monaco.editor.remeasureFonts())

export { monaco }
