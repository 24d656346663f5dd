import {
  CaseSensitive,
  ChevronDown,
  Download,
  Pause,
  Play,
  Regex,
  Search,
  WrapText
} from 'lucide-react'
import { memo, useMemo, useState, type RefObject } from 'react'
import { useTranslation } from 'react-i18next'
import type { LogSource } from '@contract/logs'
import { useCommands, type Command } from '../../commands'
import { formatBytes, formatCount } from '../../i18n'
import { Button, Field, Icon, IconButton, InlineState, Menu, Segmented } from '../../ui'
import { saveLog } from './save-log'
import type { LevelChoice } from './level'
import { logView } from './log-store'
import type { Found } from './search-run'
import { useWrap } from './use-wrap'

/** Source, level, search and follow: the same in the dock and in the tab. */
export function LogToolbar(props: {
  run: string
  sources: readonly LogSource[]
  source: LogSource
  found: Found | null
  input: RefObject<HTMLInputElement | null>
  /** It was made of files: nothing follows, and it had no attempts. */
  imported: boolean
  small?: boolean
}) {
  const { t } = useTranslation('log')
  const search = logView((store) => store.search)
  const { setSearch } = logView.getState()
  const small = props.small === true
  useLogCommands(props.input, !props.imported)
  return (
    <>
      <Levels small={small} />
      <SourceMenu
        run={props.run}
        sources={props.sources}
        source={props.source}
        imported={props.imported}
        small={small}
      />
      <span className="ml-auto flex min-w-0 items-center gap-2">
        <Field
          className="w-[220px]"
          size={small ? 'small' : 'normal'}
          icon={Search}
          label={t('search')}
          placeholder={t('searchLines', { n: formatCount(props.source.lines) })}
          value={search}
          onChange={setSearch}
          inputRef={props.input}
          keys="/"
          note={props.found === null ? undefined : <FoundNote found={props.found} />}
          onKeyDown={(event) => {
            if (event.key !== 'Escape') return
            event.stopPropagation()
            setSearch('')
            event.currentTarget.blur()
          }}
          data-testid="log-search"
        />
        <SearchKinds />
        <WrapButton />
        {small ? null : <SaveButton run={props.run} source={props.source} />}
        {props.imported ? null : <FollowButton />}
      </span>
    </>
  )
}

/** Which lines are shown. Apart from the source like the other choices: its length changes with every line. */
const Levels = memo(function Levels(props: { small: boolean }) {
  const { t } = useTranslation('log')
  const level = logView((store) => store.level)
  const levels: readonly { value: LevelChoice; label: string }[] = [
    { value: 'all', label: t('allLevels') },
    { value: 'event', label: t('events') },
    { value: 'metric', label: t('metrics') },
    { value: 'warning', label: t('warnings') },
    { value: 'error', label: t('errors') }
  ]
  return (
    <Segmented
      label={t('levels')}
      size={props.small ? 'small' : 'normal'}
      value={level}
      segments={levels}
      onChange={logView.getState().setLevel}
      data-testid="log-level"
    />
  )
})

const SearchKinds = memo(function SearchKinds() {
  const { t } = useTranslation('log')
  const regex = logView((store) => store.regex)
  const caseSensitive = logView((store) => store.caseSensitive)
  const { setRegex, setCaseSensitive } = logView.getState()
  return (
    <>
      <IconButton
        size="small"
        variant="ghost"
        icon={CaseSensitive}
        label={t('caseSensitive')}
        on={caseSensitive}
        onClick={() => setCaseSensitive(!caseSensitive)}
        data-testid="log-case"
      />
      <IconButton
        size="small"
        variant="ghost"
        icon={Regex}
        label={t('regex')}
        on={regex}
        onClick={() => setRegex(!regex)}
        data-testid="log-regex"
      />
    </>
  )
})

function WrapButton() {
  const { t } = useTranslation('log')
  const { wrap, toggle } = useWrap()
  return (
    <IconButton
      size="small"
      variant="ghost"
      icon={WrapText}
      label={t('wrap')}
      on={wrap}
      onClick={toggle}
      data-testid="log-wrap"
    />
  )
}

/** All lines of the source as they are shown: redacted, without colours and bars. */
function SaveButton(props: { run: string; source: LogSource }) {
  const { t } = useTranslation('log')
  const [share, setShare] = useState<number | null>(null)
  const [problem, setProblem] = useState<string | null>(null)
  const save = (): void => {
    setShare(0)
    saveLog(props.run, props.source, setShare)
      .then(() => setProblem(null))
      .catch((thrown: unknown) =>
        setProblem(thrown instanceof Error ? thrown.message : String(thrown))
      )
      .finally(() => setShare(null))
  }
  const label =
    problem !== null ? t('saveFailed', { why: problem }) : share === null ? t('save') : t('saving')
  return (
    <>
      <IconButton
        size="small"
        variant="ghost"
        icon={Download}
        label={label}
        disabled={share !== null}
        onClick={save}
        data-testid="log-save"
      />
      {share === null ? null : (
        <span className="t2 num text-xs">{`${String(Math.floor(share * 100))} %`}</span>
      )}
    </>
  )
}

function FoundNote(props: { found: Found }) {
  const { t } = useTranslation('log')
  const count = props.found.lines.length
  return props.found.complete || count > 0
    ? t('found', { count, n: formatCount(count) })
    : t('searching')
}

function SourceMenu(props: {
  run: string
  sources: readonly LogSource[]
  source: LogSource
  imported: boolean
  small: boolean
}) {
  const { t } = useTranslation('log')
  const title = (source: LogSource): string =>
    props.imported ? source.service : t('sourceOf', { service: source.service, n: source.attempt })
  return (
    <Menu
      trigger={
        <Button
          size={props.small ? 'small' : 'normal'}
          variant={props.small ? 'ghost' : 'default'}
          aria-label={`${t('source')}: ${title(props.source)}`}
          data-testid="log-source"
        >
          {title(props.source)}
          <Icon of={ChevronDown} size="small" />
        </Button>
      }
      entries={props.sources.map((source) => ({
        kind: 'item' as const,
        id: source.id,
        label: title(source),
        note: formatBytes(source.bytes),
        checked: source.id === props.source.id,
        run: () => logView.getState().setSource(props.run, source.id)
      }))}
    />
  )
}

const FollowButton = memo(function FollowButton() {
  const { t } = useTranslation('log')
  const following = logView((store) => store.following)
  return (
    <button
      type="button"
      className="flex-none"
      aria-pressed={following}
      title={following ? t('pause') : t('follow')}
      onClick={() => logView.getState().setFollowing(!following)}
      data-testid="log-follow"
    >
      <InlineState
        look={
          following
            ? { tone: 'running', icon: Play, fillIcon: true }
            : { tone: 'idle', icon: Pause }
        }
      >
        {following ? t('following') : t('paused')}
      </InlineState>
    </button>
  )
})

function useLogCommands(input: RefObject<HTMLInputElement | null>, grows: boolean): void {
  const { t } = useTranslation('log')
  const commands = useMemo<Command[]>(
    () => [
      {
        id: 'log-search',
        title: t('search'),
        group: 'log',
        keys: ['/'],
        run: () => input.current?.focus()
      },
      ...(grows
        ? [
            {
              id: 'log-follow',
              title: t('follow'),
              group: 'log' as const,
              keys: ['F'],
              run: () => logView.getState().setFollowing(!logView.getState().following)
            }
          ]
        : [])
    ],
    [t, input, grows]
  )
  useCommands(commands)
}
