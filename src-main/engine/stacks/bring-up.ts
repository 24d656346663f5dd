import { userInfo } from 'node:os'
import type { Progress } from '../../contract/logs'
import { FailureError, messageOf } from '../lib'
import { type ImageStore, type StackHandle, UnreachableError } from '../targets'
import type { AttemptJournal } from './attempt-journal'
import { startSpec } from './attempt-start'
import { imageFacts } from './container-facts'
import { ImagePreparation, type Prepared } from './image-preparation'
import { withImage } from './plan'
import { neverRan } from './sentences'
import type { SupervisorOptions } from './supervisor-options'

/** What bringing up needs of the supervisor it works for. */
export interface BringUpSurroundings {
  options: SupervisorOptions
  /** Aborted when the supervisor lets go. */
  signal: AbortSignal
  inTurn: (act: () => Promise<void>) => Promise<void>
  /** The stack runs and is to be watched. */
  started: (attempt: number, handle: StackHandle) => Promise<void>
  /** The attempt ended before there was anything to watch. */
  ended: () => void
}

/** Brings an attempt's stack up: its image first where that must be made, then the stack itself. */
export class BringUp {
  private preparation: ImagePreparation | null = null
  /** Resolves when what followed the newest preparation is done. Never rejects. */
  private prepared: Promise<void> = Promise.resolve()

  constructor(private readonly around: BringUpSurroundings) {}

  /** True while an image is being made. */
  get preparing(): boolean {
    return this.preparation !== null
  }

  get progress(): readonly Progress[] {
    return this.preparation?.progress ?? []
  }

  /** Starts the attempt, after its image where that must be made first: then this returns while it is being made. */
  async begin(journal: AttemptJournal): Promise<void> {
    const { images } = this.around.options.target
    const { plan } = journal.attempt
    if (plan.image === null || !plan.practice || images === null) {
      await this.startStack(journal)
      return
    }
    let reference: string
    let there: boolean
    try {
      reference = await images.practiceReference()
      there = (await images.find(reference)) !== null
    } catch (cause) {
      // Taken up again and the engine is away: the next look for unfinished runs tries again.
      if (journal.state.kind === 'preparing' && cause instanceof UnreachableError) throw cause
      await this.couldNotStart(journal, cause)
      throw cause
    }
    journal.change(withImage(journal.attempt, reference))
    if (there) await this.startStack(journal)
    else await this.prepare(journal, images, reference)
  }

  /** Ends the preparation under way, if one is. */
  async stop(): Promise<void> {
    if (this.preparation === null) return
    const { journal } = this.preparation
    const at = this.around.options.clock.now()
    journal.change({ stopAsked: { at, deadline: at, force: false } })
    await journal.tell({
      kind: 'stop-asked',
      text: {
        en: 'Stopped while its image was being made.',
        zh: '在构建镜像期间被停止。'
      },
      data: { who: userInfo().username }
    })
    await journal.apply({
      kind: 'stop-asked',
      at,
      deadline: at,
      awaiting: { en: 'Waiting for the image build to end.', zh: '正在等待镜像构建结束。' }
    })
    await journal.write()
    this.preparation.cancel()
  }

  /** Lets go; whoever watches next begins the preparation again. */
  async dispose(): Promise<void> {
    this.preparation?.cancel()
    await this.prepared
  }

  /** The end of an attempt that was stopped before anything was started. */
  async endUnstarted(journal: AttemptJournal): Promise<void> {
    const at = this.around.options.clock.now()
    const cause = { en: 'Stopped before the stack was started.', zh: '在运行栈启动之前已停止。' }
    journal.change({ endedAt: at })
    await journal.apply({
      kind: 'exited',
      at,
      exit: { kind: 'unknown' },
      cause,
      evidence: [],
      remedy: null
    })
    await journal.write()
  }

  /** The end of an attempt whose engine died before it started anything. */
  async neverStarted(journal: AttemptJournal): Promise<void> {
    const at = this.around.options.clock.now()
    journal.change({ endedAt: at })
    await journal.apply({
      kind: 'refused',
      at,
      ...neverRan,
      evidence: []
    })
    await journal.write()
  }

  private async prepare(journal: AttemptJournal, images: ImageStore, image: string): Promise<void> {
    const { clock, onTrouble } = this.around.options
    await journal.apply({ kind: 'preparing', at: clock.now(), image })
    await journal.write()
    const preparation = new ImagePreparation(journal, images, clock)
    this.preparation = preparation
    this.prepared = preparation
      .run()
      .then((how) => this.around.inTurn(() => this.afterPreparing(journal, how)))
      .catch((cause: unknown) => {
        // Let go: whoever watches next begins the preparation again.
        if (!this.around.signal.aborted) onTrouble(cause)
      })
  }

  private async afterPreparing(journal: AttemptJournal, how: Prepared): Promise<void> {
    this.preparation = null
    // Let go while preparing: whoever watches next begins the preparation again.
    if (this.around.signal.aborted) return
    if (journal.state.kind === 'stopping') await this.endUnstarted(journal)
    else if (how.kind === 'ready') await this.startStack(journal)
    else {
      const cause = how.kind === 'failed' ? how.cause : new Error('the preparation was cancelled')
      await this.couldNotStart(journal, cause)
    }
    if (journal.attempt.endedAt !== null) this.around.ended()
  }

  private async startStack(journal: AttemptJournal): Promise<void> {
    const { store, run, clock, secret, target } = this.around.options
    const { plan, number } = journal.attempt
    const service = plan.services[0]?.name ?? 'reef'
    await journal.apply({ kind: 'starting', at: clock.now(), service })
    let handle: StackHandle
    try {
      const image = plan.image === null ? null : await imageFacts(target, plan.image)
      if (image !== null) journal.change({ image })
      await journal.write()
      handle = await target.start(await startSpec(run, journal.attempt, store.paths(run), secret))
    } catch (cause) {
      await this.couldNotStart(journal, cause)
      throw cause
    }
    journal.change({ handle })
    await journal.write()
    await this.around.started(number, handle)
  }

  private async couldNotStart(journal: AttemptJournal, cause: unknown): Promise<void> {
    const { clock } = this.around.options
    const failure = cause instanceof FailureError ? cause.failure : null
    const said = messageOf(cause)
    journal.change({ endedAt: clock.now() })
    await journal.apply({
      kind: 'refused',
      at: clock.now(),
      cause: failure?.what ?? { en: said, zh: said },
      evidence: failure?.detail === undefined ? [] : [failure.detail],
      remedy: failure?.remedy ?? null
    })
    await journal.write()
  }
}
