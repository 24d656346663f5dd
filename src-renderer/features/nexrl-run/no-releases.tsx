import { Cloud } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import type { NexrlPipeline } from '@contract/nexrl'
import { go } from '../../state'
import { Button, EmptyReason } from '../../ui'

/** A driver publishes no releases: what it leaves are weights in the training service, or files of its own. */
export function NoReleases(props: { run: string; pipeline: NexrlPipeline }) {
  const { run, pipeline } = props
  const { t } = useTranslation('nexrl')
  const weaver = pipeline.plan.service === 'weaver'
  return (
    <EmptyReason
      className="flex-1"
      icon={Cloud}
      what={t('noReleases')}
      why={weaver ? t('noReleasesWeaver') : t('noReleasesWhy')}
      action={
        weaver ? (
          <Button onClick={() => go({ page: 'run', id: run, tab: 'weaver' })}>
            {t('toCheckpoints')}
          </Button>
        ) : undefined
      }
      data-testid="nexrl-no-releases"
    />
  )
}
