import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { Button, Checkbox, Dialog, EmptyReason, Field, Segmented, Skeleton } from '../../ui'
import { go } from '../../state'
import {
  doorwayQuery,
  recordsView,
  ScenarioChoice,
  useScenarioNames,
  useScenarioPulse
} from '../records'
import { FailureNote } from '../shared/failure-note'
import { AnswerSide } from './answer-side'
import { Chat } from './chat'
import { CodeSide } from './code-side'
import { readTemperature, talks, useTalk } from './talk-store'

/** Talks with the served version: ask, score, and see what becomes of it. */
export function TryItDialog(props: { detail: RunDetail; close: () => void }) {
  const { detail, close } = props
  const { id: run, name } = detail.summary
  const { t } = useTranslation('talk')
  const door = useQuery(doorwayQuery(run))
  const talk = useTalk(run)
  const known = door.data?.scenarios ?? []
  const scenario =
    talk.scenario !== null && known.includes(talk.scenario) ? talk.scenario : (known[0] ?? null)
  useScenarioPulse(run, scenario)
  useScenarioNames(run, detail.scenarios)
  return (
    <Dialog
      open
      onClose={close}
      width={1000}
      title={t('title', { name })}
      description={t('sub')}
      data-testid="try-it"
    >
      {door.isPending ? <Skeleton className="h-80" /> : null}
      {door.isError ? <FailureNote thrown={door.error} retry={() => void door.refetch()} /> : null}
      {door.data !== undefined && scenario === null ? <NoScenario run={run} close={close} /> : null}
      {door.data === undefined || scenario === null ? null : (
        <div className="flex h-[min(560px,calc(100vh-220px))] gap-4">
          <div className="flex min-w-0 flex-1 flex-col">
            <Choices run={run} scenario={scenario} scenarios={known} />
            <Chat run={run} scenario={scenario} practice={detail.summary.recipe.practice} />
          </div>
          <Side detail={detail} scenario={scenario} close={close} />
        </div>
      )}
    </Dialog>
  )
}

/** A service begins without any: there is nobody to ask until one is made. */
function NoScenario(props: { run: string; close: () => void }) {
  const { run, close } = props
  const { t } = useTranslation('talk')
  return (
    <EmptyReason
      className="h-80"
      what={t('noScenarioWhat')}
      why={t('noScenarioWhy')}
      action={
        <Button
          onClick={() => {
            recordsView.getState().set(run, { view: 'scenarios' })
            close()
            go({ page: 'run', id: run, tab: 'records' })
          }}
          data-testid="make-scenario"
        >
          {t('noScenarioDo')}
        </Button>
      }
      data-testid="no-scenario"
    />
  )
}

function Choices(props: { run: string; scenario: string; scenarios: readonly string[] }) {
  const { run, scenario, scenarios } = props
  const { t } = useTranslation('talk')
  const { form, stream, temperature } = useTalk(run)
  const { set } = talks.getState()
  const wrong = readTemperature(temperature) === undefined
  return (
    <div className="flex flex-none flex-wrap items-center gap-3 pb-3">
      <ScenarioChoice
        value={scenario}
        scenarios={scenarios}
        onChange={(next) => set(run, { scenario: next })}
      />
      <Segmented
        label={t('form')}
        value={form}
        segments={[
          { value: 'openai', label: t('openai') },
          { value: 'anthropic', label: t('anthropic') }
        ]}
        onChange={(next) => set(run, { form: next })}
        data-testid="talk-form"
      />
      <span className="flex items-center gap-2">
        <Checkbox
          checked={stream}
          label={t('streamed')}
          onChange={(next) => set(run, { stream: next })}
          data-testid="talk-stream"
        />
        {t('streamed')}
      </span>
      <Field
        className="w-28"
        label={t('temperature')}
        placeholder={t('temperature')}
        value={temperature}
        onChange={(next) => set(run, { temperature: next })}
        error={wrong ? t('temperatureWrong') : undefined}
        data-testid="talk-temperature"
      />
    </div>
  )
}

type SidePart = 'answer' | 'code'

function Side(props: { detail: RunDetail; scenario: string; close: () => void }) {
  const { detail, scenario, close } = props
  const run = detail.summary.id
  const { t } = useTranslation('talk')
  const [part, setPart] = useState<SidePart>('answer')
  return (
    <div className="flex w-[360px] flex-none flex-col border-l border-line-1 pl-4">
      <div className="flex-none pb-3">
        <Segmented
          label={t('side.label')}
          value={part}
          segments={[
            { value: 'answer', label: t('side.answer') },
            { value: 'code', label: t('side.code') }
          ]}
          onChange={setPart}
          data-testid="talk-side"
        />
      </div>
      <div className="min-h-0 flex-1 overflow-auto">
        {part === 'answer' ? (
          <AnswerSide run={run} close={close} />
        ) : (
          <CodeSide run={run} scenario={scenario} />
        )}
      </div>
    </div>
  )
}
