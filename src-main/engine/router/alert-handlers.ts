import type { Alert } from '../../contract/alerts'
import { os } from './guard'
import type { Services } from './services'

export function alertHandlers({ alerts, webhook, clock }: Services) {
  return {
    watch: os.alerts.watch.handler(({ signal }) => alerts.watch(signal)),
    see: os.alerts.see.handler(async () => {
      await alerts.see()
      return {}
    }),
    webhook: os.alerts.webhook.handler(() => webhook.status()),
    setWebhook: os.alerts.setWebhook.handler(({ input }) => webhook.setAddress(input.address)),
    tryWebhook: os.alerts.tryWebhook.handler(async () => {
      await webhook.send(sample(clock.now()))
      return webhook.status()
    })
  }
}

function sample(at: number): Alert {
  return {
    id: 'sample',
    at,
    run: 'sample',
    runName: 'Slipway',
    kind: 'quiet',
    step: null,
    text: {
      en: 'This is a sample: alerts of your runs come like this.',
      zh: '这是一条示例：运行的提醒会以此形式发来。'
    }
  }
}
