import { ChevronDown, Plus, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Companion } from '@contract/launch'
import { Button, Checkbox, Field, Icon, IconButton, Menu, Panel } from '../../ui'
import { type CompanionDraft, newCompanion } from './companion-draft'

const PLACES = ['process', 'stack-container', 'own-container'] as const
const POLICIES = ['never', 'on-failure', 'always'] as const

/** Commands that make the traffic a stack learns from. */
export function CompanionsPanel(props: {
  companions: readonly CompanionDraft[]
  /** Whether the target runs stacks in containers. */
  containers: boolean
  onChange: (companions: readonly CompanionDraft[]) => void
}) {
  const { companions, onChange } = props
  const { t } = useTranslation('launch')
  return (
    <Panel
      className="flex-none"
      title={t('companions')}
      sub={t('companionsSub')}
      actions={
        <Button
          size="small"
          icon={Plus}
          onClick={() => onChange([...companions, newCompanion])}
          data-testid="add-companion"
        >
          {t('addCompanion')}
        </Button>
      }
    >
      <div className="flex flex-col gap-3 px-3 pb-3">
        {companions.length === 0 ? <div className="t2">{t('noCompanions')}</div> : null}
        {companions.map((companion, i) => (
          <CompanionFields
            key={i}
            at={i}
            companion={companion}
            containers={props.containers}
            change={(part) =>
              onChange(companions.map((each, at) => (at === i ? { ...each, ...part } : each)))
            }
            remove={() => onChange(companions.filter((_each, at) => at !== i))}
          />
        ))}
      </div>
    </Panel>
  )
}

function CompanionFields(props: {
  at: number
  companion: CompanionDraft
  containers: boolean
  change: (part: Partial<CompanionDraft>) => void
  remove: () => void
}) {
  const { at, companion, change } = props
  const { t } = useTranslation('launch')
  return (
    <div className="grid grid-cols-[minmax(0,220px)_minmax(0,1fr)_24px] items-end gap-2">
      <Field
        showLabel
        label={t('companionName')}
        value={companion.name}
        onChange={(name) => change({ name })}
        data-testid={`companion-name-${at}`}
      />
      <Field
        mono
        showLabel
        label={t('companionCommand')}
        value={companion.command}
        onChange={(command) => change({ command })}
        data-testid={`companion-command-${at}`}
      />
      <IconButton
        size="small"
        variant="ghost"
        icon={X}
        label={t('removeCompanion')}
        onClick={props.remove}
      />
      <Choice
        label={t('companionWhere')}
        value={companion.where}
        values={PLACES}
        words={(where) => t(`companionPlace.${where}`)}
        off={(where) =>
          where === 'process' || props.containers ? null : t('companionNoContainers')
        }
        choose={(where) => change({ where })}
        testid={`companion-where-${at}`}
      />
      <Field
        mono
        showLabel
        label={t('companionEnvironment')}
        value={companion.environment}
        onChange={(environment) => change({ environment })}
        data-testid={`companion-environment-${at}`}
      />
      <span />
      <Choice
        label={t('companionRestart')}
        value={companion.restart}
        values={POLICIES}
        words={(policy) => t(`companionPolicy.${policy}`)}
        off={() => null}
        choose={(restart) => change({ restart })}
        testid={`companion-restart-${at}`}
      />
      {companion.where === 'own-container' ? (
        <Field
          mono
          showLabel
          label={t('image')}
          placeholder={t('imageHint')}
          value={companion.image}
          onChange={(image) => change({ image })}
          data-testid={`companion-image-${at}`}
        />
      ) : (
        <span />
      )}
      <span />
      <div className="col-span-2 flex gap-4">
        <Mark
          label={t('companionWhenServing')}
          checked={companion.startWhenServing}
          onChange={(startWhenServing) => change({ startWhenServing })}
        />
        <Mark
          label={t('companionWithRun')}
          checked={companion.stopWithRun}
          onChange={(stopWithRun) => change({ stopWithRun })}
        />
      </div>
    </div>
  )
}

function Mark(props: { label: string; checked: boolean; onChange: (checked: boolean) => void }) {
  return (
    <span className="flex items-center gap-2">
      <Checkbox {...props} />
      {props.label}
    </span>
  )
}

function Choice<T extends Companion['where'] | Companion['restart']>(props: {
  label: string
  value: T
  values: readonly T[]
  words: (value: T) => string
  /** Why a value cannot be chosen; null when it can. */
  off: (value: T) => string | null
  choose: (value: T) => void
  testid: string
}) {
  return (
    <div>
      <div className="t2 mb-1">{props.label}</div>
      <Menu
        width={420}
        trigger={
          <Button
            className="w-full justify-between"
            aria-label={props.label}
            data-testid={props.testid}
          >
            <span className="el">{props.words(props.value)}</span>
            <Icon of={ChevronDown} size="small" />
          </Button>
        }
        entries={props.values.map((value) => {
          const why = props.off(value)
          return {
            kind: 'item' as const,
            id: value,
            label: props.words(value),
            checked: value === props.value,
            off: why !== null,
            ...(why === null ? {} : { note: why }),
            run: () => props.choose(value)
          }
        })}
      />
    </div>
  )
}
