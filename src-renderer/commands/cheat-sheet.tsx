import { useTranslation } from 'react-i18next'
import { layout } from '../state/layout'
import { Dialog } from '../ui/dialog'
import { Kbd } from '../ui/kbd'
import { activeCommands, registry, type CommandGroup } from './registry'

const order: readonly CommandGroup[] = ['go', 'list', 'run', 'curves', 'log', 'app']

/** All keys that act now, read from the registry. */
export function CheatSheet() {
  const { t } = useTranslation('frame')
  const open = layout((store) => store.cheatSheetOpen)
  const setOpen = layout((store) => store.setCheatSheet)
  return (
    <Dialog
      open={open}
      onClose={() => setOpen(false)}
      title={t('cheatTitle')}
      description={t('cheatNote')}
      width={720}
      data-testid="cheat-sheet"
    >
      <KeyList />
    </Dialog>
  )
}

/** The same list, for the settings page. */
export function KeyList() {
  const { t } = useTranslation('frame')
  const commands = activeCommands(registry((store) => store.sets)).filter(
    (command) => (command.keys ?? []).length > 0
  )
  return (
    <div className="columns-2 gap-8">
      {order
        .map((group) => ({ group, items: commands.filter((each) => each.group === group) }))
        .filter(({ items }) => items.length > 0)
        .map(({ group, items }) => (
          <section key={group} className="mb-4 break-inside-avoid">
            <h2 className="t2 mb-1 text-xs font-medium">{t(`group.${group}`)}</h2>
            {items.map((command) => (
              <div
                key={command.id}
                className="flex h-7 items-center justify-between gap-4 border-b border-line-1 text-xs"
              >
                <span className="el">{command.title}</span>
                <span className="flex gap-1">
                  {(command.keys ?? []).map((keys) => (
                    <Kbd key={keys} keys={keys} />
                  ))}
                </span>
              </div>
            ))}
          </section>
        ))}
    </div>
  )
}
