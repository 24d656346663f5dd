import { Activity, MessageSquare, RotateCw, Square, Star } from 'lucide-react'
import { memo } from 'react'
import { useTranslation } from 'react-i18next'
import type { RunDetail } from '@contract/run'
import { formatCount, useText } from '../../i18n'
import { go, type RunTab } from '../../state'
import { Button, Icon, Tabs, Tag, Tooltip } from '../../ui'
import { canStop, isActive, RunStateChip, useRunUpdate } from '../runs'
import { useTargetName } from '../shared/use-target-name'
import { useRestart } from './acts'
import { RunMenu } from './run-menu'
import { runDialogs } from './dialogs-store'
import { RunDialogs } from './run-dialogs'
import { PipelineStrip } from '../nexrl-run'
import { StageStrip } from './stage-strip'
import { tabFacts, useRunTabs, type TabFacts } from './use-run-tabs'

/**
 * Name, state, facts, what happens now, and the tabs. A run that goes on comes anew many times a second: each part takes
 * just what it shows, so that only what changed is rendered.
 */
export function RunHeader(props: { detail: RunDetail; tab: RunTab }) {
  const { detail, tab } = props
  const { summary } = detail
  const { t } = useTranslation('run')
  const text = useText()
  return (
    <header className="rh" data-testid="run-header">
      <div className="flex items-center gap-2">
        <h1 className="el" title={summary.name} data-testid="run-name">
          {summary.name}
        </h1>
        <StarButton run={summary.id} starred={summary.starred} />
        {summary.recipe.practice ? (
          <Tooltip text={t('practiceHint')}>
            <span className="tag" data-testid="practice-tag">
              {t('practiceTag')}
            </span>
          </Tooltip>
        ) : null}
        {summary.tags
          .filter((tag) => !summary.recipe.practice || tag !== 'practice')
          .map((tag) => (
            <Tag key={tag}>{tag}</Tag>
          ))}
        <span className="ml-auto flex flex-none items-center gap-2">
          {summary.target.kind === 'import' ? null : (
            <>
              <TryIt served={answers(detail)} />
              <StopOrStart run={summary.id} {...startable(detail)} />
            </>
          )}
          <RunMenu run={summary.id} folder={summary.folder} archived={summary.archived} />
        </span>
      </div>
      <Facts detail={detail} />
      <div className="now" data-testid="run-now">
        <Icon of={Activity} size="medium" className={isActive(summary.state) ? 'c-running' : ''} />
        <span className="el" title={text(summary.now)}>
          {text(summary.now)}
        </span>
      </div>
      <div className="flex h-9 items-center justify-between gap-4">
        <RunTabs run={summary.id} tab={tab} {...tabFacts(detail)} />
        {summary.target.kind === 'import' ? null : detail.nexrl === undefined ? (
          <StageStrip stages={summary.stages} />
        ) : (
          <PipelineStrip pipeline={detail.nexrl} />
        )}
      </div>
      <RunDialogs detail={detail} />
    </header>
  )
}

const RunTabs = memo(function RunTabs(props: { run: string; tab: RunTab } & TabFacts) {
  const { run, tab } = props
  const { t } = useTranslation('run')
  return (
    <Tabs
      label={t('tabs.label')}
      value={tab}
      tabs={useRunTabs(props)}
      onChange={(next) => go({ page: 'run', id: run, tab: next })}
    />
  )
})

const StarButton = memo(function StarButton(props: { run: string; starred: boolean }) {
  const { run, starred } = props
  const { t } = useTranslation('run')
  const update = useRunUpdate()
  return (
    <Tooltip text={starred ? t('starOff') : t('starOn')}>
      <button
        type="button"
        className="flex-none p-1"
        aria-label={starred ? t('starOff') : t('starOn')}
        aria-pressed={starred}
        onClick={() => void update(run, { starred: !starred })}
        data-testid="star"
      >
        <Icon of={Star} fill={starred} className={starred ? 'c-warn' : 't2'} />
      </button>
    </Tooltip>
  )
})

function answers({ summary, address }: RunDetail): boolean {
  return isActive(summary.state) && address !== null && summary.served !== null
}

const TryIt = memo(function TryIt({ served }: { served: boolean }) {
  const { t } = useTranslation('talk')
  const button = (
    <Button
      icon={MessageSquare}
      off={served ? undefined : t('openOff')}
      onClick={() => runDialogs.getState().open('try-it')}
      data-testid="open-try-it"
    >
      {t('open')}
    </Button>
  )
  return served ? (
    <Tooltip text={t('openHint')} keys="Y">
      {button}
    </Tooltip>
  ) : (
    button
  )
})

type Startable = {
  readonly act: 'stop' | 'stopping' | 'not-yet' | 'start'
  /** Another machine writes it. */
  readonly readOnly: boolean
  /** A restart begins anew: a service of one's own may resume from a checkpoint, a remote one never does. */
  readonly anew: boolean
}

function startable({ summary: { state }, writer, nexrl }: RunDetail): Startable {
  return {
    act: !isActive(state)
      ? 'start'
      : state.kind === 'stopping'
        ? 'stopping'
        : canStop(state)
          ? 'stop'
          : 'not-yet',
    readOnly: writer === 'other-host',
    anew: nexrl !== undefined && nexrl.plan.service !== 'own'
  }
}

const StopOrStart = memo(function StopOrStart(props: { run: string } & Startable) {
  const { t } = useTranslation('run')
  const { act, anew } = props
  const restart = useRestart(props.run)
  const readOnly = props.readOnly ? t('readOnlyHost') : undefined
  if (act !== 'start') {
    return (
      <Button
        icon={Square}
        off={readOnly ?? (act === 'not-yet' ? t('notRunning') : undefined)}
        onClick={() => runDialogs.getState().open('stop')}
        data-testid="stop"
      >
        {act === 'stopping' ? t('stopping') : t('stop')}
      </Button>
    )
  }
  return (
    <RestartButton
      off={readOnly ?? (restart.isPending ? t('starting') : undefined)}
      hint={t(anew ? 'restartHintNexrl' : 'restartHint')}
      label={t('restart')}
      onClick={() => restart.mutate()}
    />
  )
})

function RestartButton(props: {
  off: string | undefined
  hint: string
  label: string
  onClick: () => void
}) {
  const button = (
    <Button icon={RotateCw} off={props.off} onClick={props.onClick} data-testid="restart">
      {props.label}
    </Button>
  )
  return props.off === undefined ? <Tooltip text={props.hint}>{button}</Tooltip> : button
}

function Facts(props: { detail: RunDetail }) {
  const { summary, attempts } = props.detail
  const { t } = useTranslation('run')
  const targetName = useTargetName()
  const active = isActive(summary.state)
  const imported = summary.target.kind === 'import'
  const { trainStep } = summary
  const ofAll = t('ofAttempts', {
    n: summary.attempt,
    all: Math.max(attempts.length, summary.attempt)
  })
  return (
    <div className="facts">
      <RunStateChip state={summary.state} startedAt={summary.startedAt} />
      {imported ? null : <Fact name={t('attempt')} value={ofAll} />}
      <Fact name={t('target')} value={targetName(summary.target)} />
      {imported ? null : (
        <Fact name={t('recipe')} value={summary.recipe.name} more={summary.recipe.model} />
      )}
      <Fact
        name={t('step')}
        value={trainStep === null ? '–' : formatCount(trainStep)}
        testId="run-step"
      />
      {summary.served === null ? null : (
        <Fact
          name={active ? t('served') : t('lastServed')}
          value={summary.served}
          mono
          testId="run-served"
        />
      )}
      {props.detail.writer === 'other-process' || props.detail.writer === 'other-host' ? (
        <span className="t2 el">
          {props.detail.writer === 'other-host' ? t('readOnlyHost') : t('readOnlyOther')}
        </span>
      ) : null}
    </div>
  )
}

const Fact = memo(function Fact(props: {
  name: string
  value: string
  more?: string | null
  mono?: boolean
  testId?: string
}) {
  return (
    <span className="f">
      <span>{props.name}</span>
      <b className={props.mono === true ? 'mono' : ''} data-testid={props.testId}>
        {props.value}
      </b>
      {props.more === undefined || props.more === null ? null : (
        <span className="el">{props.more}</span>
      )}
    </span>
  )
})
