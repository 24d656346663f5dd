import { Archive, Copy, Ellipsis, Folder, Pencil, Tag } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { copyText, IconButton, Menu } from '../../ui'
import { useRunUpdate } from '../runs'
import { runDialogs } from './dialogs-store'

/** What is done seldom. */
export const RunMenu = memo(function RunMenu(props: {
  run: string
  folder: string
  archived: boolean
}) {
  const { run, folder, archived } = props
  const { t } = useTranslation(['run', 'common'])
  const update = useRunUpdate()
  const { open } = runDialogs.getState()
  return (
    <Menu
      align="end"
      trigger={<IconButton icon={Ellipsis} label={t('common:more')} data-testid="run-menu" />}
      entries={[
        {
          kind: 'item',
          id: 'rename',
          label: t('run:rename'),
          icon: Pencil,
          run: () => open('rename')
        },
        { kind: 'item', id: 'tags', label: t('run:editTags'), icon: Tag, run: () => open('tags') },
        {
          kind: 'item',
          id: 'archive',
          label: archived ? t('run:unarchive') : t('run:archive'),
          icon: Archive,
          run: () => void update(run, { archived: !archived })
        },
        { kind: 'line', id: 'line' },
        {
          kind: 'item',
          id: 'folder',
          label: t('run:showFolder'),
          icon: Folder,
          run: () => void engine.host.reveal({ path: folder })
        },
        {
          kind: 'item',
          id: 'copy-id',
          label: t('run:copyId'),
          icon: Copy,
          run: () => void copyText(run)
        }
      ]}
    />
  )
})
