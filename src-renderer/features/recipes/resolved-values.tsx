import { FilterIcon } from 'lucide-react'
import { useDeferredValue, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { Origin, ResolvedValue } from '@contract/recipes'
import { Field } from '../../ui'
import { matchingRows } from './match-rows'

/** Every field with its value and where that comes from. A click on a line number goes there. */
export function ResolvedValues(props: {
  rows: readonly ResolvedValue[]
  goTo: (line: number) => void
}) {
  const { t } = useTranslation('recipes')
  const [filter, setFilter] = useState('')
  const wanted = useDeferredValue(filter)
  const shown = matchingRows(props.rows, wanted)
  return (
    <>
      <Field
        className="flex-none px-4 pb-2"
        icon={FilterIcon}
        label={t('filterValues')}
        placeholder={t('filterValues')}
        value={filter}
        onChange={setFilter}
        note={`${shown.length} / ${props.rows.length}`}
        data-testid="values-filter"
      />
      <div className="min-h-0 flex-1 overflow-auto" data-testid="recipe-values">
        {shown.length === 0 ? <p className="t2 px-4">{t('noValues')}</p> : null}
        {shown.map((row, i) => (
          <div key={`${row.path}/${i}`} className="border-b border-line-1 px-4 py-1">
            <div className="mono break-words">{row.path}</div>
            <div className="flex flex-wrap items-baseline gap-x-3">
              <span className="mono t2 max-w-full min-w-0 flex-auto break-words">{row.value}</span>
              <OriginMark origin={row.origin} goTo={props.goTo} />
            </div>
          </div>
        ))}
      </div>
    </>
  )
}

function OriginMark(props: { origin: Origin; goTo: (line: number) => void }) {
  const { origin } = props
  const { t } = useTranslation('recipes')
  switch (origin.kind) {
    case 'file':
      return (
        <button
          type="button"
          className="c-accent flex-none hover:underline"
          title={origin.file}
          onClick={() => props.goTo(origin.line)}
        >
          {t('origins.file', { n: origin.line })}
        </button>
      )
    case 'override':
      return <span className="t2 flex-none">{t('origins.override')}</span>
    case 'environment':
      return (
        <span className={`flex-none ${origin.set === 'missing' ? 'c-warn' : 't2'}`}>
          {t(`origins.environment.${origin.set}`, { name: origin.name })}
        </span>
      )
    case 'default':
      return <span className="t2 flex-none">{t('origins.default')}</span>
    case 'derived':
      return (
        <span className="t2 el ml-auto max-w-full text-right">
          {t('origins.derived', { from: origin.from.join(', ') })}
        </span>
      )
  }
}
