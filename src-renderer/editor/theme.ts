import type * as Monaco from 'monaco-editor/esm/vs/editor/editor.api'
import { hexColour } from './hex-colour'

type ThemeData = Monaco.editor.IStandaloneThemeData

/** Colours of the editor by the name of the token they take. */
const COLOURS = {
  'editor.background': '--panel',
  'editor.foreground': '--text',
  'editorLineNumber.foreground': '--text-3',
  'editorLineNumber.activeForeground': '--text',
  'editor.lineHighlightBackground': '--hover',
  'editor.lineHighlightBorder': '--hover',
  'editor.selectionBackground': '--lit',
  'editor.wordHighlightBackground': '--line-1',
  'editorCursor.foreground': '--text',
  'editorIndentGuide.background1': '--line-1',
  'editorIndentGuide.activeBackground1': '--line-2',
  'editorGutter.foldingControlForeground': '--text-2',
  'editorError.foreground': '--fail',
  'editorWarning.foreground': '--warn',
  'editorInfo.foreground': '--idle',
  'editorOverviewRuler.border': '--line-1',
  'editorOverviewRuler.errorForeground': '--fail',
  'editorOverviewRuler.warningForeground': '--warn',
  'editorOverviewRuler.infoForeground': '--idle',
  'editorLightBulb.foreground': '--warn',
  'editorWidget.background': '--elevated',
  'editorWidget.foreground': '--text',
  'editorWidget.border': '--line-3',
  'editorHoverWidget.background': '--elevated',
  'editorHoverWidget.foreground': '--text',
  'editorHoverWidget.border': '--line-3',
  'editorHoverWidget.statusBarBackground': '--elevated',
  'editorSuggestWidget.background': '--elevated',
  'editorSuggestWidget.border': '--line-3',
  'editorSuggestWidget.foreground': '--text',
  'editorSuggestWidget.selectedBackground': '--accent',
  'editorSuggestWidget.selectedForeground': '--on-accent',
  'editorSuggestWidget.highlightForeground': '--accent-text',
  'editorSuggestWidget.focusHighlightForeground': '--on-accent',
  'editor.rangeHighlightBackground': '--accent-wash',
  'editorMarkerNavigation.background': '--elevated',
  'editorMarkerNavigationError.background': '--fail',
  'editorMarkerNavigationWarning.background': '--warn',
  'editorMarkerNavigationInfo.background': '--idle',
  'editorActionList.background': '--elevated',
  'editorActionList.foreground': '--text',
  'editorActionList.focusBackground': '--accent',
  'editorActionList.focusForeground': '--on-accent',
  'list.hoverBackground': '--hover',
  'list.focusBackground': '--accent',
  'list.focusForeground': '--on-accent',
  'quickInputList.focusBackground': '--accent',
  'quickInputList.focusForeground': '--on-accent',
  'quickInputList.focusIconForeground': '--on-accent',
  'pickerGroup.foreground': '--text-2',
  'quickInput.background': '--elevated',
  'quickInput.foreground': '--text',
  'menu.background': '--elevated',
  'menu.foreground': '--text',
  'menu.selectionBackground': '--accent',
  'menu.selectionForeground': '--on-accent',
  'menu.border': '--line-3',
  'input.background': '--inset',
  'input.foreground': '--text',
  'input.border': '--line-2',
  focusBorder: '--ring',
  'textLink.foreground': '--accent-text',
  'textLink.activeForeground': '--accent-text',
  'scrollbarSlider.background': '--line-1',
  'scrollbarSlider.hoverBackground': '--line-2',
  'scrollbarSlider.activeBackground': '--line-3',
  'diffEditor.insertedTextBackground': '--ready-wash',
  'diffEditor.insertedLineBackground': '--ready-wash',
  'diffEditor.removedTextBackground': '--fail-wash',
  'diffEditor.removedLineBackground': '--fail-wash',
  'diffEditor.unchangedRegionBackground': '--inset',
  'diffEditor.unchangedRegionForeground': '--text-2',
  'diffEditor.diagonalFill': '--line-1'
} as const

const TOKENS = {
  type: '--syn-key',
  string: '--syn-str',
  // The built-in themes have a rule of their own for this one.
  'string.yaml': '--syn-str',
  number: '--syn-num',
  keyword: '--syn-bool',
  comment: '--syn-com',
  tag: '--syn-ref',
  namespace: '--syn-ref',
  'string.escape': '--syn-ref'
} as const

function themeFrom(dark: boolean): ThemeData {
  const style = getComputedStyle(document.documentElement)
  const token = (name: string): string => hexColour(style.getPropertyValue(name))
  const colours = Object.entries(COLOURS).map(([name, from]) => [name, token(from)] as const)
  return {
    base: dark ? 'vs-dark' : 'vs',
    inherit: true,
    colors: { ...Object.fromEntries(colours), 'widget.shadow': '#00000040' },
    rules: Object.entries(TOKENS).map(([name, from]) => ({
      token: name,
      foreground: token(from).slice(1, 7)
    }))
  }
}

/** Gives every editor the page's colours, now and whenever the page's theme changes. */
export function followEditorTheme(monaco: typeof Monaco): void {
  const apply = (): void => {
    const dark = document.documentElement.dataset['theme'] !== 'light'
    // A theme defined again under the same name is not drawn again, so each one has its own.
    const name = dark ? 'slipway-dark' : 'slipway-light'
    monaco.editor.defineTheme(name, themeFrom(dark))
    monaco.editor.setTheme(name)
  }
  apply()
  new MutationObserver(apply).observe(document.documentElement, { attributeFilter: ['data-theme'] })
}
