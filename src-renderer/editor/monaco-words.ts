/**
 * Stands in for Monaco's own `vs/nls.js`, which in the build for bundlers knows English only. The few words of the
 * editor that a person meets here are in Chinese too; all others stay as Monaco wrote them.
 */
const ZH: Readonly<Record<string, string>> = {
  Find: '查找',
  'Find / Replace': '查找和替换',
  Replace: '替换',
  'Replace All': '全部替换',
  'Toggle Replace': '展开替换',
  'Previous Match': '上一个匹配项',
  'Next Match': '下一个匹配项',
  'Find in Selection': '在选定内容中查找',
  'Match Case': '区分大小写',
  'Match Whole Word': '全字匹配',
  'Use Regular Expression': '使用正则表达式',
  'Preserve Case': '保留大小写',
  'No results': '无结果',
  '{0} of {1}': '第 {0} 项，共 {1} 项',
  Close: '关闭',
  'Loading...': '正在加载…',
  'No suggestions.': '没有建议。',
  Suggest: '建议',
  'Show more': '显示更多',
  'Show less': '显示更少',
  'Read more': '了解更多',
  'View Problem': '查看问题',
  'Quick Fix...': '快速修复…',
  'Quick Fix': '快速修复',
  'More Actions...': '更多操作…',
  'Checking for quick fixes...': '正在查找快速修复…',
  'No quick fixes available': '没有可用的快速修复',
  'No code actions available': '没有可用的操作',
  'Show Code Actions': '显示操作',
  'Show Code Actions ({0})': '显示操作（{0}）',
  'Show Code Actions. Preferred Quick Fix Available ({0})': '显示操作，有首选修复（{0}）',
  '{0} of {1} problems': '第 {0} 个问题，共 {1} 个',
  '{0} of {1} problem': '第 {0} 个问题，共 {1} 个',
  Error: '错误',
  Warning: '警告',
  Info: '提示',
  Hint: '提示',
  'Go to Next Problem (Error, Warning, Info)': '转到下一个问题',
  'Go to Previous Problem (Error, Warning, Info)': '转到上一个问题',
  'Click to expand the range.': '点击展开。',
  'Click to collapse the range.': '点击折叠。',
  'Cannot edit in read-only editor': '只读，不能编辑',
  'No editor symbols': '没有字段',
  'No matching editor symbols': '没有匹配的字段',
  'modules ({0})': '分组（{0}）',
  'fields ({0})': '字段（{0}）',
  'symbols ({0})': '字段（{0}）',
  'Go to line {0}.': '转到第 {0} 行。',
  'Go to line {0} and character {1}.': '转到第 {0} 行第 {1} 个字符。',
  'Current Line: {0}, Character: {1}. Type a line number to navigate to.':
    '当前第 {0} 行第 {1} 个字符。输入要前往的行号。',
  'Current Line: {0}, Character: {1}. Type a line number between 1 and {2} to navigate to.':
    '当前第 {0} 行第 {1} 个字符。输入 1 到 {2} 之间的行号。',
  'Type to narrow down results.': '输入以缩小范围。',
  '{0} hidden lines': '隐藏了 {0} 行',
  'Fold Unchanged Region': '折叠未更改的部分',
  'Show Unchanged Region': '显示未更改的部分',
  'Click or drag to show more above': '点击或拖动以显示上方更多行',
  'Click or drag to show more below': '点击或拖动以显示下方更多行',
  'Double click to unfold': '双击展开',
  'Editor content': '编辑器内容'
}

/** A map and not the object itself: one of Monaco's words is `constructor`. */
const words = new Map(Object.entries(ZH))

/** What stands in a sentence of Monaco. */
type Word = string | number | boolean | null | undefined

function filled(message: string, args: readonly Word[]): string {
  return message.replace(/\{(\d+)\}/g, (whole, index: string) =>
    Number(index) < args.length ? String(args[Number(index)]) : whole
  )
}

/** The page's language is asked each time; what Monaco keeps from its loading follows with the next start. */
function chosen(message: string): string {
  const chinese = document.documentElement.lang.startsWith('zh')
  return chinese ? (words.get(message) ?? message) : message
}

/** A sentence of Monaco in the page's language. Monaco's key for it is not needed. */
export function localize(_key: unknown, message: string, ...args: readonly Word[]): string {
  return filled(chosen(message), args)
}

/** The same with the English beside it, as Monaco keeps the titles of its commands. */
export function localize2(
  _key: unknown,
  message: string,
  ...args: readonly Word[]
): { value: string; original: string } {
  return { value: filled(chosen(message), args), original: filled(message, args) }
}

export function getNLSLanguage(): string | undefined {
  return undefined
}

export function getNLSMessages(): undefined {
  return undefined
}
