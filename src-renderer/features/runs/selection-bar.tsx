import { Archive, Tag } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunSummary } from '@contract/run'
import { formatCount } from '../../i18n'
import { go, runsView } from '../../state'
import { Button, Dialog, Field } from '../../ui'
import { useRunUpdate } from './use-run-update'

/** What can be done with the picked runs. */
export function SelectionBar(props: { runs: readonly RunSummary[] }) {
  const { t } = useTranslation('runs')
  const selected = runsView((store) => store.selected)
  const clear = runsView((store) => store.clear)
  const [tagging, setTagging] = useState(false)
  const update = useRunUpdate()
  const picked = props.runs.filter((run) => selected.includes(run.id))
  const first = picked[0]
  if (first === undefined) return null
  const archive = !picked.every((run) => run.archived)
  const archiveAll = async (): Promise<void> => {
    for (const run of picked) await update(run.id, { archived: archive })
    clear()
  }
  return (
    <div
      className="absolute inset-x-4 bottom-3 flex h-14 items-center gap-3 rounded-lg border border-line-3 bg-elevated px-3 text-xs"
      style={{ boxShadow: 'var(--shadow)' }}
      data-testid="selection-bar"
    >
      <span className="num font-semibold whitespace-nowrap">
        {t('selected', { count: picked.length, n: formatCount(picked.length) })}
      </span>
      <span className="flex min-w-0 flex-1 gap-2 overflow-hidden">
        {picked.map((run) => (
          <span
            key={run.id}
            className="el h-6 max-w-[180px] flex-none rounded-ctl border border-line-2 px-2 leading-[22px]"
          >
            {run.name}
          </span>
        ))}
      </span>
      {picked.length === 1 ? (
        <Button onClick={() => go({ page: 'run', id: first.id, tab: 'curves' })} keys="Enter">
          {t('open')}
        </Button>
      ) : null}
      <Button icon={Tag} onClick={() => setTagging(true)}>
        {t('addTag')}
      </Button>
      <Button icon={Archive} onClick={() => void archiveAll()}>
        {archive ? t('archive') : t('unarchive')}
      </Button>
      <Button variant="ghost" keys="Escape" onClick={clear}>
        {t('clearSelection')}
      </Button>
      {tagging ? <TagDialog runs={picked} close={() => setTagging(false)} /> : null}
    </div>
  )
}

function TagDialog(props: { runs: readonly RunSummary[]; close: () => void }) {
  const { t } = useTranslation(['runs', 'common'])
  const [tag, setTag] = useState('')
  const update = useRunUpdate()
  const name = tag.trim()
  const add = async (): Promise<void> => {
    if (name === '') return
    props.close()
    for (const run of props.runs) {
      if (!run.tags.includes(name)) await update(run.id, { tags: [...run.tags, name] })
    }
  }
  return (
    <Dialog
      open
      onClose={props.close}
      title={t('runs:addTag')}
      width={400}
      onConfirm={() => void add()}
      footer={
        <>
          <Button onClick={props.close} keys="Escape">
            {t('common:cancel')}
          </Button>
          <Button variant="primary" keys="Mod+Enter" onClick={() => void add()}>
            {t('runs:addTag')}
          </Button>
        </>
      }
    >
      <Field label={t('runs:tagName')} value={tag} onChange={setTag} />
    </Dialog>
  )
}
