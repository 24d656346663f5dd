import { useQuery } from '@tanstack/react-query'
import { useEffect } from 'react'
import { useTranslation } from 'react-i18next'
import type { OpenRequest } from '@contract/host'
import { hostQuery, settingsQuery } from '../../api/queries'
import { holdRequests, holdSettings, useRunsStream } from '../../api/streams'
import { CheatSheet, Palette } from '../../commands'
import { switchLanguage } from '../../i18n'
import { focusCurves, go, showQueue, type Route } from '../../state'
import { followTheme } from '../../theme/theme'
import { Toast } from '../../ui'
import { Notices } from './notices'
import { Page } from './page'
import { Rail } from './rail'
import { StatusBar } from './status-bar'
import { TitleBar } from './title-bar'
import { useCrumbs } from './use-crumbs'
import { useFrameCommands } from './use-frame-commands'

/** The window: title bar, rail, page and status bar, and what lies over them. */
export function App() {
  const { t } = useTranslation()
  useRunsStream()
  useEffect(holdSettings, [])
  useEffect(() => holdRequests(openRequest), [])
  usePreferences()
  useFrameCommands()
  return (
    <div className="app">
      <WindowTitle />
      <TitleBar />
      <Notices />
      <Rail />
      <main className="main">
        <Page />
      </main>
      <StatusBar />
      <Palette />
      <CheatSheet />
      <Toast closeLabel={t('close')} />
    </div>
  )
}

/**
 * What the system's window list says: the place first, since such lists cut the end. Apart from the window, so that a
 * name that changes renders nothing else.
 */
function WindowTitle(): null {
  const crumbs = useCrumbs()
  const title = [...crumbs.map(({ label }) => label).reverse(), 'Slipway'].join(' · ')
  useEffect(() => {
    document.title = title
  }, [title])
  return null
}

/** Goes where a request from outside the page leads; a run whose step it names shows that step. */
function openRequest(request: OpenRequest): void {
  if (request.kind === 'queue') {
    showQueue()
    return
  }
  if (request.kind === 'run' && request.step !== undefined) focusCurves(request.run, request.step)
  go(placeFor(request))
}

/** Where a request from outside the page leads. */
function placeFor(request: Exclude<OpenRequest, { kind: 'queue' }>): Route {
  switch (request.kind) {
    case 'recipe':
      return { page: 'new', recipe: request.path }
    case 'run':
      return { page: 'run', id: request.run, tab: 'curves' }
    case 'settings':
      return { page: 'settings', section: 'targets' }
  }
}

/** Applies language and theme as soon as the engine says them, and whenever they change. */
function usePreferences(): void {
  const settings = useQuery(settingsQuery).data
  const host = useQuery(hostQuery).data
  const theme = settings?.theme ?? 'system'
  const chosen = settings?.language ?? 'system'
  const language = chosen === 'system' ? host?.systemLanguage : chosen
  useEffect(() => followTheme(theme), [theme])
  useEffect(() => {
    if (language !== undefined) switchLanguage(language)
  }, [language])
}
