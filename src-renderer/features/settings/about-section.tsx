import { useQuery } from '@tanstack/react-query'
import { Folder } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { engine } from '../../api/client'
import { hostQuery } from '../../api/queries'
import { Button, KeyValues, Panel, Skeleton } from '../../ui'

export function AboutSection() {
  const { t } = useTranslation(['settings', 'frame'])
  const host = useQuery(hostQuery).data
  if (host === undefined) return <Skeleton className="m-4 h-24" />
  const notices = [
    host.oldRuntime ? t('frame:oldRuntime') : '',
    host.noSandbox ? t('frame:noSandbox') : ''
  ].filter((line) => line !== '')
  return (
    <div className="overflow-auto p-4">
      <h1 className="mb-4 text-lg font-semibold">{t('settings:about')}</h1>
      <Panel
        className="max-w-[760px]"
        title={`Slipway ${host.version}`}
        sub={t('settings:aboutText')}
      >
        <div className="px-3 pb-3">
          <KeyValues
            rows={[
              [t('settings:platform'), host.platform],
              [
                t('settings:home'),
                <span key="home" className="flex items-center gap-2">
                  <span className="mono">{host.home}</span>
                  <Button
                    size="small"
                    icon={Folder}
                    onClick={() => void engine.host.reveal({ path: host.home })}
                  >
                    {t('settings:showFolder')}
                  </Button>
                </span>
              ],
              [t('settings:notices'), notices.join(' ') || t('settings:noNotices')]
            ]}
          />
        </div>
      </Panel>
    </div>
  )
}
