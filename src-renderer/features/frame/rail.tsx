import { Activity, CircleQuestionMark, FileCode, Settings, type LucideIcon } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { go, layout, recipesRoute, useRoute } from '../../state'
import { Icon, Tooltip } from '../../ui'

/** The ways to the main places, always there. */
export function Rail() {
  const { t } = useTranslation('frame')
  const { page } = useRoute()
  return (
    <nav className="rail" aria-label={t('main')}>
      <RailButton
        icon={Activity}
        label={t('runs')}
        keys="Mod+1"
        here={page === 'runs' || page === 'run' || page === 'new'}
        onClick={() => go({ page: 'runs' })}
        testId="rail-runs"
      />
      <RailButton
        icon={FileCode}
        label={t('recipes')}
        keys="Mod+2"
        here={page === 'recipes'}
        onClick={() => go(page === 'recipes' ? { page: 'recipes' } : recipesRoute())}
        testId="rail-recipes"
      />
      <span className="flex-1" />
      <RailButton
        icon={CircleQuestionMark}
        label={t('help')}
        keys="?"
        here={false}
        onClick={() => layout.getState().setCheatSheet(true)}
        testId="rail-help"
      />
      <RailButton
        icon={Settings}
        label={t('settings')}
        keys="Mod+,"
        here={page === 'settings'}
        onClick={() => go({ page: 'settings', section: 'targets' })}
        testId="rail-settings"
      />
    </nav>
  )
}

function RailButton(props: {
  icon: LucideIcon
  label: string
  keys: string
  here: boolean
  onClick: () => void
  testId: string
}) {
  return (
    <Tooltip text={props.label} keys={props.keys}>
      <button
        type="button"
        aria-label={props.label}
        aria-current={props.here ? 'page' : undefined}
        onClick={props.onClick}
        data-testid={props.testId}
      >
        <Icon of={props.icon} />
      </button>
    </Tooltip>
  )
}
