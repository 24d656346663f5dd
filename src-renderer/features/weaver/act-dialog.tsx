import { useMutation } from '@tanstack/react-query'
import { Check, CircleX } from 'lucide-react'
import { useRef, useState, type ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api'
import { failureOf } from '../../api/failures'
import { useText } from '../../i18n'
import { useNow } from '../../state'
import { Button, Checkbox, Dialog, Field, Segmented, useToasts } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { renewWeaver } from './weaver-feed'

/** One of the four acts, asked for and not yet confirmed. */
export type WeaverAct =
  | { kind: 'extend'; model: string; path: string; expiresAt: number | null }
  | { kind: 'save'; model: string }
  | { kind: 'export'; model: string; path: string }
  | { kind: 'download'; model: string; path: string }

/** Says what an act does before it is done; nothing is sent without the confirmation. */
export function ActDialog(props: { act: WeaverAct; close: () => void }) {
  const { act, close } = props
  switch (act.kind) {
    case 'extend':
      return <ExtendDialog act={act} close={close} />
    case 'save':
      return <SaveDialog act={act} close={close} />
    case 'export':
      return <ExportDialog act={act} close={close} />
    case 'download':
      return <DownloadDialog act={act} close={close} />
  }
}

type Of<K extends WeaverAct['kind']> = {
  act: Extract<WeaverAct, { kind: K }>
  close: () => void
}

const confirmed = true as const
const DAY = 86_400
const lives = { day: DAY, week: 7 * DAY, ever: null } as const

function ExtendDialog({ act, close }: Of<'extend'>) {
  const { t } = useTranslation('weaver')
  const now = useNow()
  const [life, setLife] = useState<keyof typeof lives>('week')
  const { expiresAt } = act
  const seconds = lives[life]
  const shorter = seconds !== null && (expiresAt === null || expiresAt > now + seconds * 1000)
  return (
    <Frame
      title={t('extendTitle')}
      what={t('extendWhat')}
      subject={act.path}
      label={shorter ? t('shortenDo') : t('extendDo')}
      off={seconds === null && expiresAt === null ? t('keptAlready') : undefined}
      close={close}
      run={async () => {
        await engine.weaver.extend({
          model: act.model,
          path: act.path,
          seconds,
          confirmed,
          ...(shorter ? { shorten: true } : {})
        })
        return shorter ? t('shortened') : t('extended')
      }}
    >
      <div className="t2 mb-1">{t('life')}</div>
      <Segmented
        label={t('life')}
        value={life}
        segments={[
          { value: 'day', label: t('lifeDay') },
          { value: 'week', label: t('lifeWeek') },
          { value: 'ever', label: t('lifeEver') }
        ]}
        onChange={setLife}
        data-testid="weaver-life"
      />
      {shorter ? (
        <div className="callout warn mt-3" data-testid="weaver-shorter">
          {expiresAt === null ? t('endsKept') : t('endsSooner')}
        </div>
      ) : null}
    </Frame>
  )
}

function SaveDialog({ act, close }: Of<'save'>) {
  const { t } = useTranslation('weaver')
  const [type, setType] = useState<'weight' | 'weight_and_optimizer'>('weight')
  const [name, setName] = useState('')
  return (
    <Frame
      title={t('saveTitle')}
      what={t('saveWhat')}
      subject={act.model}
      label={t('saveDo')}
      close={close}
      run={async () => {
        const named = name.trim()
        const { path } = await engine.weaver.save({
          model: act.model,
          type,
          confirmed,
          ...(named === '' ? {} : { name: named })
        })
        return t('saved', { path })
      }}
    >
      <div className="t2 mb-1">{t('saveType')}</div>
      <Segmented
        label={t('saveType')}
        value={type}
        segments={[
          { value: 'weight', label: t('saveWeight') },
          { value: 'weight_and_optimizer', label: t('saveOptimizer') }
        ]}
        onChange={setType}
        data-testid="weaver-save-type"
      />
      <Field
        className="mt-3"
        label={t('saveName')}
        showLabel
        value={name}
        onChange={setName}
        data-testid="weaver-save-name"
      />
    </Frame>
  )
}

function ExportDialog({ act, close }: Of<'export'>) {
  const { t } = useTranslation('weaver')
  const [merge, setMerge] = useState(false)
  return (
    <Frame
      title={t('exportTitle')}
      what={t('exportWhat')}
      subject={act.path}
      label={t('exportDo')}
      close={close}
      run={async () => {
        await engine.weaver.export({ model: act.model, path: act.path, merge, confirmed })
        return t('exportDone')
      }}
    >
      <label className="flex items-center gap-2">
        <Checkbox
          checked={merge}
          label={t('exportMerge')}
          onChange={setMerge}
          data-testid="weaver-merge"
        />
        {t('exportMerge')}
      </label>
    </Frame>
  )
}

function DownloadDialog({ act, close }: Of<'download'>) {
  const { t } = useTranslation('weaver')
  const [folder, setFolder] = useState('')
  const pick = async (): Promise<void> => {
    const { path } = await engine.host.pick({ what: 'folder' })
    if (path !== null) setFolder(path)
  }
  return (
    <Frame
      title={t('downloadTitle')}
      what={t('downloadWhat')}
      subject={act.path}
      label={t('downloadDo')}
      off={folder.trim() === '' ? t('noFolder') : undefined}
      close={close}
      stops
      run={async (signal) => {
        const { files } = await engine.weaver.download(
          { model: act.model, path: act.path, folder: folder.trim(), confirmed },
          { signal }
        )
        return t('downloaded', { count: files.length })
      }}
    >
      <div className="flex items-end gap-2">
        <Field
          className="flex-1"
          label={t('folder')}
          showLabel
          mono
          value={folder}
          onChange={setFolder}
          data-testid="weaver-folder"
        />
        <Button onClick={() => void pick()}>{t('pick')}</Button>
      </div>
    </Frame>
  )
}

function Frame(props: {
  title: string
  what: string
  subject: string
  label: string
  off?: string | undefined
  close: () => void
  /** Closing ends it: what goes on in the service does so without us. */
  stops?: boolean
  /** Resolves with what is said when it is done. */
  run: (signal: AbortSignal) => Promise<string>
  children: ReactNode
}) {
  const { title, what, subject, label, stops = false } = props
  const { t } = useTranslation(['weaver', 'common'])
  const text = useText()
  const cancel = useRef<HTMLButtonElement>(null)
  const [aborter] = useState(() => new AbortController())
  const closed = useRef(false)
  const close = (): void => {
    closed.current = true
    if (stops) aborter.abort()
    props.close()
  }
  const act = useMutation({
    mutationFn: () => props.run(aborter.signal),
    onSuccess: (said) => {
      useToasts.getState().show({ look: { tone: 'ready', icon: Check }, text: said })
      renewWeaver()
      if (!closed.current) close()
    },
    onError: (thrown) => {
      // Its place is gone: what became of it is said all the same.
      if (!closed.current || aborter.signal.aborted) return
      const said = `${title} ${text(failureOf(thrown).what)}`
      useToasts.getState().show({ look: { tone: 'fail', icon: CircleX }, text: said })
    }
  })
  const off = act.isPending ? t('weaver:working') : props.off
  const confirm = (): void => {
    if (off === undefined) act.mutate()
  }
  return (
    <Dialog
      open
      onClose={close}
      focus={cancel}
      title={title}
      onConfirm={confirm}
      data-testid="weaver-dialog"
      footer={
        <>
          <Button ref={cancel} onClick={close} keys="Escape">
            {act.isPending && !stops ? t('weaver:close') : t('common:cancel')}
          </Button>
          <Button
            variant="primary"
            keys="Mod+Enter"
            off={off}
            onClick={confirm}
            data-testid="weaver-confirm"
          >
            {act.isPending ? t('weaver:working') : label}
          </Button>
        </>
      }
    >
      <p className="mono break-all">{subject}</p>
      <p className="t2 my-3">{what}</p>
      {props.children}
      {act.isPending ? (
        <p className="t2 mt-3" data-testid="weaver-working">
          {stops ? t('weaver:workingHere') : t('weaver:workingThere')}
        </p>
      ) : null}
      {act.isError ? <FailureNote className="mt-3" thrown={act.error} /> : null}
    </Dialog>
  )
}
