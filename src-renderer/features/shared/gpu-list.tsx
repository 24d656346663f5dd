import { useTranslation } from 'react-i18next'
import type { Gpu } from '@contract/targets'
import { formatBytes } from '../../i18n'
import { Meter } from '../../ui'

/** GPUs one below the other: how busy they are and how much of their memory is taken. */
export function GpuList(props: { gpus: readonly Gpu[] }) {
  const { t } = useTranslation('settings')
  return (
    <>
      {props.gpus.map((gpu) => (
        <div key={gpu.index} className="num border-b border-line-1 py-2 last:border-b-0">
          <div className="flex gap-2">
            <span className="font-medium">GPU {gpu.index}</span>
            <span className="t2 el">{gpu.name}</span>
            <span className="ml-auto">
              {gpu.utilisation === null ? '' : t('inUsePercent', { n: gpu.utilisation })}
            </span>
          </div>
          <div className="mt-1 flex items-center gap-3">
            <Meter
              className="flex-1"
              share={gpu.memoryBytes === 0 ? null : gpu.usedBytes / gpu.memoryBytes}
              label={t('memory')}
            />
            <span className="t2">
              {formatBytes(gpu.usedBytes)} / {formatBytes(gpu.memoryBytes)}
            </span>
          </div>
        </div>
      ))}
    </>
  )
}
