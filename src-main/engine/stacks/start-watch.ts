import { tellAftermath } from './after-stop'
import type { LogWatch } from './log-watch'
import { ObservedTime } from './observed-time'
import { lookAtGates } from './readiness'
import { servicePort } from './service-port'
import type { ReefClient, ReefStatus } from './reef-client'
import { COPY_PATIENCE_MS, LONGEST_GAP_MS, type WatchOptions } from './watch-options'

/** Watches a stack come up, service by service, each with its own deadline. */
export class StartWatch {
  private readonly waited = new ObservedTime(LONGEST_GAP_MS)
  private awaited: string | null = null

  constructor(
    private readonly options: WatchOptions,
    private readonly client: ReefClient,
    private readonly logs: LogWatch
  ) {}

  /** One look; the status when everything has become ready, else null. */
  async look(): Promise<ReefStatus | null> {
    const { journal, clock, target, handle } = this.options
    const { attempt, seen } = journal
    const listening = await target.listening(handle, servicePort(attempt))
    const gates = await lookAtGates({
      planned: attempt.plan.services,
      files: target.files,
      runDir: attempt.runDir,
      client: this.client,
      listening,
      now: clock.now(),
      before: seen.services
    })
    journal.see({ services: gates.services })
    for (const service of gates.services.filter((one) => one.state === 'ready')) {
      await journal.tell(
        {
          kind: 'service-ready',
          text: { en: `${service.name} is ready.`, zh: `${service.name} 已就绪。` }
        },
        `ready ${attempt.number} ${service.name}`
      )
    }
    if (gates.waiting === null) {
      await journal.apply({ kind: 'ready', at: clock.now() })
      return gates.status
    }
    await journal.apply({ kind: 'starting', at: clock.now(), service: gates.waiting })
    await this.judgeDeadline(gates.waiting)
    return null
  }

  /** Counts the time a service is waited for, and gives the attempt up when it is over. */
  async judgeDeadline(service: string): Promise<void> {
    const { journal, clock } = this.options
    if (service !== this.awaited) {
      this.awaited = service
      this.waited.reset(clock.ticks())
    }
    const planned = journal.attempt.plan.services.find((one) => one.name === service)
    if (planned === undefined) return
    if (this.waited.look(clock.ticks()) >= planned.deadline * 1000) {
      await this.giveUp(service, planned.deadline)
    }
  }

  private async giveUp(service: string, deadline: number): Promise<void> {
    const { journal, clock, target, handle, companions } = this.options
    // What never became ready must not be left behind running.
    await target.kill(handle)
    await this.logs.copied(COPY_PATIENCE_MS)
    await this.logs.sweep()
    const { evidence } = await this.logs.diagnosis({ kind: 'unknown' })
    const why = journal.seen.services.find((one) => one.name === service)?.readiness
    await companions.end()
    await target.remove(handle)
    await tellAftermath(this.options)
    journal.change({ endedAt: clock.now() })
    await journal.apply({
      kind: 'refused',
      at: clock.now(),
      cause: {
        en: `${service} did not become ready within ${deadline} s. ${why?.en ?? ''}`.trim(),
        zh: `${service} 未能在 ${deadline} 秒内就绪。${why?.zh ?? ''}`.trim()
      },
      evidence,
      remedy: { en: 'Read that service’s log.', zh: '请查看该服务的日志。' }
    })
  }
}
