import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { Play, Plug, RotateCcw, Server, type LucideIcon } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TargetSpec, TargetStatus } from '@contract/targets'
import { engine } from '../../api/client'
import { runsQuery, targetsQuery } from '../../api/queries'
import { useText } from '../../i18n'
import { Button, EmptyReason, Icon, InlineState, Skeleton } from '../../ui'
import { isActive } from '../runs'
import { FailureNote } from '../shared/failure-note'
import { useTargetName } from '../shared/use-target-name'
import { AddTarget } from './add-target'
import { addressOf, lookOfTarget } from './target-look'
import { TargetSide } from './target-side'

/** Where a stack can run. */
export function TargetsSection() {
  const { t } = useTranslation('settings')
  const client = useQueryClient()
  const targets = useQuery(targetsQuery)
  const [chosen, setChosen] = useState<string | null>(null)
  const checkAll = useMutation({
    mutationFn: async (all: readonly TargetStatus[]) => {
      await Promise.all(
        all.map(async ({ spec }) => keep(client, await engine.targets.probe({ id: spec.id })))
      )
    }
  })
  const list = targets.data
  const open = list?.find((target) => target.spec.id === chosen) ?? list?.[0]
  return (
    <div className="grid min-h-0 grid-cols-[minmax(0,1fr)_minmax(300px,360px)]">
      <div className="flex min-h-0 flex-col overflow-auto">
        <div className="flex h-14 flex-none items-center gap-3 px-4">
          <h1 className="text-lg font-semibold">{t('targets')}</h1>
          <span className="t2 el mt-0.5 text-xs">{t('targetsSub')}</span>
          <Button
            className="ml-auto"
            icon={RotateCcw}
            off={checkAll.isPending ? t('checking') : undefined}
            onClick={() => checkAll.mutate(list ?? [])}
          >
            {checkAll.isPending ? t('checking') : t('checkAll')}
          </Button>
        </div>
        {targets.isError ? (
          <FailureNote
            className="mx-4 mb-3"
            thrown={targets.error}
            retry={() => void targets.refetch()}
          />
        ) : null}
        {checkAll.isError ? <FailureNote className="mx-4 mb-3" thrown={checkAll.error} /> : null}
        {list === undefined ? (
          targets.isPending ? (
            <Skeleton className="m-4 h-40" />
          ) : null
        ) : list.length === 0 ? (
          <EmptyReason what={t('noTargetsWhat')} why={t('noTargetsWhy')} />
        ) : (
          <TargetTable list={list} open={open} choose={setChosen} />
        )}
        <AddTarget onAdded={setChosen} />
      </div>
      {open === undefined ? <span /> : <TargetSide key={open.spec.id} target={open} />}
    </div>
  )
}

/** Puts a fresh status in its place in the list. */
function keep(client: ReturnType<typeof useQueryClient>, status: TargetStatus): void {
  client.setQueryData(targetsQuery.queryKey, (list) =>
    list?.map((each) => (each.spec.id === status.spec.id ? status : each))
  )
}

const groups = [
  ['process', 'groupProcess'],
  ['docker', 'groupDocker'],
  ['attach', 'groupAttach']
] as const satisfies readonly (readonly [TargetSpec['kind'], string])[]

const icons: Record<TargetSpec['kind'], LucideIcon> = {
  process: Play,
  docker: Server,
  attach: Plug
}

function TargetTable(props: {
  list: readonly TargetStatus[]
  open: TargetStatus | undefined
  choose: (id: string) => void
}) {
  const { t } = useTranslation('settings')
  return (
    <table className="tbl table-fixed" data-testid="targets-table">
      <thead>
        <tr>
          <th style={{ paddingLeft: 16 }}>{t('target')}</th>
          <th className="w-[168px]">{t('state')}</th>
          <th className="w-[80px]">{t('engine')}</th>
          <th className="w-[120px]">{t('gpus')}</th>
          <th className="r w-[56px]" style={{ paddingRight: 16 }}>
            {t('runs')}
          </th>
        </tr>
      </thead>
      {groups.map(([kind, title]) => {
        const members = props.list.filter((target) => target.spec.kind === kind)
        if (members.length === 0) return null
        return (
          <tbody key={kind}>
            <tr className="grp">
              <td colSpan={5} style={{ paddingLeft: 16 }}>
                <span className="font-semibold">{t(title)}</span>
                {kind === 'attach' ? <span className="t2"> {t('groupAttachSub')}</span> : null}
              </td>
            </tr>
            {members.map((target) => (
              <TargetRow
                key={target.spec.id}
                target={target}
                selected={target === props.open}
                choose={props.choose}
              />
            ))}
          </tbody>
        )
      })}
    </table>
  )
}

function TargetRow(props: {
  target: TargetStatus
  selected: boolean
  choose: (id: string) => void
}) {
  const { target } = props
  const { spec } = target
  const { t } = useTranslation('settings')
  const text = useText()
  const targetName = useTargetName()
  const runs = useQuery(runsQuery).data?.runs ?? []
  const used = runs.filter((run) => run.target.id === spec.id && isActive(run.state)).length
  const why = target.why === null ? '' : text(target.why)
  const gpus = target.gpus.length === 0 ? '–' : `${target.gpus.length} × ${target.gpus[0]?.name}`
  return (
    <tr
      tabIndex={0}
      aria-selected={props.selected}
      onClick={() => props.choose(spec.id)}
      onFocus={() => props.choose(spec.id)}
      data-testid={`target-${spec.id}`}
    >
      <td style={{ paddingLeft: 16, height: 52 }}>
        <div className="flex items-center gap-3">
          <Icon of={icons[spec.kind]} className="t2" />
          <div className="min-w-0">
            <div className="el font-medium">{targetName(spec)}</div>
            <div className="t2 mono el">{addressOf(spec)}</div>
          </div>
        </div>
      </td>
      <td>
        <InlineState look={lookOfTarget(target, used > 0)}>
          {used > 0 && target.reachable === 'yes' ? t('inUse') : t(`reachable.${target.reachable}`)}
        </InlineState>
        {why === '' ? null : (
          <div className="t2 el pl-[18px]" title={why}>
            {why}
          </div>
        )}
      </td>
      <td className="el">{target.version ?? target.engine ?? '–'}</td>
      <td className="el" title={gpus}>
        {gpus}
      </td>
      <td className="r" style={{ paddingRight: 16 }}>
        {used}
      </td>
    </tr>
  )
}
