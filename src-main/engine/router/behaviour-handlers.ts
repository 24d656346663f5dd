import { os } from './guard'
import type { Services } from './services'

export function behaviourHandlers({ trials }: Services) {
  return {
    promptSets: os.behaviour.promptSets.handler(() => trials.promptSets()),
    savePromptSet: os.behaviour.savePromptSet.handler(({ input }) => trials.savePromptSet(input)),
    removePromptSet: os.behaviour.removePromptSet.handler(async ({ input }) => {
      await trials.removePromptSet(input.id)
      return {}
    }),
    recordedPrompts: os.behaviour.recordedPrompts.handler(({ input }) =>
      trials.recordedPrompts(input)
    ),
    trials: os.behaviour.trials.handler(() => trials.list()),
    trial: os.behaviour.trial.handler(({ input }) => trials.read(input.id)),
    make: os.behaviour.make.handler(({ input }) => trials.make(input)),
    collect: os.behaviour.collect.handler(({ input, signal }) => trials.collect(input.id, signal)),
    judge: os.behaviour.judge.handler(({ input }) => trials.judge(input)),
    report: os.behaviour.report.handler(({ input }) => trials.report(input.id)),
    removeTrial: os.behaviour.removeTrial.handler(async ({ input }) => {
      await trials.remove(input.id)
      return {}
    })
  }
}
