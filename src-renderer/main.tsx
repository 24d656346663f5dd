import { QueryClientProvider } from '@tanstack/react-query'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { listenForPorts } from './api/client'
import { queryClient, refetchOnNewEngine } from './api/query-client'
import { listenForShortcuts } from './commands'
import { App } from './features/frame'
import { startTranslations } from './i18n'
import { applyTheme, themeOf } from './theme/theme'
import { TooltipProvider, followFocusRing, keepRowsUnselected, sayCutTextWhole } from './ui'

// Listening starts before anything is awaited, so that the port cannot arrive unheard.
listenForPorts()
refetchOnNewEngine(queryClient)
listenForShortcuts()
followFocusRing()
sayCutTextWhole()
keepRowsUnselected()
applyTheme(themeOf('system'))

const root = document.getElementById('root')
if (root === null) throw new Error('The page has no element with the id root.')

void startTranslations(navigator.language.startsWith('zh') ? 'zh' : 'en').then(() => {
  createRoot(root).render(
    <StrictMode>
      <QueryClientProvider client={queryClient}>
        <TooltipProvider>
          <App />
        </TooltipProvider>
      </QueryClientProvider>
    </StrictMode>
  )
})
