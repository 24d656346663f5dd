import type { PanelPlace } from '@contract/settings'

type Named = { readonly id: string }

/** The panels in a person's order, without the hidden ones; panels that are new come where they stood by default. */
export function arrange<P extends Named>(
  panels: readonly P[],
  places: readonly PanelPlace[]
): { readonly panel: P; readonly wide: boolean }[] {
  return orderOf(panels, places)
    .filter(({ place }) => place?.hidden !== true)
    .map(({ panel, place }) => ({ panel, wide: place?.wide === true }))
}

/** How many of the panels are hidden. */
export function hiddenCount(panels: readonly Named[], places: readonly PanelPlace[]): number {
  return orderOf(panels, places).filter(({ place }) => place?.hidden === true).length
}

/** The layout after one panel was moved among the visible ones, `by` places later (negative: earlier). */
export function moved(
  panels: readonly Named[],
  places: readonly PanelPlace[],
  id: string,
  by: number
): PanelPlace[] {
  const all = written(panels, places)
  const visible = all.filter((place) => place.hidden !== true)
  const from = visible.findIndex((place) => place.id === id)
  const before = visible[from + by]
  const own = visible[from]
  if (own === undefined || before === undefined) return all
  const others = all.filter((place) => place.id !== id)
  const at = others.findIndex((place) => place.id === before.id) + (by > 0 ? 1 : 0)
  return [...others.slice(0, at), own, ...others.slice(at)]
}

/** The layout after one panel was made wide or hidden, or not any more. */
export function changed(
  panels: readonly Named[],
  places: readonly PanelPlace[],
  id: string,
  change: Omit<Partial<PanelPlace>, 'id'>
): PanelPlace[] {
  return written(panels, places).map((place) => (place.id === id ? { ...place, ...change } : place))
}

/** Every panel's place, those of panels that have no data now kept for when they have. */
function written(panels: readonly Named[], places: readonly PanelPlace[]): PanelPlace[] {
  const shown = orderOf(panels, places).map(({ panel, place }) => place ?? { id: panel.id })
  const ids = new Set(shown.map(({ id }) => id))
  return [...shown, ...places.filter(({ id }) => !ids.has(id))]
}

function orderOf<P extends Named>(
  panels: readonly P[],
  places: readonly PanelPlace[]
): { readonly panel: P; readonly place: PanelPlace | undefined }[] {
  const rank = new Map(places.map(({ id }, index) => [id, index]))
  const byId = new Map(places.map((place) => [place.id, place]))
  let last = -1
  return panels
    .map((panel, index) => {
      // A panel without a place follows the one it stands behind by default.
      last = rank.get(panel.id) ?? last
      return { panel, place: byId.get(panel.id), key: rank.get(panel.id) ?? last + 0.5, index }
    })
    .sort((a, b) => a.key - b.key || a.index - b.index)
}
