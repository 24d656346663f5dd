import type { SavedSummary } from '@contract/compare'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Bookmark, FileCode, Save } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine, savedComparisonsQuery } from '../../api'
import { saveFile } from '../../charts'
import { formatWhen, useLanguage } from '../../i18n'
import { useNow } from '../../state/clock'
import { Button, Dialog, Field, Menu, type MenuEntry } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { toldOf, type Asked } from './side-feed'
import { arrange, useArrangement } from './side-store'
import { useTrialOf } from './trial-store'

/** Keeps, opens and exports comparisons. */
export function ComparisonActions(props: { run: string; asked: Asked; name?: string }) {
  const { t } = useTranslation('compare')
  const [saving, setSaving] = useState(false)
  return (
    <>
      <Button icon={Save} onClick={() => setSaving(true)} data-testid="comparison-save">
        {t('saved.save')}
      </Button>
      <SavedMenu run={props.run} />
      <ExportMenu {...props} />
      {saving ? <SaveDialog {...props} onClose={() => setSaving(false)} /> : null}
    </>
  )
}

function SaveDialog(props: { asked: Asked; name?: string; onClose: () => void }) {
  const { t } = useTranslation('compare')
  const client = useQueryClient()
  const [name, setName] = useState(props.name ?? '')
  const known = useQuery(savedComparisonsQuery).data?.comparisons ?? []
  const replaces = known.some((one) => one.name === name.trim())
  const save = useMutation({
    mutationFn: () => engine.compare.save({ ...toldOf(props.asked), name }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: savedComparisonsQuery.queryKey })
      await client.invalidateQueries({ queryKey: ['saved-comparison'] })
      props.onClose()
    }
  })
  const act = (): void => {
    if (name.trim() !== '') save.mutate()
  }
  return (
    <Dialog
      open
      onClose={props.onClose}
      title={t('saved.saveTitle')}
      description={t('saved.saveSub')}
      onConfirm={act}
      footer={
        <>
          <Button onClick={props.onClose}>{t('saved.cancel')}</Button>
          <Button
            variant="primary"
            off={name.trim() === '' ? t('saved.nameFirst') : false}
            onClick={act}
            data-testid="comparison-save-confirm"
          >
            {replaces ? t('saved.replace') : t('saved.keep')}
          </Button>
        </>
      }
      data-testid="comparison-save-dialog"
    >
      <Field
        value={name}
        onChange={setName}
        label={t('saved.name')}
        showLabel
        onKeyDown={(event) => (event.key === 'Enter' ? act() : undefined)}
        data-testid="comparison-name"
      />
      {save.isError ? <FailureNote className="mt-2" thrown={save.error} /> : null}
    </Dialog>
  )
}

/** The comparisons that were kept, to open one in the place of the pair. */
export function SavedMenu(props: { run: string }) {
  const { t } = useTranslation('compare')
  const language = useLanguage()
  const now = useNow()
  const saved = useQuery(savedComparisonsQuery).data
  const known = saved?.comparisons ?? []
  if (known.length === 0) return null
  const entries = known.map((one: SavedSummary): MenuEntry => ({
    kind: 'item',
    id: `saved-${one.id}`,
    label: one.name,
    note: formatWhen(one.savedAt, now, language),
    run: () => arrange(props.run, { opened: one.id })
  }))
  return (
    <Menu
      align="end"
      entries={entries}
      width={320}
      trigger={
        <Button icon={Bookmark} data-testid="comparison-saved">
          {t('saved.open', { count: known.length })}
        </Button>
      }
    />
  )
}

function ExportMenu(props: { run: string; asked: Asked; name?: string }) {
  const { t } = useTranslation('compare')
  const language = useLanguage()
  const trial = useTrialOf(props.run)
  const { alignment } = useArrangement(props.run)
  const exporting = useMutation({
    mutationFn: async (weights: boolean) => {
      const name = props.name ?? t('saved.pageName')
      const { html } = await engine.compare.exportPage({
        ...toldOf(props.asked),
        name,
        language,
        weights,
        alignment,
        trials: trial === null ? [] : [trial]
      })
      saveFile(new Blob([html], { type: 'text/html' }), `${fileNameOf(name)}.html`)
    }
  })
  const entry = (id: string, weights: boolean): MenuEntry => ({
    kind: 'item',
    id,
    label: weights ? t('saved.exportWeights') : t('saved.exportPlain'),
    icon: FileCode,
    run: () => exporting.mutate(weights)
  })
  return (
    <>
      <Menu
        align="end"
        width={320}
        entries={[entry('export-page', false), entry('export-page-weights', true)]}
        trigger={
          <Button
            icon={FileCode}
            off={exporting.isPending ? t('saved.exporting') : false}
            data-testid="comparison-export"
          >
            {t('saved.export')}
          </Button>
        }
      />
      {exporting.isError ? (
        <Dialog open onClose={() => exporting.reset()} title={t('saved.export')}>
          <FailureNote thrown={exporting.error} />
        </Dialog>
      ) : null}
    </>
  )
}

/** A name any file system takes. */
function fileNameOf(name: string): string {
  return name.replace(/[^\p{L}\p{N}._-]+/gu, '-').slice(0, 80) || 'comparison'
}
