import { useTranslation } from 'react-i18next'
import { formatValue } from '../../charts'
import { heatOf, neighbourOf, type HeatCell, type HeatMap } from './weight-model'

/** How far each layer's modules moved. Arrow keys walk over it. */
export function HeatMapView(props: {
  map: HeatMap
  selected: string | null
  onSelect: (cell: HeatCell) => void
}) {
  const { t } = useTranslation('compare')
  const { map } = props
  const every = Math.ceil(map.layers.length / 8)
  return (
    <div className="heat" role="group" aria-label={t('weights.map')} data-testid="heat-map">
      <table>
        <tbody>
          {map.modules.map((module) => (
            <tr key={module}>
              <th scope="row" className="mono">
                {module}
              </th>
              {map.layers.map((layer) => (
                <td key={layer}>
                  <HeatCellView {...props} cell={map.cells.get(module)?.get(layer) ?? null} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
        <tfoot>
          <tr>
            <th aria-hidden />
            {map.layers.map((layer, index) => (
              <td key={layer} className="num t2">
                {isNamed(index, map.layers.length - 1, every) ? layer : ''}
              </td>
            ))}
          </tr>
        </tfoot>
      </table>
      {map.range === null ? null : <HeatScale range={map.range} />}
    </div>
  )
}

function HeatCellView(props: {
  map: HeatMap
  cell: HeatCell | null
  selected: string | null
  onSelect: (cell: HeatCell) => void
}) {
  const { t } = useTranslation('compare')
  const { cell, map, selected } = props
  if (cell === null) return null
  const chosen = cell.tensor.name === selected
  const broken = cell.tensor.nan[1] + cell.tensor.infinite[1] > 0
  return (
    <button
      type="button"
      className="heat-cell"
      aria-pressed={chosen}
      data-broken={broken}
      style={broken ? undefined : { background: heatColour(heatOf(cell.value, map.range)) }}
      title={`${t('weights.layer', { layer: cell.layer })} ${cell.module}: ${
        cell.value === null ? '–' : formatValue(cell.value)
      }`}
      data-testid={`heat-${cell.layer}-${cell.module}`}
      onClick={() => props.onSelect(cell)}
      onKeyDown={(event) => {
        const next = neighbourOf(map, cell, event.key)
        if (next === cell) return
        event.preventDefault()
        props.onSelect(next)
        const table = event.currentTarget.closest('table')
        table
          ?.querySelector<HTMLElement>(`[data-testid="heat-${next.layer}-${next.module}"]`)
          ?.focus()
      }}
    />
  )
}

/** Every so many layers and the last are named; one too near the last would run into it. */
function isNamed(index: number, last: number, every: number): boolean {
  return index === last || (index % every === 0 && last - index >= every)
}

/** From the quiet of a surface to the second side's colour, evenly to the eye. */
function heatColour(share: number): string {
  return `color-mix(in oklab, var(--cmp-b) ${Math.round(share * 100)}%, var(--line-1))`
}

function HeatScale(props: { range: readonly [number, number] }) {
  return (
    <div className="heat-scale num t2">
      {formatValue(props.range[0])}
      <i aria-hidden />
      {formatValue(props.range[1])}
    </div>
  )
}
