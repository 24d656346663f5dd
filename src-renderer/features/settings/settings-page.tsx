import {
  Bell,
  Cloud,
  FlaskConical,
  Info,
  Keyboard,
  Palette,
  Server,
  type LucideIcon
} from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { KeyList } from '../../commands'
import { go, type SettingsSection } from '../../state'
import { Icon } from '../../ui'
import { WeaverSection } from '../weaver'
import { AboutSection } from './about-section'
import { AlertsSection } from './alerts-section'
import { AppearanceSection } from './appearance-section'
import { ExperimentalSection } from './experimental-section'
import { TargetsSection } from './targets-section'

const sections: readonly { section: SettingsSection; icon: LucideIcon }[] = [
  { section: 'targets', icon: Server },
  { section: 'weaver', icon: Cloud },
  { section: 'alerts', icon: Bell },
  { section: 'appearance', icon: Palette },
  { section: 'keyboard', icon: Keyboard },
  { section: 'experimental', icon: FlaskConical },
  { section: 'about', icon: Info }
]

export function SettingsPage(props: { section: SettingsSection }) {
  const { t } = useTranslation('settings')
  return (
    <div className="grid min-h-0 flex-1 grid-cols-[184px_minmax(0,1fr)]">
      <aside className="side" aria-label={t('title')}>
        <div className="nav-h mt-3">{t('title')}</div>
        {sections.map(({ section, icon }) => (
          <button
            key={section}
            type="button"
            className={`nav-i ${section === props.section ? 'on' : ''}`}
            aria-current={section === props.section}
            onClick={() => go({ page: 'settings', section })}
            data-testid={`settings-${section}`}
          >
            <Icon of={icon} size="medium" />
            <b>{t(section)}</b>
          </button>
        ))}
      </aside>
      <Section section={props.section} />
    </div>
  )
}

function Section(props: { section: SettingsSection }) {
  const { t } = useTranslation('settings')
  switch (props.section) {
    case 'targets':
      return <TargetsSection />
    case 'weaver':
      return <WeaverSection />
    case 'alerts':
      return <AlertsSection />
    case 'appearance':
      return <AppearanceSection />
    case 'keyboard':
      return (
        <div className="overflow-auto p-4">
          <h1 className="mb-4 text-lg font-semibold">{t('keyboard')}</h1>
          <div className="max-w-[760px]">
            <KeyList />
          </div>
        </div>
      )
    case 'experimental':
      return <ExperimentalSection />
    case 'about':
      return <AboutSection />
  }
}
