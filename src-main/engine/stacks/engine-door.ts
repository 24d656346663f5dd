import { fail } from '../lib'
import {
  type Act,
  type ActResult,
  ActServer,
  type EngineIdentity,
  type Holder,
  holderOf,
  identifyEngine,
  RunLock,
  sendAct,
  socketAddress
} from '../runs'

export type Claim = { kind: 'mine'; lock: RunLock } | { kind: 'held'; holder: Holder }

/**
 * This engine among others of the machine: takes runs' locks, sends acts to whoever holds one, and hears the acts of
 * others. It begins to listen with the first lock; an engine that only reads opens nothing.
 */
export class EngineDoor {
  private server: Promise<ActServer> | null = null

  private constructor(
    readonly me: EngineIdentity,
    private readonly perform: (act: Act) => Promise<ActResult>
  ) {}

  static async open(home: string, perform: (act: Act) => Promise<ActResult>): Promise<EngineDoor> {
    return new EngineDoor(await identifyEngine(await socketAddress(home)), perform)
  }

  holder(folder: string): Promise<Holder> {
    return holderOf(folder, this.me)
  }

  /** Tries to become the writer of a run. */
  async claim(folder: string): Promise<Claim> {
    this.server ??= ActServer.listen(this.me.socket, this.me.key, this.perform)
    await this.server
    return RunLock.take(folder, this.me)
  }

  /** Hands an act to the engine that writes the run; says why when that cannot be done. */
  forward(holder: Holder, act: Act): Promise<ActResult> {
    switch (holder.kind) {
      case 'other-process':
        return sendAct(holder.lock, act)
      case 'other-host':
        return fail({
          code: 'held-by-other-host',
          what: {
            en: `This run is written by a Slipway on another machine (${holder.lock.host.name}).`,
            zh: `该运行由另一台机器（${holder.lock.host.name}）上的 Slipway 写入。`
          },
          where: act.run,
          remedy: {
            en: `Act on it there, or end that Slipway. It is left alone here.`,
            zh: '请在那台机器上操作，或结束那里的 Slipway；此处不会改动它。'
          }
        })
      case 'nobody':
      case 'dead':
      case 'me':
      case 'unreadable':
        return fail({
          code: 'lock-not-taken',
          what: {
            en: 'The lock of this run could not be taken.',
            zh: '无法取得该运行的锁。'
          },
          where: act.run,
          remedy: {
            en: 'Another Slipway may be taking it over at this moment: try again.',
            zh: '可能有另一个 Slipway 正在接管：请重试。'
          }
        })
    }
  }

  async close(): Promise<void> {
    if (this.server !== null) await (await this.server).close()
  }
}
