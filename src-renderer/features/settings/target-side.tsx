import { useMutation, useQueryClient } from '@tanstack/react-query'
import { RotateCcw, Trash2 } from 'lucide-react'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { TargetStatus } from '@contract/targets'
import { engine } from '../../api/client'
import { targetsQuery } from '../../api/queries'
import { formatBytes, useText } from '../../i18n'
import { Button, CodeBlock, Dialog, InlineState, KeyValues, Tag } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { GpuList } from '../shared/gpu-list'
import { useTargetName } from '../shared/use-target-name'
import { addressOf, lookOfTarget } from './target-look'

/** Everything known of one target, and what to do when it does not answer. */
export function TargetSide(props: { target: TargetStatus }) {
  const { target } = props
  const { spec } = target
  const { t } = useTranslation(['settings', 'common'])
  const text = useText()
  const client = useQueryClient()
  const targetName = useTargetName()
  const [forgetting, setForgetting] = useState(false)
  const probe = useMutation({
    mutationFn: () => engine.targets.probe({ id: spec.id }),
    onSuccess: (status) =>
      client.setQueryData(targetsQuery.queryKey, (list) =>
        list?.map((each) => (each.spec.id === status.spec.id ? status : each))
      )
  })
  return (
    <aside className="side right px-4 pb-4" data-testid="target-side">
      <div className="flex min-h-14 flex-wrap items-center gap-2 py-3">
        <span className="min-w-0 text-base font-semibold break-words">{targetName(spec)}</span>
        <Tag>{target.found ? t('settings:found') : t('settings:added')}</Tag>
        <Button
          className="ml-auto"
          icon={RotateCcw}
          off={probe.isPending ? t('settings:checking') : undefined}
          onClick={() => probe.mutate()}
          data-testid="probe-target"
        >
          {t('settings:checkAgain')}
        </Button>
      </div>
      {target.why === null ? null : (
        <div className={`callout ${target.reachable === 'no' ? 'fail' : 'info'}`}>
          <InlineState look={lookOfTarget(target, false)}>
            {t(`settings:reachable.${target.reachable}`)}
          </InlineState>
          <div className="mt-1">{text(target.why)}</div>
        </div>
      )}
      {probe.isError ? <FailureNote className="mt-3" thrown={probe.error} /> : null}
      {target.remedy === null && target.advice === undefined ? null : (
        <h2>{t('settings:whatToDo')}</h2>
      )}
      {target.advice === undefined ? null : <div className="t2 mb-2">{text(target.advice)}</div>}
      {target.remedy === null ? null : (
        <>
          <CodeBlock
            text={target.remedy}
            copyLabel={t('common:copy')}
            copiedLabel={t('common:copied')}
          />
        </>
      )}
      {target.said === undefined ? null : (
        <>
          <h2>{t('settings:said')}</h2>
          <div className="code">{target.said}</div>
        </>
      )}
      <h2>{t('settings:details')}</h2>
      <KeyValues
        rows={[
          [
            t('settings:address'),
            <span key="address" className="mono">
              {addressOf(spec)}
            </span>
          ],
          [t('settings:engine'), target.engine],
          [t('settings:version'), target.version],
          [t('settings:free'), target.freeBytes === null ? null : formatBytes(target.freeBytes)]
        ]}
      />
      {target.gpus.length === 0 ? null : (
        <>
          <h2>{t('settings:gpus')}</h2>
          <GpuList gpus={target.gpus} />
        </>
      )}
      {target.found ? null : (
        <Button
          className="mt-4"
          variant="danger"
          icon={Trash2}
          onClick={() => setForgetting(true)}
          data-testid="forget-target"
        >
          {t('settings:forget')}
        </Button>
      )}
      {forgetting ? <ForgetDialog target={target} close={() => setForgetting(false)} /> : null}
    </aside>
  )
}

function ForgetDialog(props: { target: TargetStatus; close: () => void }) {
  const { id, name } = props.target.spec
  const { t } = useTranslation(['settings', 'common'])
  const client = useQueryClient()
  const cancel = useRef<HTMLButtonElement>(null)
  const forget = useMutation({
    mutationFn: () => engine.targets.remove({ id }),
    onSuccess: () => {
      props.close()
      void client.invalidateQueries({ queryKey: targetsQuery.queryKey })
    }
  })
  return (
    <Dialog
      open
      onClose={props.close}
      focus={cancel}
      title={t('settings:forgetTitle', { name })}
      width={440}
      onConfirm={() => forget.mutate()}
      footer={
        <>
          <Button ref={cancel} onClick={props.close} keys="Escape">
            {t('common:cancel')}
          </Button>
          <Button
            variant="danger"
            keys="Mod+Enter"
            off={forget.isPending ? t('common:loading') : undefined}
            onClick={() => forget.mutate()}
          >
            {t('settings:forgetConfirm')}
          </Button>
        </>
      }
    >
      <p>{t('settings:forgetWhat')}</p>
      {forget.isError ? <FailureNote className="mt-3" thrown={forget.error} /> : null}
    </Dialog>
  )
}
