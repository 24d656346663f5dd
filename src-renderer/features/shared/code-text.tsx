/** YAML to read: line numbers, comments and keys set apart. No editing, so no editor is loaded for it. */
export function CodeText(props: { text: string; className?: string }) {
  const lines = props.text.replace(/\n$/, '').split('\n')
  const width = `${String(lines.length).length + 1}ch`
  return (
    <div
      className={`mono min-h-0 flex-1 overflow-auto border-t border-line-1 bg-inset py-2 text-xs ${props.className ?? ''}`}
      tabIndex={0}
      data-testid="code-text"
    >
      {lines.map((line, i) => (
        <div key={i} className="flex min-h-4 whitespace-pre">
          <span
            aria-hidden
            className="t3 flex-none pl-3 text-right select-none"
            style={{ width: `calc(${width} + 12px)` }}
          >
            {i + 1}
          </span>
          <code className="pr-3 pl-4 font-[inherit]">
            <YamlLine line={line} />
          </code>
        </div>
      ))}
    </div>
  )
}

function YamlLine(props: { line: string }) {
  const { line } = props
  if (/^\s*#/.test(line)) return <span style={{ color: 'var(--syn-com)' }}>{line}</span>
  const parts = /^(\s*(?:- )?)([\w.$/-]+)(:)(\s.*|)$/.exec(line)
  if (parts === null) return <>{line}</>
  const [, lead = '', key = '', colon = '', rest = ''] = parts
  return (
    <>
      {lead}
      <span style={{ color: 'var(--syn-key)' }}>{key}</span>
      {colon}
      <YamlValue text={rest} />
    </>
  )
}

function YamlValue(props: { text: string }) {
  const comment = /\s#.*$/.exec(props.text)
  const value = comment === null ? props.text : props.text.slice(0, comment.index)
  const colour = colourOf(value.trim())
  return (
    <>
      {colour === null ? value : <span style={{ color: colour }}>{value}</span>}
      {comment === null ? null : <span style={{ color: 'var(--syn-com)' }}>{comment[0]}</span>}
    </>
  )
}

function colourOf(value: string): string | null {
  if (/^[-+]?[\d_.]+(e[-+]?\d+)?$/i.test(value)) return 'var(--syn-num)'
  if (/^(true|false|null|~)$/.test(value)) return 'var(--syn-bool)'
  if (/\$\{|^\*|^&/.test(value)) return 'var(--syn-ref)'
  return value === '' ? null : 'var(--syn-str)'
}
