import { useMutation, useQuery } from '@tanstack/react-query'
import { Check, Plus } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import type { ScenarioFacts, TrainingMode } from '@contract/talk'
import { engine } from '../../api'
import { formatCount } from '../../i18n'
import { Button, Dialog, Field, Panel, Segmented, Skeleton, useToasts } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { ReleaseLink } from './release-link'
import { renewScenarios, scenariosQuery } from './talk-feed'

function say(text: string): void {
  useToasts.getState().show({ look: { tone: 'ready', icon: Check }, text })
}

/** The scenarios of a service: what each is, made, set and retired here. */
export function ScenariosView(props: { run: string }) {
  const { run } = props
  const query = useQuery(scenariosQuery(run))
  const [retiring, setRetiring] = useState<ScenarioFacts | null>(null)
  if (query.isPending) return <Skeleton className="m-3 h-40" />
  if (query.data === undefined) {
    return <FailureNote className="m-3" thrown={query.error} retry={() => void query.refetch()} />
  }
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-auto p-3 text-xs">
      <NewScenario run={run} />
      {query.data.map((facts) => (
        <OneScenario key={facts.name} run={run} facts={facts} retire={() => setRetiring(facts)} />
      ))}
      {retiring === null ? null : (
        <RetireDialog run={run} facts={retiring} close={() => setRetiring(null)} />
      )}
    </div>
  )
}

function NewScenario(props: { run: string }) {
  const { run } = props
  const { t } = useTranslation('talk')
  const [name, setName] = useState('')
  const create = useMutation({
    mutationFn: () => engine.talk.createScenario({ run, name }),
    onSuccess: (made) => {
      setName('')
      say(made.created ? t('created', { name: made.name }) : t('existed', { name: made.name }))
      renewScenarios(run)
    }
  })
  const submit = (): void => {
    if (name.trim() !== '' && !create.isPending) create.mutate()
  }
  return (
    <div>
      <div className="flex items-center gap-2">
        <Field
          className="w-72"
          label={t('create')}
          placeholder={t('create')}
          value={name}
          onChange={setName}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.nativeEvent.isComposing) submit()
          }}
          data-testid="scenario-name"
        />
        <Button
          icon={Plus}
          off={name.trim() === '' ? t('createName') : undefined}
          onClick={submit}
          data-testid="scenario-create"
        >
          {t('createDo')}
        </Button>
      </div>
      {create.isError ? <FailureNote className="mt-2" thrown={create.error} /> : null}
    </div>
  )
}

function OneScenario(props: { run: string; facts: ScenarioFacts; retire: () => void }) {
  const { run, facts } = props
  const { t } = useTranslation('talk')
  return (
    <Panel
      className="flex-none"
      title={<span translate="no">{facts.name}</span>}
      sub={facts.processor === null ? undefined : <span className="mono">{facts.processor}</span>}
      actions={
        <>
          <ModeChoice run={run} facts={facts} />
          <Button
            variant="danger"
            size="small"
            onClick={props.retire}
            data-testid={`retire-${facts.name}`}
          >
            {t('retire')}
          </Button>
        </>
      }
      data-testid={`scenario-${facts.name}`}
    >
      <div className="flex flex-wrap gap-x-6 gap-y-1 px-3 pb-3">
        <Fact name={t('served')}>
          <ReleaseLink run={run} release={facts.release} />
        </Fact>
        <Fact name={t('answers')}>{formatCount(facts.answers)}</Fact>
        <Fact name={t('reports')}>{formatCount(facts.reports)}</Fact>
        <Fact name={t('batch')}>
          {facts.batch.have === null || facts.batch.need === null
            ? t('unknown')
            : `${formatCount(facts.batch.have)} / ${formatCount(facts.batch.need)}`}
        </Fact>
        <Fact name={t('needs')}>
          <span className="mono">{facts.requires.join(', ') || '–'}</span>
        </Fact>
      </div>
      {facts.looksLike === null ? null : (
        <div className="callout warn mx-3 mb-3">
          <div>
            {t('typo', { name: facts.name, like: facts.looksLike, n: formatCount(facts.answers) })}
          </div>
          <div className="t2">{t('typosWhy')}</div>
        </div>
      )}
    </Panel>
  )
}

function Fact(props: { name: string; children: ReactNode }) {
  return (
    <span className="flex items-center gap-2">
      <span className="t2">{props.name}</span>
      <span className="num">{props.children}</span>
    </span>
  )
}

function ModeChoice(props: { run: string; facts: ScenarioFacts }) {
  const { run, facts } = props
  const { t } = useTranslation('talk')
  const change = useMutation({
    mutationFn: (mode: TrainingMode) => engine.talk.setMode({ run, scenario: facts.name, mode }),
    onSuccess: () => renewScenarios(run)
  })
  if (facts.mode === null) return null
  return (
    <span className="flex items-center gap-2" title={t('modeHint')}>
      {change.isError ? <FailureNote thrown={change.error} /> : null}
      <Segmented
        size="small"
        label={t('mode')}
        value={facts.mode}
        segments={modes.map((value) => ({ value, label: t(`modes.${value}`) }))}
        onChange={(mode) => change.mutate(mode)}
        data-testid={`mode-${facts.name}`}
      />
    </span>
  )
}

const modes: readonly TrainingMode[] = ['auto', 'manual', 'hybrid']

function RetireDialog(props: { run: string; facts: ScenarioFacts; close: () => void }) {
  const { run, facts, close } = props
  const { t } = useTranslation(['talk', 'common'])
  const cancel = useRef<HTMLButtonElement>(null)
  const retire = useMutation({
    mutationFn: () => engine.talk.retireScenario({ run, scenario: facts.name }),
    onSuccess: () => {
      close()
      say(t('talk:retired', { name: facts.name }))
      renewScenarios(run)
    }
  })
  const act = (): void => {
    if (!retire.isPending) retire.mutate()
  }
  return (
    <Dialog
      open
      onClose={close}
      focus={cancel}
      title={t('talk:retireTitle', { name: facts.name })}
      onConfirm={act}
      data-testid="retire-dialog"
      footer={
        <>
          <Button ref={cancel} onClick={close} keys="Escape">
            {t('common:cancel')}
          </Button>
          <Button variant="danger" keys="Mod+Enter" onClick={act} data-testid="confirm-retire">
            {t('talk:retireDo')}
          </Button>
        </>
      }
    >
      <div>{t('talk:retireWhat')}</div>
      <div className="mt-2">{t('talk:retireLost', { reports: formatCount(facts.reports) })}</div>
      {retire.isError ? <FailureNote className="mt-3" thrown={retire.error} /> : null}
    </Dialog>
  )
}
