import { os } from './guard'
import type { Services } from './services'

export function talkHandlers({ talk }: Services) {
  return {
    doorway: os.talk.doorway.handler(({ input }) => talk.doorway(input.run)),
    ask: os.talk.ask.handler(({ input, signal }) => talk.ask(input, signal)),
    report: os.talk.report.handler(({ input }) => talk.report(input)),
    records: os.talk.records.handler(({ input }) => talk.records(input)),
    firstWords: os.talk.firstWords.handler(({ input }) => talk.firstWords(input)),
    kept: os.talk.kept.handler(({ input }) => talk.kept(input.run)),
    conversation: os.talk.conversation.handler(({ input }) => talk.conversation(input)),
    feedback: os.talk.feedback.handler(({ input }) => talk.feedback(input)),
    watch: os.talk.watch.handler(({ input, signal }) => talk.watch(input, signal)),
    scenarios: os.talk.scenarios.handler(({ input }) => talk.scenarios(input.run)),
    createScenario: os.talk.createScenario.handler(({ input }) => talk.createScenario(input)),
    setMode: os.talk.setMode.handler(async ({ input }) => {
      await talk.setMode(input)
      return {}
    }),
    retireScenario: os.talk.retireScenario.handler(async ({ input }) => ({
      archived: await talk.retireScenario(input)
    }))
  }
}
