import { ExternalLink } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ClusterLook, RaySeen, SglangEngine } from '@contract/cluster'
import { engine } from '../../api/client'
import { follow } from '../../api/follow'
import { formatCount, useText } from '../../i18n'
import { Button, Panel } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { GpuList } from '../shared/gpu-list'

/** What stands below a stack, looked at as long as it is on screen. */
function useCluster(run: string): { look: ClusterLook | null; thrown: unknown } {
  const [look, setLook] = useState<ClusterLook | null>(null)
  const [thrown, setThrown] = useState<unknown>(null)
  useEffect(
    () =>
      follow({
        open: (signal) => engine.cluster.watch({ run }, { signal }),
        onValue: (now) => {
          setLook(now)
          setThrown(null)
        },
        onFailure: setThrown,
        retryAfter: 5000
      }),
    [run]
  )
  return { look, thrown }
}

/** Ray, SGLang and the GPUs below a stack. */
export function ClusterPanels(props: { run: string }) {
  const { t } = useTranslation('cluster')
  const { look, thrown } = useCluster(props.run)
  if (thrown !== null) return <FailureNote thrown={thrown} />
  if (look === null) return <p className="t2 px-3 text-xs">{t('looking')}</p>
  return (
    <>
      <RayPanel ray={look.ray} />
      <SglangPanel engines={look.sglang} />
      <Panel className="flex-none" title={t('gpus')} sub={t('gpusSub')} data-testid="cluster-gpus">
        <div className="px-3 pb-3 text-xs">
          {look.gpus.length === 0 ? <p className="t2">{t('noGpus')}</p> : null}
          <GpuList gpus={look.gpus} />
        </div>
      </Panel>
    </>
  )
}

function RayPanel(props: { ray: ClusterLook['ray'] }) {
  const { ray } = props
  const { t } = useTranslation('cluster')
  const text = useText()
  if (ray.kind === 'unseen') {
    return (
      <Panel className="flex-none" title={t('ray')} data-testid="cluster-ray">
        <p className="t2 px-3 pb-3 text-xs">{text(ray.why)}</p>
      </Panel>
    )
  }
  return (
    <Panel
      className="flex-none"
      title={t('ray')}
      sub={t('raySub', {
        count: ray.nodes,
        n: formatCount(ray.nodes),
        version: ray.version ?? ''
      })}
      actions={
        <Button
          size="small"
          icon={ExternalLink}
          onClick={() => void engine.host.openExternal({ url: ray.dashboard })}
          data-testid="ray-dashboard"
        >
          {t('dashboard')}
        </Button>
      }
      data-testid="cluster-ray"
    >
      <div className="flex flex-col gap-2 px-3 pb-3 text-xs">
        <p className="num">{ray.resources.map((one) => t('resource', one)).join(', ')}</p>
        {ray.pending.map((one) => (
          <p key={`${one.demand} ${one.what}`} className="c-warn" title={one.demand}>
            {one.gpus === null
              ? t('waitingElse', { what: `${one.demand}: ${one.what}` })
              : t('waiting', { n: one.gpus, what: one.what })}
          </p>
        ))}
        <Actors actors={ray.actors} />
        <Jobs jobs={ray.jobs} />
      </div>
    </Panel>
  )
}

function Actors(props: { actors: RaySeen['actors'] }) {
  const { actors } = props
  const { t } = useTranslation('cluster')
  if (actors === null) return <p className="t2">{t('actorsUntold')}</p>
  return (
    <div>
      <div className="t2">{t('actors')}</div>
      {actors.length === 0 ? t('noActors') : null}
      {actors.map(({ className, state, count }) => (
        <div key={`${className} ${state}`} className="flex gap-3">
          <span className="mono min-w-0 flex-1 break-all">{className}</span>
          <span className={state === 'ALIVE' ? 't2' : 'c-warn'}>{state}</span>
          <span className="num w-10 text-right">{formatCount(count)}</span>
        </div>
      ))}
    </div>
  )
}

function Jobs(props: { jobs: RaySeen['jobs'] }) {
  const { t } = useTranslation('cluster')
  if (props.jobs.length === 0) return null
  return (
    <div>
      <div className="t2">{t('jobs')}</div>
      {props.jobs.map((job) => (
        <div key={job.id} className="flex gap-3" title={job.message ?? job.entrypoint}>
          <span className="mono min-w-0 flex-1 break-all">{job.id}</span>
          <span className={job.status === 'FAILED' ? 'c-fail' : 't2'}>{job.status}</span>
        </div>
      ))}
    </div>
  )
}

function share(value: number | null): string {
  return value === null ? '–' : `${Math.round(value * 100)} %`
}

function count(value: number | null): string {
  return value === null ? '–' : formatCount(Math.round(value))
}

function SglangPanel(props: { engines: readonly SglangEngine[] }) {
  const { t } = useTranslation('cluster')
  const text = useText()
  return (
    <Panel
      className="flex-none"
      title={t('sglang')}
      sub={t('sglangSub')}
      data-testid="cluster-sglang"
    >
      {props.engines.length === 0 ? (
        <p className="t2 px-3 pb-3 text-xs">{t('noEngines')}</p>
      ) : (
        <table className="tbl mb-2 table-fixed">
          <thead>
            <tr>
              <th style={{ paddingLeft: 12 }}>{t('engine')}</th>
              <th className="r">{t('running')}</th>
              <th className="r">{t('queued')}</th>
              <th className="r">{t('throughput')}</th>
              <th className="r">{t('cacheUse')}</th>
              <th className="r">{t('cacheHits')}</th>
            </tr>
          </thead>
          <tbody>
            {props.engines.map((one) => (
              <tr key={one.name}>
                <td className="mono" style={{ paddingLeft: 12 }}>
                  {one.name}
                </td>
                {one.why === null ? (
                  <>
                    <td className="r">{count(one.running)}</td>
                    <td className="r">{count(one.queued)}</td>
                    <td className="r">{count(one.throughput)}</td>
                    <td className="r">{share(one.cacheUse)}</td>
                    <td className="r">{share(one.cacheHits)}</td>
                  </>
                ) : (
                  <td className="t2 el" colSpan={5} title={text(one.why)}>
                    {text(one.why)}
                  </td>
                )}
              </tr>
            ))}
          </tbody>
        </table>
      )}
    </Panel>
  )
}
