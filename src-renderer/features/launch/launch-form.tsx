import type { UseQueryResult } from '@tanstack/react-query'
import { useQuery } from '@tanstack/react-query'
import { ChevronDown } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { Plan } from '@contract/launch'
import type { RecipeCheck, RecipeEntry } from '@contract/recipes'
import type { TargetStatus } from '@contract/targets'
import { targetsQuery } from '../../api/queries'
import { useText } from '../../i18n'
import { Button, Field, Icon, Menu } from '../../ui'
import { NexrlFields } from '../nexrl-launch'
import { PreflightPanel } from '../preflight'
import { FailureNote } from '../shared/failure-note'
import { useTargetName } from '../shared/use-target-name'
import { CompanionsPanel } from './companions-panel'
import { ContainerFields } from './container-fields'
import { FindingsPanel } from './findings-panel'
import type { LaunchDraft } from './launch-draft'
import { OverridesPanel } from './overrides-panel'
import type { LaunchState } from './use-launch-state'

/** Where it runs, what it is called, and what differs from the recipe. */
export function LaunchForm(props: {
  draft: LaunchDraft
  entry: RecipeEntry | undefined
  check: UseQueryResult<RecipeCheck>
  judged: LaunchState['judged']
  /** What the choices so far came to. */
  plan: Plan | undefined
  change: (part: Partial<LaunchDraft>) => void
}) {
  const { draft, entry, check, judged, change } = props
  const { t } = useTranslation('launch')
  const text = useText()
  const targets = useQuery(targetsQuery).data ?? []
  const name = entry?.name ?? check.data?.facts.name ?? draft.recipe ?? ''
  return (
    <div className="flex min-h-0 min-w-0 flex-col gap-3 overflow-auto px-4 py-3 text-xs">
      <div>
        <h1 className="text-lg font-semibold">{name}</h1>
        {entry === undefined ? null : (
          <p className="t2 mt-1 max-w-[640px]">{text(entry.description)}</p>
        )}
        <p className="mono t2 mt-1 break-all">{draft.recipe}</p>
      </div>
      <div className="grid grid-cols-2 gap-3">
        <TargetChoice target={draft.target} choose={(target) => change({ target })} />
        <Field
          label={t('name')}
          showLabel
          placeholder={t('namePlaceholder')}
          value={draft.name}
          onChange={(value) => change({ name: value })}
          data-testid="launch-name"
        />
        <Field
          className="col-span-2"
          label={t('tags')}
          showLabel
          value={draft.tags}
          onChange={(tags) => change({ tags })}
          data-testid="launch-tags"
        />
      </div>
      {check.data?.dialect === 'nexrl' ? (
        <NexrlFields
          choices={draft.nexrl ?? {}}
          plan={props.plan?.nexrl}
          change={(nexrl) => change({ nexrl })}
        />
      ) : null}
      {takesContainer(draft, targets, check.data) ? (
        <ContainerFields
          texts={draft.container}
          target={targets.find((each) => each.spec.id === draft.target)}
          plan={props.plan}
          onlyImage={check.data?.dialect === 'nexrl'}
          change={(container) => change({ container })}
        />
      ) : null}
      <OverridesPanel
        overrides={draft.overrides}
        resolved={check.data?.resolved ?? []}
        onChange={(overrides) => change({ overrides })}
      />
      <CompanionsPanel
        companions={draft.companions}
        containers={kindOf(draft, targets) === 'docker'}
        onChange={(companions) => change({ companions })}
      />
      <PreflightPanel
        state={judged.preflight}
        gate={judged.gate}
        input={judged.input}
        place={judged.place}
        because={judged.because}
        setBecause={judged.setBecause}
        fixed={({ recipe, overrides }) => {
          change({ recipe, overrides })
          judged.renew()
        }}
      />
      {check.isError ? (
        <FailureNote thrown={check.error} retry={() => void check.refetch()} />
      ) : (
        <FindingsPanel check={check.data} />
      )}
    </div>
  )
}

/** Whether there is anything to choose: the practice stack brings its own image, and a process has none. */
function takesContainer(
  draft: LaunchDraft,
  targets: readonly TargetStatus[],
  check: RecipeCheck | undefined
): boolean {
  return kindOf(draft, targets) === 'docker' && check !== undefined && !check.facts.practice
}

function kindOf(
  draft: LaunchDraft,
  targets: readonly TargetStatus[]
): TargetStatus['spec']['kind'] | undefined {
  return targets.find((each) => each.spec.id === draft.target)?.spec.kind
}

function TargetChoice(props: { target: string; choose: (id: string) => void }) {
  const { t } = useTranslation('launch')
  const targets = useQuery(targetsQuery).data ?? []
  const targetName = useTargetName()
  const chosen = targets.find((target) => target.spec.id === props.target)
  return (
    <div>
      <div className="t2 mb-1">{t('target')}</div>
      <Menu
        width={320}
        trigger={
          <Button className="w-full justify-between" data-testid="launch-target">
            <span className="el">
              {chosen === undefined ? props.target : targetName(chosen.spec)}
            </span>
            <Icon of={ChevronDown} size="small" />
          </Button>
        }
        entries={targets.map((target) => ({
          kind: 'item' as const,
          id: target.spec.id,
          label: targetName(target.spec),
          checked: target.spec.id === props.target,
          off: target.reachable === 'no',
          ...(target.reachable === 'no' ? { note: t('targetOff') } : {}),
          run: () => props.choose(target.spec.id)
        }))}
      />
    </div>
  )
}
