import { FEWEST_SIDES, MOST_SIDES, type TrialSide } from '@contract/behaviour'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { FolderOpen, ListPlus, Play, Plus, Save, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import {
  Button,
  Checkbox,
  Dialog,
  Field,
  IconButton,
  Menu,
  Panel,
  Segmented,
  TextArea,
  type MenuEntry
} from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { promptSetsQuery, trialsQuery } from './side-feed'
import { letterOf } from './trial-model'
import {
  draftTrial,
  openTrial,
  seatsOf,
  trialSideOf,
  useBehaviour,
  type Compared,
  type Seat,
  type SideChoice
} from './trial-store'

/** Prompts taken over from the records at once. */
const FROM_RECORDS = 20

/** Who answers, which prompts, and whether the sides are named. */
export function NewTrial(props: { run: string; compared: readonly Compared[] }) {
  const { t } = useTranslation('compare')
  const client = useQueryClient()
  const { run, compared } = props
  const { draft } = useBehaviour(run)
  const seats = seatsOf(run, draft, compared)
  const taken = seats.filter(({ choice }) => choice.kind !== 'out')
  const sides = taken.map((seat) => trialSideOf(seat.choice, seat.compared?.side ?? null))
  const more = taken.length > FEWEST_SIDES
  const temperature = draft.temperature.trim() === '' ? null : Number(draft.temperature)
  const wrong = temperature !== null && !(temperature >= 0 && temperature <= 2)
  const make = useMutation({
    mutationFn: async () =>
      engine.behaviour.make({
        sides: sides.filter((side) => side !== null),
        text: draft.text,
        blind: draft.blind,
        ...(temperature === null ? {} : { temperature })
      }),
    onSuccess: async ({ id }) => {
      await client.invalidateQueries({ queryKey: trialsQuery.queryKey })
      openTrial(run, id)
    }
  })
  const off = offOf({ sides, text: draft.text, wrong }, t)
  return (
    <Panel
      className="flex-none"
      title={more ? t('trial.titleMore', { count: taken.length }) : t('trial.title')}
      sub={t('trial.sub')}
      actions={
        <Button
          size="small"
          icon={Plus}
          off={taken.length >= MOST_SIDES ? t('trial.sidesFull', { count: MOST_SIDES }) : false}
          onClick={() => draftTrial(run, { extra: [...draft.extra, emptyChoice('address')] })}
          data-testid="trial-side-add"
        >
          {t('trial.sideAdd')}
        </Button>
      }
    >
      <div className="trial-form">
        {taken.map((seat, index) => (
          <SideField key={seat.key} name={letterOf(index)} seat={seat} />
        ))}
        <LeftOut seats={seats.filter(({ choice }) => choice.kind === 'out')} />
        <div className="col-span-2">
          <TextArea
            value={draft.text}
            onChange={(text) => draftTrial(run, { text })}
            label={t('trial.prompts')}
            placeholder={t('trial.promptsHint')}
            rows={6}
            data-testid="trial-prompts"
          />
        </div>
        <PromptTools run={run} />
        <div className="flex items-center justify-end gap-3">
          <label className="flex items-center gap-2" title={t('trial.blindHint')}>
            <Checkbox
              checked={draft.blind}
              label={t('trial.blind')}
              onChange={(blind) => draftTrial(run, { blind })}
              data-testid="trial-blind"
            />
            {t('trial.blind')}
          </label>
          <Field
            className="w-36"
            size="small"
            value={draft.temperature}
            onChange={(next) => draftTrial(run, { temperature: next })}
            label={t('trial.temperature')}
            placeholder={t('trial.temperature')}
            error={wrong ? t('trial.temperatureWrong') : undefined}
          />
          <Button
            variant="primary"
            icon={Play}
            off={make.isPending ? t('trial.making') : off}
            onClick={() => make.mutate()}
            data-testid="trial-start"
          >
            {more ? t('trial.startMore', { count: taken.length }) : t('trial.start')}
          </Button>
        </div>
        {make.isError ? <FailureNote className="col-span-2" thrown={make.error} /> : null}
      </div>
    </Panel>
  )
}

function offOf(
  { sides, text, wrong }: { sides: readonly (TrialSide | null)[]; text: string; wrong: boolean },
  t: ReturnType<typeof useTranslation<'compare'>>['t']
): string | false {
  if (sides.includes(null)) return t('trial.sideFirst')
  if (text.trim() === '') return t('trial.promptsFirst')
  return wrong ? t('trial.temperatureWrong') : false
}

/** Compared sides that are not asked, each to be taken in. */
function LeftOut({ seats }: { seats: readonly Seat[] }) {
  const { t } = useTranslation('compare')
  if (seats.length === 0) return null
  return (
    <div className="t2 col-span-2 flex flex-wrap items-center gap-2" data-testid="trial-left-out">
      {t('trial.leftOut')}
      {seats.map(({ key, compared, choose }) => (
        <Button
          key={key}
          size="small"
          icon={Plus}
          title={compared?.side === null ? t('trial.answersNothing') : undefined}
          onClick={() => choose(emptyChoice(compared?.side === null ? 'address' : 'compared'))}
        >
          {compared?.label ?? ''}
        </Button>
      ))}
    </div>
  )
}

function SideField(props: { name: string; seat: Seat }) {
  const { t } = useTranslation('compare')
  const { name, seat } = props
  const { choice, compared, choose: onChange, leave } = seat
  const id = name.toLowerCase()
  const pick = async (): Promise<void> => {
    const { path } = await engine.host.pick({ what: 'file' })
    if (path !== null) onChange({ kind: 'file', path })
  }
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <div className="flex items-center gap-2">
        <b className="font-medium">{name}</b>
        <Segmented
          label={t('trial.who', { side: name })}
          size="small"
          value={choice.kind}
          onChange={(kind) => onChange(emptyChoice(kind))}
          segments={[
            ...(compared === null ? [] : [{ value: 'compared' as const, label: compared.label }]),
            { value: 'address' as const, label: t('trial.secondStack') },
            { value: 'file' as const, label: t('trial.file') }
          ]}
          data-testid={`trial-side-${id}`}
        />
        {leave === null ? null : (
          <IconButton
            size="small"
            variant="ghost"
            icon={X}
            label={t('trial.sideLeave', { side: name })}
            onClick={leave}
            data-testid={`trial-side-leave-${id}`}
          />
        )}
      </div>
      {choice.kind === 'address' ? (
        <div className="flex gap-2">
          <Field
            className="flex-1"
            size="small"
            mono
            value={choice.address}
            onChange={(address) => onChange({ ...choice, address })}
            label={t('trial.address')}
            placeholder="http://127.0.0.1:8000"
            data-testid={`trial-address-${id}`}
          />
          <Field
            className="w-36"
            size="small"
            mono
            value={choice.tokenName}
            onChange={(tokenName) => onChange({ ...choice, tokenName })}
            label={t('trial.tokenName')}
            placeholder={t('trial.tokenName')}
          />
          <Field
            className="w-32"
            size="small"
            mono
            value={choice.model}
            onChange={(model) => onChange({ ...choice, model })}
            label={t('trial.model')}
            placeholder={t('trial.model')}
          />
        </div>
      ) : null}
      {choice.kind === 'file' ? (
        <div className="flex items-center gap-2">
          <Button size="small" icon={FolderOpen} onClick={() => void pick()}>
            {t('trial.choose')}
          </Button>
          <span className="mono t2 el" title={choice.path}>
            {choice.path === '' ? t('trial.fileHint') : choice.path}
          </span>
        </div>
      ) : null}
      {choice.kind === 'compared' && compared?.side === null ? (
        <span className="c-warn">{t('trial.answersNothing')}</span>
      ) : null}
    </div>
  )
}

function emptyChoice(kind: SideChoice['kind']): SideChoice {
  switch (kind) {
    case 'compared':
    case 'out':
      return { kind }
    case 'address':
      return { kind, address: '', tokenName: '', model: '' }
    case 'file':
      return { kind, path: '' }
  }
}

/** Prompt sets that were saved, and prompts the run was asked before. */
function PromptTools(props: { run: string }) {
  const { t } = useTranslation('compare')
  const { run } = props
  const [saving, setSaving] = useState(false)
  const { draft } = useBehaviour(run)
  const sets = useQuery(promptSetsQuery).data ?? []
  const recorded = useMutation({
    mutationFn: () => engine.behaviour.recordedPrompts({ run, limit: FROM_RECORDS }),
    onSuccess: (prompts) => draftTrial(run, { text: textOf(prompts) })
  })
  const entries = sets.map((set): MenuEntry => ({
    kind: 'item',
    id: `prompt-set-${set.id}`,
    label: set.name,
    note: String(set.prompts.length),
    run: () => draftTrial(run, { text: textOf(set.prompts) })
  }))
  return (
    <div className="flex flex-wrap items-center gap-2">
      {entries.length === 0 ? null : (
        <Menu
          entries={entries}
          width={260}
          trigger={<Button data-testid="prompt-sets">{t('trial.sets')}</Button>}
        />
      )}
      <Button
        icon={ListPlus}
        title={t('trial.fromRecordsHint')}
        off={recorded.isPending ? t('trial.reading') : false}
        onClick={() => recorded.mutate()}
        data-testid="trial-from-records"
      >
        {t('trial.fromRecords')}
      </Button>
      <Button
        icon={Save}
        off={draft.text.trim() === '' ? t('trial.promptsFirst') : false}
        onClick={() => setSaving(true)}
        data-testid="prompt-set-save"
      >
        {t('trial.saveSet')}
      </Button>
      {recorded.isError ? <FailureNote thrown={recorded.error} /> : null}
      {recorded.data?.length === 0 ? <span className="t2">{t('trial.noRecords')}</span> : null}
      {saving ? <SaveSet text={draft.text} onClose={() => setSaving(false)} /> : null}
    </div>
  )
}

/** Prompts as the field takes them: one a line, or between lines of dashes when one has several lines. */
function textOf(prompts: readonly string[]): string {
  return prompts.some((prompt) => prompt.includes('\n'))
    ? prompts.join('\n---\n')
    : prompts.join('\n')
}

function SaveSet(props: { text: string; onClose: () => void }) {
  const { t } = useTranslation('compare')
  const client = useQueryClient()
  const [name, setName] = useState('')
  const save = useMutation({
    mutationFn: () => engine.behaviour.savePromptSet({ name, text: props.text }),
    onSuccess: async () => {
      await client.invalidateQueries({ queryKey: promptSetsQuery.queryKey })
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
      title={t('trial.saveSet')}
      onConfirm={act}
      footer={
        <>
          <Button onClick={props.onClose}>{t('saved.cancel')}</Button>
          <Button
            variant="primary"
            off={name.trim() === '' ? t('saved.nameFirst') : false}
            onClick={act}
            data-testid="prompt-set-confirm"
          >
            {t('saved.keep')}
          </Button>
        </>
      }
    >
      <Field
        value={name}
        onChange={setName}
        label={t('saved.name')}
        showLabel
        onKeyDown={(event) => (event.key === 'Enter' ? act() : undefined)}
        data-testid="prompt-set-name"
      />
      {save.isError ? <FailureNote className="mt-2" thrown={save.error} /> : null}
    </Dialog>
  )
}
