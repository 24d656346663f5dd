import type { Alert } from '../../contract/alerts'
import type { Text } from '../../contract/text'
import type { Host } from '../host'
import type { SettingsStore } from '../settings'

const titles: Readonly<Record<Alert['kind'], Text>> = {
  crash: { en: 'has ended with a failure', zh: '已失败退出' },
  'unsure-end': { en: 'has ended, perhaps not by itself', zh: '已结束，可能并非自行结束' },
  companion: { en: 'has a companion that fails', zh: '有伴随命令失败' },
  queue: { en: 'does not start', zh: '无法启动' },
  quiet: { en: 'has been quiet for long', zh: '长时间没有动静' },
  disk: { en: 'is filling its disk', zh: '磁盘将满' },
  'not-finite': { en: 'reports NaN', zh: '出现 NaN' },
  'reward-collapse': { en: 'has lost its reward', zh: '奖励崩塌' },
  unhealthy: { en: 'has a metric out of its healthy range', zh: '有指标超出健康范围' }
}

/** Shows an alert as a notification of the desktop, in the person's language; a click opens the run at its step, or the queue. */
export async function notifyOf(
  host: Host,
  settings: SettingsStore,
  { run, runName, kind, text, step }: Alert
): Promise<void> {
  const { language } = settings.get()
  const chosen = language === 'system' ? (await host.info()).systemLanguage : language
  await host.notify({
    title: `${runName} ${titles[kind][chosen]}`,
    body: text[chosen],
    open:
      run === null ? { kind: 'queue' } : { kind: 'run', run, ...(step === null ? {} : { step }) }
  })
}
