import { useQuery } from '@tanstack/react-query'
import { Command as Cmdk } from 'cmdk'
import { Activity, FileCode, Scale, Search } from 'lucide-react'
import { Dialog } from 'radix-ui'
import type { SavedSummary } from '@contract/compare'
import { useTranslation } from 'react-i18next'
import { recipesQuery, runsQuery, savedComparisonsQuery } from '../api/queries'
import { useText } from '../i18n/hooks'
import { focusComparison } from '../state/comparison-focus'
import { go } from '../state/route'
import { layout } from '../state/layout'
import { Icon } from '../ui/icon'
import { Kbd } from '../ui/kbd'
import { activeCommands, registry, type Command, type CommandGroup } from './registry'

const order: readonly CommandGroup[] = ['run', 'go', 'list', 'curves', 'log', 'app']

/** Every command, run and recipe by name. */
export function Palette() {
  const { t } = useTranslation('frame')
  const open = layout((store) => store.paletteOpen)
  const setOpen = layout((store) => store.setPalette)
  return (
    <Dialog.Root open={open} onOpenChange={setOpen}>
      <Dialog.Portal>
        <Dialog.Overlay className="scrim" />
        <Dialog.Content
          className="dialog"
          style={{ top: 96, transform: 'translateX(-50%)', width: 560 }}
          aria-describedby={undefined}
          data-testid="palette"
        >
          <Dialog.Title className="sr-only">{t('openPalette')}</Dialog.Title>
          <PaletteList close={() => setOpen(false)} />
        </Dialog.Content>
      </Dialog.Portal>
    </Dialog.Root>
  )
}

function PaletteList(props: { close: () => void }) {
  const { t } = useTranslation('frame')
  const text = useText()
  const commands = activeCommands(registry((store) => store.sets)).filter(
    (command) => command.quiet !== true
  )
  const runs = useQuery(runsQuery).data?.runs ?? []
  const recipes = useQuery(recipesQuery).data ?? []
  const saved = useQuery(savedComparisonsQuery).data?.comparisons ?? []
  const pick = (run: () => void) => (): void => {
    props.close()
    run()
  }
  return (
    <Cmdk label={t('openPalette')} loop>
      <div className="flex h-11 items-center gap-2 border-b border-line-1 px-3">
        <Icon of={Search} className="t2" />
        <Cmdk.Input
          className="h-full flex-1 bg-transparent text-sm outline-none"
          placeholder={t('palettePlaceholder')}
          data-testid="palette-input"
        />
        <Kbd keys="Escape" />
      </div>
      <Cmdk.List className="max-h-[420px] overflow-auto p-1 text-xs">
        <Cmdk.Empty className="t2 p-6 text-center">{t('paletteEmpty')}</Cmdk.Empty>
        {order.map((group) => (
          <CommandGroupItems
            key={group}
            heading={t(`group.${group}`)}
            commands={commands.filter((command) => command.group === group)}
            pick={pick}
          />
        ))}
        {runs.length === 0 ? null : (
          <Cmdk.Group heading={<GroupHead text={t('paletteRuns')} />}>
            {runs.map((run) => (
              <Cmdk.Item
                key={run.id}
                value={`run ${run.name} ${run.id}`}
                className="mi"
                onSelect={pick(() => go({ page: 'run', id: run.id, tab: 'curves' }))}
              >
                <Icon of={Activity} size="medium" className="t2" />
                <span className="el">{run.name}</span>
                <span className="t2 ml-auto">{run.recipe.name}</span>
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        )}
        {saved.length === 0 || runs.length === 0 ? null : (
          <Cmdk.Group heading={<GroupHead text={t('paletteComparisons')} />}>
            {saved.map((one) => (
              <Cmdk.Item
                key={one.id}
                value={`comparison ${one.name} ${one.id}`}
                className="mi"
                onSelect={pick(() => openComparison(one, runs))}
                data-testid={`palette-comparison-${one.id}`}
              >
                <Icon of={Scale} size="medium" className="t2" />
                <span className="el">{one.name}</span>
                <span className="t2 el ml-auto">{one.labels.join(', ')}</span>
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        )}
        {recipes.length === 0 ? null : (
          <Cmdk.Group heading={<GroupHead text={t('recipes')} />}>
            {recipes.map((recipe) => (
              <Cmdk.Item
                key={recipe.path}
                value={`recipe ${recipe.name} ${text(recipe.title)} ${recipe.path}`}
                className="mi"
                onSelect={pick(() => go({ page: 'recipes', path: recipe.path }))}
              >
                <Icon of={FileCode} size="medium" className="t2" />
                <span className="el">{text(recipe.title)}</span>
                <span className="t2 ml-auto">{recipe.path.split(/[\\/]/).at(-1)}</span>
              </Cmdk.Item>
            ))}
          </Cmdk.Group>
        )}
      </Cmdk.List>
    </Cmdk>
  )
}

/** On the Compare page of a run it is about; one about files only is as well shown on any. */
function openComparison(one: SavedSummary, runs: readonly { id: string }[]): void {
  const about = one.sides.flatMap((side) => ('run' in side ? [side.run] : []))
  const run = runs.find(({ id }) => about.includes(id)) ?? runs[0]
  if (run === undefined) return
  focusComparison(run.id, one.id)
  go({ page: 'run', id: run.id, tab: 'compare' })
}

function GroupHead(props: { text: string }) {
  return <div className="t2 px-2 pt-2 pb-1 font-medium">{props.text}</div>
}

function CommandGroupItems(props: {
  heading: string
  commands: readonly Command[]
  pick: (run: () => void) => () => void
}) {
  if (props.commands.length === 0) return null
  return (
    <Cmdk.Group heading={<GroupHead text={props.heading} />}>
      {props.commands.map((command) => (
        <Cmdk.Item
          key={command.id}
          value={`${props.heading} ${command.title} ${command.id}`}
          className="mi"
          disabled={command.off !== undefined}
          onSelect={props.pick(command.run)}
        >
          <span className={command.off === undefined ? '' : 't2'}>{command.title}</span>
          {command.off === undefined ? null : <span className="t2 el">{command.off}</span>}
          <span className="ml-auto">
            {command.keys?.[0] === undefined ? null : <Kbd keys={command.keys[0]} />}
          </span>
        </Cmdk.Item>
      ))}
    </Cmdk.Group>
  )
}
