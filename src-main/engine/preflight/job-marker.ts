import { posix } from 'node:path'
import { restartVerdict, type RestartVerdict } from '../stacks'
import { offeredCopy } from './copy-offer'
import { pass, skip, type CheckSpec, type Outcome } from './check-spec'
import { filesOf, hostPath, option, type LaunchContext } from './launch-context'

const MARKER_BYTES = 1 << 20

/** What the marker left on disk means for this launch. */
export function markerOutcome(verdict: RestartVerdict): Outcome {
  switch (verdict.kind) {
    case 'fine':
      return pass({
        en: 'No unfinished training job was left behind.',
        zh: '没有未完成的遗留训练任务。'
      })
    case 'doubtful':
      return { verdict: 'warn', evidence: verdict.why }
    case 'refused':
      return { verdict: 'fail', evidence: verdict.why, remedy: verdict.remedy }
  }
}

export const jobMarker: CheckSpec<LaunchContext> = {
  id: 'state/job-marker',
  group: 'state',
  title: { en: 'Training job left behind', zh: '遗留的训练任务' },
  deadline: 12_000,
  async run(context) {
    const template = option(context, 'save-hf')
    if (template === undefined)
      return skip({ en: 'The recipe saves no checkpoints.', zh: '该配方不保存 checkpoint。' })
    const folder = hostPath(context, posix.dirname(template))
    if (folder === null)
      return skip({
        en: 'The checkpoint folder is inside the container and starts empty.',
        zh: 'checkpoint 目录在容器内部，启动时为空。'
      })
    const marker = posix.join(folder, '.reef-latest-job.json')
    const bytes = await filesOf(context).read(marker, 0, MARKER_BYTES)
    const outcome = markerOutcome(
      restartVerdict(bytes === null ? null : new TextDecoder().decode(bytes))
    )
    if (outcome.verdict === 'pass') return outcome
    return offeredCopy(context, outcome)
  }
}
