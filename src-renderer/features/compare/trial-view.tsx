import { givenName, isAnswered, isHidden, type Trial } from '@contract/behaviour'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { ArrowLeft, Eye, RotateCw, Send } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { useText } from '../../i18n'
import { Button, Dialog, Meter, Skeleton } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { trialQuery, trialsQuery } from './side-feed'
import { TrialCard } from './trial-card'
import { nextOpen, unsent } from './trial-model'
import { openTrial } from './trial-store'
import { Outcome, TallyLine } from './trial-tally'

/** One trial: its answers as they come, what a person thinks of them, and what that proves. */
export function TrialView(props: { run: string; id: string }) {
  const { run, id } = props
  const query = useQuery(trialQuery(id))
  const { t } = useTranslation('compare')
  const back = (
    <Button icon={ArrowLeft} onClick={() => openTrial(run, null)} data-testid="trial-back">
      {t('trial.back')}
    </Button>
  )
  if (query.isError) return <FailureNote className="m-3" thrown={query.error} action={back} />
  if (query.data === undefined) return <Skeleton className="m-3 h-64" />
  return <Loaded trial={query.data} back={back} />
}

function Loaded(props: { trial: Trial; back: React.ReactNode }) {
  const { t } = useTranslation('compare')
  const text = useText()
  const client = useQueryClient()
  const { trial } = props
  const [revealed, setRevealed] = useState(false)
  const [at, setAt] = useState(() => Math.max(0, nextOpen(trial.rows, -1)))
  const collecting = useCollecting(trial)
  const hidden = isHidden(trial, revealed)
  const show = (next: Trial): void => {
    client.setQueryData(trialQuery(next.id).queryKey, next)
    void client.invalidateQueries({ queryKey: trialsQuery.queryKey })
  }
  const missing = trial.rows.filter((row) => !isAnswered(row)).length
  return (
    <div className="flex min-h-0 flex-1 flex-col gap-2 overflow-y-auto p-3" data-testid="trial">
      <div className="flex flex-none flex-wrap items-center gap-2 text-xs">
        {props.back}
        <b className="el font-medium">
          {hidden ? (givenName(trial) ?? t('trial.blindName')) : trial.name}
        </b>
        <TallyLine trial={trial} hidden={hidden} />
        <span className="ml-auto flex gap-2">
          {hidden ? (
            <Button icon={Eye} onClick={() => setRevealed(true)} data-testid="trial-reveal">
              {t('trial.reveal')}
            </Button>
          ) : null}
          {missing > 0 && collecting.state !== 'going' ? (
            <Button icon={RotateCw} onClick={collecting.again} data-testid="trial-again">
              {t('trial.again', { count: missing })}
            </Button>
          ) : null}
          <ReportButton trial={trial} hidden={hidden} onDone={show} />
        </span>
      </div>
      {hidden
        ? null
        : trial.sides.map(({ note }, place) =>
            note === null ? null : (
              <p key={place} className="t2 text-xs">
                {text(note)}
              </p>
            )
          )}
      {collecting.state === 'going' ? (
        <div className="flex items-center gap-2 text-xs" role="status" data-testid="trial-asking">
          <Meter
            className="w-48"
            share={collecting.total === 0 ? null : collecting.done / collecting.total}
            label={t('trial.asking')}
          />
          {t('trial.askingOf', { done: collecting.done, total: collecting.total })}
        </div>
      ) : null}
      {collecting.thrown === null ? null : (
        <FailureNote thrown={collecting.thrown} retry={collecting.again} />
      )}
      {hidden || trial.sides.length === 2 ? null : <Outcome trial={trial} />}
      <TrialCard trial={trial} hidden={hidden} at={at} onAt={setAt} onTrial={show} />
    </div>
  )
}

type Collecting = {
  readonly state: 'going' | 'still'
  readonly done: number
  readonly total: number
  readonly thrown: unknown
}

/** Collects what nobody was asked for yet, while the trial is looked at; what came stays when one leaves. */
function useCollecting(trial: Trial): Collecting & { again: () => void } {
  const client = useQueryClient()
  const { id } = trial
  const unasked = trial.rows.some(({ answers }) => answers.includes(null))
  const [round, setRound] = useState(unasked ? 1 : 0)
  const [now, setNow] = useState<Collecting>({
    state: unasked ? 'going' : 'still',
    done: 0,
    total: 0,
    thrown: null
  })
  useEffect(() => {
    if (round === 0) return
    const aborter = new AbortController()
    const collect = async (): Promise<void> => {
      const events = await engine.behaviour.collect({ id }, { signal: aborter.signal })
      for await (const event of events) {
        if (aborter.signal.aborted) return
        if (event.kind === 'progress') {
          const { done, total } = event
          setNow({ state: 'going', done, total, thrown: null })
          void client.invalidateQueries({ queryKey: trialQuery(id).queryKey })
        } else {
          client.setQueryData(trialQuery(id).queryKey, event.trial)
          setNow({ state: 'still', done: 0, total: 0, thrown: null })
        }
      }
    }
    collect().catch((thrown: unknown) => {
      if (!aborter.signal.aborted) setNow({ state: 'still', done: 0, total: 0, thrown })
    })
    return () => {
      aborter.abort()
    }
  }, [client, id, round])
  return {
    ...now,
    again: () => {
      setNow({ state: 'going', done: 0, total: 0, thrown: null })
      setRound((was) => was + 1)
    }
  }
}

function ReportButton(props: { trial: Trial; hidden: boolean; onDone: (trial: Trial) => void }) {
  const { t } = useTranslation('compare')
  const text = useText()
  const { trial } = props
  const [open, setOpen] = useState(false)
  const count = unsent(trial)
  const report = useMutation({
    mutationFn: () => engine.behaviour.report({ id: trial.id }),
    onSuccess: (answer) => props.onDone(answer.trial)
  })
  const off = props.hidden ? t('trial.reportBlind') : count === 0 ? t('trial.reportNothing') : false
  const close = (): void => {
    setOpen(false)
    report.reset()
  }
  return (
    <>
      <Button icon={Send} off={off} onClick={() => setOpen(true)} data-testid="trial-report">
        {t('trial.report')}
      </Button>
      {open ? (
        <Dialog
          open
          onClose={close}
          title={t('trial.reportTitle', { count })}
          description={t('trial.reportSub')}
          onConfirm={() => report.mutate()}
          footer={
            report.isSuccess ? (
              <Button onClick={close}>{t('trial.reportClose')}</Button>
            ) : (
              <>
                <Button onClick={close}>{t('saved.cancel')}</Button>
                <Button
                  variant="primary"
                  off={report.isPending ? t('trial.reporting') : false}
                  onClick={() => report.mutate()}
                  data-testid="trial-report-confirm"
                >
                  {t('trial.reportSend')}
                </Button>
              </>
            )
          }
        >
          {report.isError ? <FailureNote thrown={report.error} /> : null}
          {report.data === undefined ? null : (
            <div data-testid="trial-reported">
              <p>{t('trial.reported', { count: report.data.sent })}</p>
              {report.data.without === 0 ? null : (
                <p className="t2">{t('trial.reportWithout', { count: report.data.without })}</p>
              )}
              {report.data.refused.map(({ row, why }) => (
                <p key={row} className="c-fail">
                  {row + 1}: {text(why)}
                </p>
              ))}
            </div>
          )}
        </Dialog>
      ) : null}
    </>
  )
}
