import { Check, Circle, LoaderCircle, Play, Terminal, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { CompanionStatus, RunDetail } from '@contract/run'
import { formatCount } from '../../i18n'
import { IconButton, InlineState, Panel, type StateLook } from '../../ui'
import { openLogOf } from '../log'
import { useExitText } from '../runs'

function lookOf(state: CompanionStatus['state']): StateLook {
  switch (state.kind) {
    case 'waiting':
    case 'unused':
    case 'left':
      return { tone: 'idle', icon: Circle }
    case 'starting':
      return { tone: 'running', icon: LoaderCircle, pulse: true }
    case 'running':
      return { tone: 'running', icon: Play, fillIcon: true }
    case 'restarting':
      return { tone: 'warn', icon: LoaderCircle, pulse: true }
    case 'not-started':
      return { tone: 'fail', icon: X }
    case 'ended':
      return state.exit.kind === 'code' && state.exit.code === 0
        ? { tone: 'ready', icon: Check }
        : { tone: 'warn', icon: X }
  }
}

/** The commands that make the run's traffic; nothing where it has none. */
export function CompanionsPanel(props: { detail: RunDetail }) {
  const { companions, summary } = props.detail
  const { t } = useTranslation(['stack', 'launch'])
  if (companions.length === 0) return null
  return (
    <Panel
      className="flex-none"
      title={t('launch:companions')}
      sub={t('launch:companionsSub')}
      data-testid="companions"
    >
      <table className="tbl mb-2 table-fixed">
        <thead>
          <tr>
            <th className="w-[168px]" style={{ paddingLeft: 12 }}>
              {t('stack:companion')}
            </th>
            <th>{t('stack:state')}</th>
            <th className="r w-[84px]">{t('stack:restarts')}</th>
            <th className="w-[200px]">{t('stack:where')}</th>
            <th className="w-[48px]" />
          </tr>
        </thead>
        <tbody>
          {companions.map((companion) => (
            <CompanionRow key={companion.name} run={summary.id} companion={companion} />
          ))}
        </tbody>
      </table>
    </Panel>
  )
}

function CompanionRow(props: { run: string; companion: CompanionStatus }) {
  const { run, companion } = props
  const { name, where, state, restarts, log } = companion
  const { t } = useTranslation(['stack', 'launch'])
  const exitText = useExitText()
  const said =
    state.kind === 'ended' || state.kind === 'restarting'
      ? t(`stack:companionState.${state.kind}`, { exit: exitText(state.exit) })
      : state.kind === 'not-started'
        ? t(`stack:companionState.${state.again ? 'failing' : 'failed'}`)
        : t(`stack:companionState.${state.kind}`)
  const place = t(`launch:companionPlace.${where}`)
  return (
    <tr data-testid={`companion-${name}`} data-state={state.kind}>
      <td className="el font-medium" style={{ paddingLeft: 12 }} title={name}>
        {name}
      </td>
      <td className="el" title={said}>
        <InlineState look={lookOf(state)}>{said}</InlineState>
      </td>
      <td className="r t2">{formatCount(restarts)}</td>
      <td className="t2 el" title={place}>
        {place}
      </td>
      <td className="r">
        {log === null ? null : (
          <IconButton
            size="small"
            variant="ghost"
            icon={Terminal}
            label={t('stack:companionLog', { name })}
            onClick={() => openLogOf(run, log)}
            data-testid={`companion-log-${name}`}
          />
        )}
      </td>
    </tr>
  )
}
