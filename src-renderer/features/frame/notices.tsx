import { useQuery } from '@tanstack/react-query'
import { useTranslation } from 'react-i18next'
import { hostQuery } from '../../api/queries'
import { connection } from '../../state'
import { Banner } from '../../ui'

/** What holds for the whole window: small, and there as long as it is true. */
export function Notices() {
  const { t } = useTranslation('frame')
  const host = useQuery(hostQuery).data
  const status = connection((store) => store.status)
  const about = [
    host?.oldRuntime === true ? t('oldRuntime') : '',
    host?.noSandbox === true ? t('noSandbox') : ''
  ].filter((line) => line !== '')
  return (
    <div className="notices">
      {status === 'lost' ? (
        <Banner tone="warn" data-testid="engine-lost">
          {t('engineLost')}
        </Banner>
      ) : null}
      {about.length === 0 ? null : (
        <Banner tone="warn" data-testid="host-notice">
          {about.join(' ')}
        </Banner>
      )}
    </div>
  )
}
