import { useQuery } from '@tanstack/react-query'
import { ChevronRight, Minus, Search, Square, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { hostQuery } from '../../api/queries'
import { layout } from '../../state'
import { Icon, Kbd } from '../../ui'
import { useCrumbs, type Crumb } from './use-crumbs'

/** Mark, where one is, the way to everything, and the window's own buttons. */
export function TitleBar() {
  const { t } = useTranslation('frame')
  const crumbs = useCrumbs()
  const platform = useQuery(hostQuery).data?.platform
  return (
    <header className="title">
      <div className={`flex min-w-0 items-center ${platform === 'darwin' ? 'pl-18' : ''}`}>
        <span className="mark">
          <Mark />
        </span>
        <nav className="crumb" aria-label={t('main')}>
          {crumbs.map((crumb, i) => (
            <CrumbPart key={crumb.label} crumb={crumb} first={i === 0} />
          ))}
        </nav>
      </div>
      <button
        type="button"
        className="cmdk"
        onClick={() => layout.getState().setPalette(true)}
        data-testid="open-palette"
      >
        <Icon of={Search} size="medium" />
        <span className="el flex-1">{t('search')}</span>
        <Kbd keys="Mod+K" />
      </button>
      {platform === 'darwin' ? <span /> : <WindowButtons />}
    </header>
  )
}

function Mark() {
  return (
    <svg width="18" height="18" viewBox="0 0 18 18" fill="none" aria-hidden="true">
      <path d="M1.5 15.5 16.5 11" stroke="var(--text-2)" strokeWidth="1.75" strokeLinecap="round" />
      <path
        d="M3.2 6.4 14.6 3l-1.9 5.6a2 2 0 0 1-1.3 1.3l-4.9 1.45a2 2 0 0 1-2.1-.7Z"
        fill="var(--text)"
      />
    </svg>
  )
}

function CrumbPart(props: { crumb: Crumb; first: boolean }) {
  const { crumb } = props
  return (
    <>
      {props.first ? null : <Icon of={ChevronRight} size="small" />}
      {crumb.go === undefined ? (
        <b className="el" data-testid="crumb-here">
          {crumb.label}
        </b>
      ) : (
        <button type="button" className="el" onClick={crumb.go}>
          {crumb.label}
        </button>
      )}
    </>
  )
}

function WindowButtons() {
  const { t } = useTranslation('frame')
  const act = (what: 'minimize' | 'maximize' | 'close') => (): void => {
    void engine.host.window({ act: what })
  }
  return (
    <div className="win">
      <button type="button" aria-label={t('minimize')} onClick={act('minimize')}>
        <Icon of={Minus} size="medium" />
      </button>
      <button type="button" aria-label={t('maximize')} onClick={act('maximize')}>
        <Icon of={Square} size="small" />
      </button>
      <button type="button" aria-label={t('closeWindow')} onClick={act('close')}>
        <Icon of={X} size="medium" />
      </button>
    </div>
  )
}
