import type { NexrlPlan } from '../../contract/nexrl'
import type { Exit } from '../../contract/run'
import type { Text } from '../../contract/text'
import { FailureError, messageOf } from '../lib'
import { DriverFollower, type DriverJudgement, judgeDriver, pipelineOf } from '../nexrl'
import { dueForExtension, modelOfPath } from '../weaver'
import type { AttemptEvent } from './attempt-state'
import { findLogSources } from './log-sources'
import { DRIVER } from './nexrl-plan'
import { ObservedTime } from './observed-time'
import type { Diagnosis } from './signatures'
import { LONGEST_GAP_MS, type WatchOptions } from './watch-options'

const RULE_PAUSE_MS = 15_000
/** Batches without new weights until that is worth a word: one alone is the first step's. */
const SYNCS_NOT_NEEDED = 3

type Ending = NonNullable<Extract<AttemptEvent, { kind: 'exited' }>['ending']>

/** Watches a NexRL driver by its log: no service answers for it, and its exit proves nothing. */
export class NexrlWatch {
  private readonly follower: DriverFollower
  private readonly silence = new ObservedTime(LONGEST_GAP_MS)
  private readonly kept = new Set<string>()
  /** Weights the service does not have: asked for once. */
  private readonly gone = new Set<string>()
  private ruleAt = Number.NEGATIVE_INFINITY
  private restored = false
  /** As the launch said, or as it was changed since. */
  private every: number

  constructor(
    private readonly options: WatchOptions,
    private readonly plan: NexrlPlan
  ) {
    this.follower = new DriverFollower({
      secrets: options.secrets,
      now: () => options.clock.now()
    })
    this.silence.reset(options.clock.ticks())
    this.every = plan.extendEvery
  }

  /** True when more was there than one look reads. */
  get behind(): boolean {
    return this.follower.behind
  }

  /** What stopping would cost: the service ends every model the driver made. */
  get costOfStopping(): Text | null {
    const { looping, stepsReached } = this.follower.reading
    if (!looping || stepsReached || this.plan.service === 'own') return null
    return {
      en: 'Stopping ends the model in the training service; NexRL cannot go on from it. Save a durable checkpoint first if it matters.',
      zh: '停止会结束训练服务中的模型，NexRL 无法从中继续。如有需要请先保存持久 checkpoint。'
    }
  }

  /** One look while it runs. */
  async look(): Promise<void> {
    const { clock, journal } = this.options
    await this.restore()
    await this.findFiles()
    if (await this.follower.read()) this.silence.reset(clock.ticks())
    const judgement = this.judge('yes', false)
    await this.extendByRule()
    this.see(judgement)
    await this.tellFindings()
    const at = clock.now()
    switch (judgement.verdict) {
      case 'starting':
        await journal.apply({ kind: 'starting', at, service: DRIVER })
        return
      case 'unknown':
        await this.ready(at)
        await journal.apply({ kind: 'silent', at, why: judgement.said })
        return
      case 'running':
      case 'done':
      case 'ended-early':
      case 'failed':
      case 'crashed':
        await this.ready(at)
        await journal.apply({ kind: 'progressed', at, step: journal.seen.step })
        return
    }
  }

  /** After the end: reads the rest, and says what the log makes of it. */
  async end(
    exit: Exit,
    found: Pick<Diagnosis, 'cause' | 'evidence' | 'remedy'>
  ): Promise<Pick<Diagnosis, 'cause' | 'evidence' | 'remedy'> & { ending: Ending }> {
    const { journal } = this.options
    await this.restore()
    await this.findFiles()
    do await this.follower.read(true)
    while (this.follower.behind)
    const bad =
      exit.kind === 'signal' || exit.kind === 'oom' || (exit.kind === 'code' && exit.code !== 0)
    const judgement = this.judge('no', bad)
    await this.extendByRule()
    this.see(judgement)
    await this.tellFindings()
    const { verdict, said, evidence } = judgement
    await journal.tell(
      { kind: `nexrl-${verdict}`, text: said, data: { verdict } },
      `nexrl verdict ${journal.attempt.number}`
    )
    await this.tellExpiry()
    await this.tellLeft()
    switch (verdict) {
      case 'done':
      case 'ended-early':
      case 'unknown':
        return { ...found, ending: { kind: 'ended', why: said } }
      case 'failed':
        return {
          cause: said,
          evidence: evidence === null ? found.evidence : [evidence, ...found.evidence].slice(0, 6),
          remedy: found.remedy ?? {
            en: 'Read the errors before that line; policy “continue” goes on in spite of them.',
            zh: '请查看该行之前的错误；将策略设为“continue”可忽略错误继续。'
          },
          ending: { kind: 'failed' }
        }
      case 'crashed':
      case 'starting':
      case 'running':
        return { ...found, ending: { kind: 'failed' } }
    }
  }

  /** What an earlier engine kept for good is in the run's events. */
  private async restore(): Promise<void> {
    if (this.restored) return
    const { store, run } = this.options.journal
    for (const { kind, data } of await store.events(run)) {
      const path = data?.['path']
      if (kind === 'weaver-extended' && typeof path === 'string') this.kept.add(path)
    }
    this.restored = true
  }

  private async ready(at: number): Promise<void> {
    const { journal } = this.options
    if (journal.attempt.reached) return
    await journal.tell(
      {
        kind: 'service-ready',
        text: { en: 'The training loop has begun.', zh: '训练循环已开始。' }
      },
      `ready ${journal.attempt.number} ${DRIVER}`
    )
    await journal.apply({ kind: 'ready', at })
  }

  private judge(alive: 'yes' | 'no', endedBadly: boolean): DriverJudgement {
    const { clock } = this.options
    return judgeDriver(this.follower.reading, {
      alive,
      endedBadly,
      silentMs: this.silence.look(clock.ticks()),
      heartbeatMs: this.plan.heartbeat * 1000
    })
  }

  private see(judgement: DriverJudgement): void {
    const { journal, clock } = this.options
    const { reading } = this.follower
    const plan = { ...this.plan, extendEvery: this.every }
    const nexrl = pipelineOf(plan, reading, judgement, this.kept)
    const up = reading.looping
    const { trainer, pool, rewards, loader, sync } = nexrl
    journal.see({
      nexrl,
      step: trainer.steps,
      served: sync.version === null ? null : `v${sync.version}`,
      stages: {
        served: pool.finished ?? 0,
        reported: rewards.groups,
        batchHave: loader.done,
        batchNeed: loader.of,
        released: nexrl.exportedCount
      },
      services: [
        {
          name: DRIVER,
          state: up ? 'ready' : 'starting',
          since: journal.seen.services[0]?.since ?? clock.now(),
          readiness: judgement.said,
          url: null
        }
      ]
    })
  }

  private async findFiles(): Promise<void> {
    const { journal, handle, target, clock } = this.options
    const { attempt, store, run } = journal
    const sources = await findLogSources({
      files: target.files,
      runDir: attempt.runDir,
      handle,
      attempt: attempt.number,
      attemptFolder: store.paths(run).attempt(attempt.number),
      nexrl: true,
      clock
    })
    this.follower.setFiles(sources.filter(({ role }) => role === 'service'))
  }

  /** What a person should know while it runs, each once. */
  private async tellFindings(): Promise<void> {
    const { journal } = this.options
    const { reading, clear } = this.follower
    const { number } = journal.attempt
    for (const { name, line, file } of clear.values()) {
      await journal.tell(
        {
          kind: 'secret-in-clear',
          text: {
            en: `NexRL wrote ${name} in clear text: line ${line} of ${file}, and train_config_resolved.yaml. Slipway shows neither; rotate the key if anybody else can read these files or the run in Weights & Biases.`,
            zh: `NexRL 以明文写入了 ${name}：${file} 第 ${line} 行，以及 train_config_resolved.yaml。Slipway 不会显示；若他人可读取这些文件或 Weights & Biases 中的运行，请更换该密钥。`
          },
          data: { name, line, file, severity: 'warning' }
        },
        `clear ${number} ${name}`
      )
    }
    if (reading.skipped > 0) {
      await journal.tell(
        {
          kind: 'nexrl-step-skipped',
          text: {
            en: 'A step had nothing to learn from (all rewards of every group equal): its weights did not change.',
            zh: '有一步无可学习内容（各组奖励全部相同）：权重未更新。'
          },
          data: { severity: 'warning' }
        },
        `skipped ${number}`
      )
    }
    if (reading.version === null && reading.syncsNotNeeded >= SYNCS_NOT_NEEDED) {
      await journal.tell(
        {
          kind: 'nexrl-never-synced',
          text: {
            en: `The rollouts still use the first weights: sync mode “${this.plan.syncMode}” has not sent any.`,
            zh: `rollout 仍在使用最初的权重：同步模式“${this.plan.syncMode}”从未发送新权重。`
          },
          data: { severity: 'warning' }
        },
        `never synced ${number}`
      )
    }
    if (reading.restarts > 0) {
      await journal.tell(
        {
          kind: 'nexrl-restarted',
          text: {
            en: 'The driver began again from step 0 with a new model: what it had learnt before is not in it.',
            zh: '驱动以新模型从第 0 步重新开始：此前所学不在其中。'
          },
          data: { severity: 'warning' }
        },
        `restarted ${number} ${reading.restarts}`
      )
    }
  }

  private async tellExpiry(): Promise<void> {
    const { journal } = this.options
    const last = journal.seen.nexrl?.exported.at(-1)
    const at = last?.expiresAt ?? null
    if (last === undefined || at === null) return
    const stamp = new Date(at).toISOString()
    await journal.tell(
      {
        kind: 'weights-expire',
        text: {
          en: `The last weights (${last.path}) expire about ${stamp}, unless their life is extended.`,
          zh: `最后的权重（${last.path}）约于 ${stamp} 失效，除非延长其有效期。`
        },
        data: { path: last.path, expiresAt: at, severity: 'warning' }
      },
      `expire ${journal.attempt.number}`
    )
  }

  private async tellLeft(): Promise<void> {
    const { leftInCluster } = this.follower.reading
    if (leftInCluster === null) return
    const { journal } = this.options
    await journal.tell(
      {
        kind: 'nexrl-cluster-left',
        text: {
          en: `What this launch made is still in the cluster and may hold GPUs: ${leftInCluster}`,
          zh: `本次启动创建的资源仍在集群中，可能占用 GPU：${leftInCluster}`
        },
        data: { severity: 'warning' }
      },
      `cluster left ${journal.attempt.number}`
    )
  }

  /** The rule “extend every N steps”. A refusal is said once for each checkpoint and tried again. */
  private async extendByRule(): Promise<void> {
    const { clock, journal, weaver } = this.options
    const { extendEvery } = await journal.store.read(journal.run)
    this.every = extendEvery ?? this.plan.extendEvery
    const { exported } = this.follower.reading
    const done = new Set([...this.kept, ...this.gone])
    const due = dueForExtension(exported, this.every, done, clock.now())
    if (due.length === 0 || clock.ticks() - this.ruleAt < RULE_PAUSE_MS) return
    for (const { path, step } of due) {
      const model = modelOfPath(path)
      if (model === null) continue
      try {
        const client = await weaver()
        if (client === null) throw new Error('there is no key for Weaver')
        await client.extend(model, path, null)
        this.kept.add(path)
        await journal.tell(
          {
            kind: 'weaver-extended',
            text: {
              en: `Kept for good by the rule “every ${this.every} steps”: ${path}.`,
              zh: `按规则“每 ${this.every} 步”永久保留：${path}。`
            },
            ...(step === null ? {} : { step }),
            data: { path }
          },
          `extended ${path}`
        )
      } catch (cause) {
        const failure = cause instanceof FailureError ? cause.failure : null
        const what = failure?.what ?? both(messageOf(cause))
        const missing = failure?.code === 'weaver-not-found'
        await journal.tell(
          {
            kind: 'weaver-extend-failed',
            text: {
              en: `${path} could not be kept: ${what.en}${missing ? '' : ' It is tried again until it expires.'}`,
              zh: `无法保留 ${path}：${what.zh}${missing ? '' : '在其失效前会继续重试。'}`
            },
            data: { path, severity: 'warning' }
          },
          `extend failed ${path}`
        )
        if (missing) {
          this.gone.add(path)
          continue
        }
        this.ruleAt = clock.ticks()
        return
      }
    }
  }
}

function both(said: string): Text {
  return { en: said, zh: said }
}
