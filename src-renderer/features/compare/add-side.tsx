import type { ComparedSide } from '@contract/compare'
import type { Release } from '@contract/releases'
import { useQuery } from '@tanstack/react-query'
import { FileCode, FolderOpen, Plus, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine, runsQuery } from '../../api'
import { Button, IconButton, Menu } from '../../ui'
import type { MenuEntry } from '../../ui'
import { nameOf } from '../releases'
import { addSide, removeSide, useArrangement } from './side-store'

/** Most releases and runs a menu offers. */
const OFFERED = 12

/** The sides beyond the pair, and a menu to add another: a release, another run, a recipe, a folder of weights. */
export function MoreSides(props: {
  run: string
  scenario: string | null
  releases: readonly Release[]
  pair: readonly number[]
}) {
  const { t } = useTranslation('compare')
  const { run, scenario, releases, pair } = props
  const { more } = useArrangement(run)
  const runs = useQuery(runsQuery).data?.runs ?? []
  const release = (step: number): ComparedSide => ({
    kind: 'release',
    run,
    step,
    ...(scenario === null ? {} : { scenario })
  })
  const pick = async (what: 'file' | 'folder'): Promise<void> => {
    const { path } = await engine.host.pick({ what })
    if (path === null) return
    addSide(
      run,
      what === 'file' ? { kind: 'recipe', path } : { kind: 'files', target: 'local', path }
    )
  }
  const entries: MenuEntry[] = [
    { kind: 'head', id: 'releases', label: t('sides.releases') },
    ...releases
      .filter((one) => !pair.includes(one.step) && (one.restorable || one.served))
      .slice(0, OFFERED)
      .map((one): MenuEntry => ({
        kind: 'item',
        id: `add-r${one.step}`,
        label: nameOf(one.step),
        run: () => addSide(run, release(one.step))
      })),
    { kind: 'head', id: 'runs', label: t('sides.runs') },
    ...runs
      .filter((one) => one.id !== run)
      .slice(0, OFFERED)
      .map((one): MenuEntry => ({
        kind: 'item',
        id: `add-${one.id}`,
        label: one.name,
        note: one.served ?? t('sides.newest'),
        run: () => addSide(run, { kind: 'run', run: one.id })
      })),
    { kind: 'line', id: 'files' },
    {
      kind: 'item',
      id: 'add-recipe',
      label: t('sides.recipe'),
      icon: FileCode,
      run: () => void pick('file')
    },
    {
      kind: 'item',
      id: 'add-folder',
      label: t('sides.folder'),
      icon: FolderOpen,
      run: () => void pick('folder')
    }
  ]
  const nameOfRun = (id: string): string => runs.find((one) => one.id === id)?.name ?? id
  return (
    <>
      {more.map((side, index) => (
        <span key={JSON.stringify(side)} className="side-picker" data-testid="compare-extra">
          <b className="mono el max-w-40 font-medium">{sideName(side, nameOfRun)}</b>
          <IconButton icon={X} label={t('sides.remove')} onClick={() => removeSide(run, index)} />
        </span>
      ))}
      <Menu
        entries={entries}
        width={280}
        trigger={
          <Button icon={Plus} title={t('sides.addHint')} data-testid="compare-add">
            {t('sides.add')}
          </Button>
        }
      />
    </>
  )
}

function sideName(side: ComparedSide, nameOfRun: (id: string) => string): string {
  switch (side.kind) {
    case 'release':
      return nameOf(side.step)
    case 'run':
      return nameOfRun(side.run)
    case 'recipe':
    case 'files':
      return side.path.split(/[\\/]/).pop() ?? side.path
  }
}
