import { useQuery } from '@tanstack/react-query'
import { Activity, FileCode, Import, Info, Lock, Play, Server, type LucideIcon } from 'lucide-react'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { hostQuery, recipesQuery } from '../../api/queries'
import { useCommands } from '../../commands'
import { go } from '../../state'
import { Button, Icon, Kbd } from '../../ui'
import { practiceRecipe } from '../launch/practice-recipe'
import { useLaunch } from '../launch/use-launch'
import { FailureNote } from '../shared/failure-note'
import { LanguageChoice, ThemeChoice } from '../settings/choices'
import { ThisComputer } from './this-computer'
import { useImport } from './use-import'
import { WhatYouWillSee } from './what-you-will-see'

/** Before the first run: why the list is empty, and one button that fills it. */
export function FirstRun() {
  const { t } = useTranslation('runs')
  return (
    <div
      className="grid min-h-0 flex-1 content-start justify-center gap-x-16 gap-y-8 overflow-auto px-16 py-8 [@media(min-height:960px)]:py-14 min-[1180px]:grid-cols-[minmax(0,560px)_minmax(0,640px)] [@media(min-height:960px)]:content-center"
      data-testid="first-run"
    >
      <div>
        <div className="t2 mb-2 text-xs font-medium">{t('emptyWhy')}</div>
        <h1 className="text-xl font-semibold tracking-[-0.015em] text-balance [word-break:keep-all]">
          {t('emptyTitle')}
        </h1>
        <div className="my-5 grid grid-cols-[20px_1fr] gap-3">
          <Point icon={Activity} head={t('learns')} text={t('learnsMore')} />
          <Point icon={Info} head={t('notSlime')} text={t('notSlimeMore')} />
          <Point icon={Lock} head={t('stays')} text={t('staysMore')} />
        </div>
        <LaunchPractice />
        <OtherWays />
        <Preferences />
      </div>
      <div className="flex flex-col gap-3">
        <ThisComputer />
        <WhatYouWillSee />
      </div>
    </div>
  )
}

function Point(props: { icon: LucideIcon; head: string; text: string }) {
  return (
    <>
      <Icon of={props.icon} className="t2 mt-0.5" />
      <div>
        <span className="font-medium">{props.head}</span> <span className="t2">{props.text}</span>
      </div>
    </>
  )
}

function LaunchPractice() {
  const { t } = useTranslation(['runs', 'launch'])
  const recipes = useQuery(recipesQuery)
  const recipe = recipes.data === undefined ? undefined : practiceRecipe(recipes.data)
  const launch = useLaunch()
  const { mutate, isPending } = launch
  const button = useRef<HTMLButtonElement>(null)
  const off = recipe === undefined && recipes.isSuccess ? t('noPractice') : undefined
  const path = recipe?.path
  useEffect(() => {
    if (path !== undefined) button.current?.focus()
  }, [path])
  const commands = useMemo(
    () => [
      {
        id: 'launch',
        title: t('launchPractice'),
        group: 'go' as const,
        keys: ['Mod+Enter'],
        off,
        run: () => {
          if (path !== undefined && !isPending) mutate({ recipe: path })
        }
      }
    ],
    [t, off, path, mutate, isPending]
  )
  useCommands(commands)
  return (
    <>
      <div className="flex flex-wrap gap-3">
        <Button
          ref={button}
          variant="primary"
          size="large"
          icon={Play}
          fillIcon
          keys="Mod+Enter"
          off={off}
          disabled={path === undefined}
          onClick={() => {
            if (path !== undefined && !isPending) mutate({ recipe: path })
          }}
          data-testid="launch-practice"
        >
          {isPending ? t('launch:launching') : t('launchPractice')}
        </Button>
        <Button
          size="large"
          off={off}
          disabled={path === undefined}
          onClick={() => {
            if (path !== undefined) go({ page: 'new', recipe: path })
          }}
          data-testid="plan-first"
        >
          {t('planFirst')}
        </Button>
      </div>
      {launch.isError ? <FailureNote className="mt-4" thrown={launch.error} /> : null}
      {recipes.isError ? (
        <FailureNote className="mt-4" thrown={recipes.error} retry={() => void recipes.refetch()} />
      ) : null}
    </>
  )
}

function OtherWays() {
  const { t } = useTranslation('runs')
  const { mutate, isPending } = useImport()
  return (
    <div className="mt-6 grid grid-cols-3 border-t border-line-1 text-xs">
      <Way
        icon={Server}
        head={t('connectTarget')}
        text={t('connectTargetMore')}
        act={() => go({ page: 'settings', section: 'targets' })}
      />
      <Way
        icon={FileCode}
        head={t('openRecipe')}
        text={t('openRecipeMore')}
        act={() => go({ page: 'recipes' })}
      />
      <Way
        icon={Import}
        head={isPending ? t('importing') : t('importWay')}
        text={t('importWayMore')}
        act={() => mutate('file')}
      />
    </div>
  )
}

function Way(props: { icon: LucideIcon; head: string; text: string; act: () => void }) {
  return (
    <button
      type="button"
      className="border-l border-line-1 py-4 pr-4 pl-4 text-left first:border-l-0 first:pl-0"
      onClick={props.act}
    >
      <div className="flex items-center gap-2 font-medium">
        <Icon of={props.icon} size="medium" className="t2" />
        {props.head}
      </div>
      <div className="t2 mt-1">{props.text}</div>
    </button>
  )
}

function Preferences() {
  const { t } = useTranslation('runs')
  const home = useQuery(hostQuery).data?.home
  return (
    <div className="mt-4 grid grid-cols-[120px_auto] items-center justify-start gap-y-2 text-xs">
      <span className="t2">{t('language')}</span>
      <LanguageChoice />
      <span className="t2">{t('theme')}</span>
      <ThemeChoice />
      <span className="t2">{t('keptIn')}</span>
      <span className="mono flex h-7 items-center break-all">{home ?? ''}</span>
      <span className="t2">{t('keys')}</span>
      <span className="flex h-7 items-center gap-2">
        <Kbd keys="Mod+K" />
        <span className="t2 mr-2">{t('everyCommand')}</span>
        <Kbd keys="?" />
        <span className="t2">{t('allShortcuts')}</span>
      </span>
    </div>
  )
}
