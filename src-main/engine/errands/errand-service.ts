import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import type { CheckoutFacts, Errand, ErrandRequest, ErrandView } from '../../contract/errands'
import { Changes, type Clock, fail, FailureError, messageOf } from '../lib'
import { shellLine } from '../stacks'
import { buildStep, dockerWords, type Target } from '../targets'
import { buildArgv, checkBuild, type BuildRequest } from './build-command'
import { lookAtCheckout } from './checkout'
import {
  checkAddress,
  checkPlace,
  cloneArgv,
  type CloneRequest,
  gitEnvironment,
  largeFilesArgv
} from './clone-command'
import { ErrandLog } from './errand-log'
import { forgetErrand, keepErrand, takeCutErrands } from './errand-record'
import { buildDone, cloneDone, ended } from './outcome'
import { watchCommand } from './watched-command'

export interface ErrandOptions {
  home: string
  clock: Clock
  environment: NodeJS.ProcessEnv
  target: (id: string) => Promise<Target>
}

/** At most so often a log is shown anew, in milliseconds. */
const DRAW_MS = 100

interface Running {
  errand: Errand
  log: ErrandLog
  aborter: AbortController
  done: Promise<void>
}

type State = Errand['state']

const cutOff = {
  code: 'errand-cut',
  what: {
    en: 'Slipway ended while this was under way, and it with it.',
    zh: '此项进行期间 Slipway 退出，因而中断。'
  },
  remedy: {
    en: 'Begin it again; a build goes on from the steps that the engine has kept, a clone wants an empty folder.',
    zh: '请重新开始；构建会从引擎已保留的步骤继续，克隆则需要空文件夹。'
  }
}

/** Image builds and clones that a person asked for: one command after the other, with a log, until done or called off. */
export class ErrandService {
  private readonly changes = new Changes()
  private readonly all: Running[] = []
  /** The engine ends: what is called off now was not called off by a person. */
  private leaving = false

  constructor(private readonly options: ErrandOptions) {}

  /** Finds what was under way when Slipway ended, and shows it as cut off. For an engine that stays. */
  async recall(): Promise<void> {
    for (const { errand, said } of await takeCutErrands(this.options.home)) {
      this.all.unshift({
        errand: {
          ...errand,
          state: { kind: 'failed', failure: cutOff },
          endedAt: this.options.clock.now()
        },
        log: ErrandLog.of(errand.log, said),
        aborter: new AbortController(),
        done: Promise.resolve()
      })
    }
    this.changes.mark()
  }

  checkout(folder: string): Promise<CheckoutFacts> {
    return lookAtCheckout(folder)
  }

  /** Checks the request and begins. FailureError when it can never work. */
  async start(request: ErrandRequest): Promise<string> {
    if (request.kind === 'build') return this.startBuild(request)
    checkAddress(request.address)
    await checkPlace(request.folder)
    return this.begin(request, cloneArgv(request), (running) => this.clone(request, running))
  }

  /** Newest first. */
  get list(): Errand[] {
    return this.all.map(({ errand }) => errand).reverse()
  }

  async *watch(signal?: AbortSignal): AsyncGenerator<{ errands: Errand[] }, void, undefined> {
    let shown = ''
    for await (const _ of this.changes.watch(DRAW_MS, signal)) {
      void _
      const errands = this.list
      const now = JSON.stringify(errands)
      if (now === shown) continue
      shown = now
      yield { errands }
    }
  }

  /** One errand until it has ended. */
  async *follow(id: string, signal?: AbortSignal): AsyncGenerator<ErrandView, void, undefined> {
    const running = this.find(id)
    for await (const _ of this.changes.watch(DRAW_MS, signal)) {
      void _
      yield { ...running.errand, ...running.log.tail }
      if (running.errand.endedAt !== null) return
    }
  }

  /** Calls it off; resolves when its command is gone. */
  async cancel(id: string): Promise<void> {
    const running = this.find(id)
    running.aborter.abort()
    await running.done
  }

  /** Calls everything off: nothing of it outlives the engine. */
  async dispose(): Promise<void> {
    this.leaving = true
    for (const { aborter } of this.all) aborter.abort()
    await Promise.all(this.all.map(({ done }) => done))
  }

  private find(id: string): Running {
    return (
      this.all.find(({ errand }) => errand.id === id) ??
      fail({
        code: 'errand-unknown',
        where: id,
        what: {
          en: 'There is no such build or clone in this session of Slipway.',
          zh: '本次 Slipway 会话中没有该构建或克隆。'
        }
      })
    )
  }

  private async startBuild(request: BuildRequest): Promise<string> {
    const target = await this.options.target(request.target)
    const { spec } = target
    if (spec.kind !== 'docker') {
      return fail({
        code: 'no-images',
        where: spec.name,
        what: {
          en: 'Nothing runs from images on this target.',
          zh: '此目标不使用镜像运行。'
        },
        remedy: { en: 'Choose a container engine.', zh: '请选择一个容器引擎。' }
      })
    }
    checkBuild(request, await lookAtCheckout(request.checkout))
    return this.begin(request, buildArgv(request, dockerWords(spec.via)), (running) =>
      this.build(request, target, running)
    )
  }

  private async begin(
    request: ErrandRequest,
    argv: readonly string[],
    work: (running: Running) => Promise<State>
  ): Promise<string> {
    const { clock, home } = this.options
    const id = `${request.kind}-${clock.now().toString(36)}-${randomBytes(3).toString('hex')}`
    const log = await ErrandLog.open(join(home, 'errands', `${id}.log`))
    const running: Running = {
      errand: {
        id,
        request,
        command: shellLine(argv),
        state: { kind: 'running' },
        startedAt: clock.now(),
        endedAt: null,
        step: null,
        log: log.path
      },
      log,
      aborter: new AbortController(),
      done: Promise.resolve()
    }
    await keepErrand(running.errand)
    this.all.push(running)
    this.changes.mark()
    running.done = this.finish(running, work(running))
    return id
  }

  /** Never rejects. */
  private async finish(running: Running, work: Promise<State>): Promise<void> {
    let state: State
    try {
      state = await work
    } catch (cause) {
      if (!(cause instanceof FailureError)) console.error(cause)
      const unexpected = {
        code: 'errand-failed',
        what: { en: 'Something in Slipway itself went wrong.', zh: 'Slipway 内部出现意外错误。' },
        detail: messageOf(cause)
      }
      state = {
        kind: 'failed',
        failure: cause instanceof FailureError ? cause.failure : unexpected
      }
    }
    await running.log.close()
    // One that Slipway's own end cuts is told of when it is opened next.
    if (!(this.leaving && state.kind === 'cancelled')) await forgetErrand(running.errand)
    running.errand = { ...running.errand, state, endedAt: this.options.clock.now() }
    this.changes.mark()
  }

  /** Runs one command of an errand; null when it went well, else how the errand ended. */
  private async command(
    running: Running,
    argv: readonly string[],
    environment: NodeJS.ProcessEnv
  ): Promise<State | null> {
    running.log.add(`$ ${shellLine(argv)}`)
    const end = await watchCommand(argv, {
      environment,
      signal: running.aborter.signal,
      line: (text) => {
        running.log.add(text)
        const step = buildStep(text)
        if (step !== null) running.errand = { ...running.errand, step }
        this.changes.mark()
      }
    })
    return ended(end, argv, running.log.tail.lines)
  }

  private async build(request: BuildRequest, target: Target, running: Running): Promise<State> {
    const argv = buildArgv(
      request,
      target.spec.kind === 'docker' ? dockerWords(target.spec.via) : []
    )
    // Plain lines, as there is no terminal to draw on; the classic builder does not know the name and needs none.
    const environment = { ...this.options.environment, BUILDKIT_PROGRESS: 'plain' }
    const wrong = await this.command(running, argv, environment)
    if (wrong !== null) return wrong
    return buildDone(request.reference, (await target.images?.find(request.reference)) ?? null)
  }

  private async clone(request: CloneRequest, running: Running): Promise<State> {
    const environment = gitEnvironment(this.options.environment)
    const wrong = await this.command(running, cloneArgv(request), environment)
    if (wrong !== null) return wrong
    const pulled = request.largeFiles
      ? await this.command(running, largeFilesArgv(request), environment)
      : null
    if (pulled?.kind === 'cancelled') return pulled
    return cloneDone(await lookAtCheckout(request.folder), pulled !== null)
  }
}
