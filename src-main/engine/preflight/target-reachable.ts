import { pass, type CheckSpec } from './check-spec'
import type { LaunchContext } from './launch-context'

/** Whether the chosen place answers at all. */
export const targetReachable: CheckSpec<LaunchContext> = {
  id: 'docker/target',
  group: 'docker',
  title: { en: 'Target', zh: '目标' },
  deadline: 10_000,
  async run(context) {
    const status = await context.status()
    const name = status.spec.name
    const engine = [status.engine, status.version].filter((part) => part !== null).join(' ')
    if (status.reachable === 'yes')
      return pass({
        en: engine === '' ? `${name} answers.` : `${name} answers: ${engine}.`,
        zh: engine === '' ? `${name} 可用。` : `${name} 可用：${engine}。`
      })
    const why = status.why ?? { en: 'It does not answer.', zh: '没有应答。' }
    return {
      verdict: status.reachable === 'no' ? 'fail' : 'unknown',
      evidence: why,
      ...(status.advice === undefined ? {} : { remedy: status.advice }),
      ...(status.remedy === null ? {} : { command: status.remedy })
    }
  }
}
