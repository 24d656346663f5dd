import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import type { ProposalRequest, RecipeProposal } from '@contract/recipes'
import { engine } from '../../api/client'
import { targetsQuery } from '../../api/queries'
import { useText } from '../../i18n'
import { Button, Dialog, Field, Skeleton, Tag } from '../../ui'
import { FailureNote } from '../shared/failure-note'
import { useCreateRecipe } from './duplicate-dialog'

const IMPROVE: readonly ProposalRequest['improve'][] = [
  'reasoning',
  'one-problem',
  'conversation',
  'demonstrated-skill',
  'smaller-model',
  'harness'
]
const SIGNAL: readonly ProposalRequest['signal'][] = [
  'score',
  'score-grid',
  'next-state',
  'demonstrations',
  'teacher',
  'requests',
  'none'
]

/** Three questions, then templates with the reason for each. */
export function NewRecipeDialog(props: { close: () => void }) {
  const { t } = useTranslation(['recipes', 'common'])
  const known = useQuery(targetsQuery).data?.reduce(
    (most, each) => Math.max(most, each.gpus.length),
    0
  )
  const [improve, setImprove] = useState<ProposalRequest['improve']>('reasoning')
  const [signal, setSignal] = useState<ProposalRequest['signal']>('score')
  const [typed, setTyped] = useState<string | null>(null)
  const [chosen, setChosen] = useState<string | null>(null)
  const [named, setNamed] = useState<string | null>(null)
  const gpusText = typed ?? String(known ?? 0)
  const gpus = /^\d{1,4}$/.test(gpusText.trim()) ? Number(gpusText) : 0
  const asked: ProposalRequest = { improve, signal, gpus }
  const proposals = useQuery({
    queryKey: ['recipe-proposal', asked],
    queryFn: ({ signal: abort }) => engine.recipes.propose(asked, { signal: abort })
  })
  const choice = proposals.data?.find((each) => each.from === chosen) ?? proposals.data?.[0]
  const name =
    named ?? (choice === undefined ? '' : `my-${choice.template.replace(/\.ya?ml$/, '')}`)
  const create = useCreateRecipe(props.close)
  const run = (): void => {
    if (choice !== undefined) create.mutate({ from: choice.from, name })
  }
  return (
    <Dialog
      open
      onClose={props.close}
      title={t('recipes:newRecipe')}
      description={t('recipes:ask.text')}
      width={880}
      onConfirm={run}
      data-testid="new-recipe-dialog"
      footer={
        <>
          <Button onClick={props.close}>{t('common:cancel')}</Button>
          <Button
            variant="primary"
            keys="Mod+Enter"
            off={choice === undefined ? t('recipes:ask.none') : false}
            onClick={run}
            data-testid="new-recipe-create"
          >
            {t('recipes:create')}
          </Button>
        </>
      }
    >
      <div className="grid grid-cols-[240px_240px_minmax(0,1fr)] gap-4">
        <Choices
          title={t('recipes:ask.improve')}
          value={improve}
          options={IMPROVE.map((value) => ({ value, label: t(`recipes:ask.improves.${value}`) }))}
          choose={setImprove}
        />
        <Choices
          title={t('recipes:ask.signal')}
          value={signal}
          options={SIGNAL.map((value) => ({ value, label: t(`recipes:ask.signals.${value}`) }))}
          choose={setSignal}
        />
        <div className="flex min-w-0 flex-col gap-3">
          <Field
            label={t('recipes:ask.gpus')}
            showLabel
            value={gpusText}
            onChange={setTyped}
            data-testid="new-recipe-gpus"
          />
          <Field
            label={t('recipes:ask.name')}
            showLabel
            value={name}
            onChange={setNamed}
            data-testid="new-recipe-name"
          />
        </div>
      </div>
      <div className="mt-4 mb-1 font-medium">{t('recipes:ask.proposals')}</div>
      <div className="h-44 overflow-auto" role="radiogroup" aria-label={t('recipes:ask.proposals')}>
        {proposals.isPending ? <Skeleton className="h-20" /> : null}
        {proposals.isError ? <FailureNote thrown={proposals.error} /> : null}
        {proposals.data?.length === 0 ? <p className="t2">{t('recipes:ask.none')}</p> : null}
        {proposals.data?.map((proposal) => (
          <Proposal
            key={proposal.from}
            proposal={proposal}
            on={proposal.from === choice?.from}
            choose={() => setChosen(proposal.from)}
          />
        ))}
      </div>
      {create.isError ? <FailureNote className="mt-3" thrown={create.error} /> : null}
    </Dialog>
  )
}

function Choices<T extends string>(props: {
  title: string
  value: T
  options: readonly { value: T; label: string }[]
  choose: (value: T) => void
}) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium">{props.title}</legend>
      {props.options.map((option) => (
        <label
          key={option.value}
          className={`flex min-h-7 items-center gap-2 rounded-sm px-2 py-1 hover:bg-hover ${option.value === props.value ? 'bg-accent-wash' : ''}`}
        >
          <input
            type="radio"
            className="flex-none accent-accent"
            checked={option.value === props.value}
            onChange={() => props.choose(option.value)}
          />
          {option.label}
        </label>
      ))}
    </fieldset>
  )
}

function Proposal(props: { proposal: RecipeProposal; on: boolean; choose: () => void }) {
  const { proposal, on } = props
  const { t } = useTranslation('recipes')
  const text = useText()
  const need =
    proposal.gpus === 0
      ? t('ask.noGpu')
      : proposal.fits
        ? t('ask.fits')
        : t('ask.needs', { count: proposal.gpus, n: proposal.gpus })
  return (
    <button
      type="button"
      role="radio"
      aria-checked={on}
      className={`mb-1 flex w-full items-center gap-3 rounded-sm border px-3 py-2 text-left ${on ? 'border-ring bg-accent-wash' : 'border-line-1 hover:bg-hover'}`}
      onClick={props.choose}
      data-testid={`proposal-${proposal.template}`}
    >
      <span className="mono w-40 flex-none">{proposal.template}</span>
      <span className="min-w-0 flex-1">{text(proposal.reason)}</span>
      <Tag>{need}</Tag>
    </button>
  )
}
