// The parts of Monaco that are imported one by one come without types.
declare module 'monaco-editor/esm/vs/editor/edcore.main.js' {
  export * from 'monaco-editor/esm/vs/editor/editor.api'
}
declare module 'monaco-editor/esm/vs/basic-languages/yaml/yaml.contribution.js'
