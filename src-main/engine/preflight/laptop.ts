import { pass, skip, unknown, type CheckSpec, type Outcome } from './check-spec'
import { filesOf, type LaunchContext } from './launch-context'
import type { ToolAnswer } from './tools'

/** Minutes until an idle machine sleeps, as `pmset -g` (macOS) says; 0: never; null: it does not say. */
export function pmsetSleep(text: string): number | null {
  const minutes = /^\s*sleep\s+(\d+)/m.exec(text)?.[1]
  return minutes === undefined ? null : Number(minutes)
}

/** The same from GNOME: the kind of sleep on mains, and seconds. Never when it is `nothing` or 0. */
export function gnomeSleep(kind: string, seconds: string): number | null {
  const said = kind.trim().replace(/'/g, '')
  if (said === '') return null
  if (said === 'nothing') return 0
  const found = /(\d+)\s*$/.exec(seconds)?.[1]
  return found === undefined ? null : Number(found) / 60
}

export function sleepOutcome(minutes: number | null): Outcome {
  if (minutes === null)
    return unknown({
      en: 'This laptop does not say when it sleeps.',
      zh: '该笔记本未报告何时睡眠。'
    })
  if (minutes === 0)
    return pass({
      en: 'On mains it does not sleep by itself; closing the lid may still.',
      zh: '接电源时不会自动睡眠；合盖仍可能睡眠。'
    })
  return {
    verdict: 'warn',
    evidence: {
      en: `This laptop sleeps after ${Math.round(minutes)} idle minutes.`,
      zh: `该笔记本空闲 ${Math.round(minutes)} 分钟后会睡眠。`
    },
    why: {
      en: 'Training stands still while it sleeps, and requests that were open fail.',
      zh: '睡眠期间训练停止，未完成的请求会失败。'
    },
    remedy: {
      en: 'Turn sleep off on mains for the night, or run on another machine.',
      zh: '请在夜间关闭接电源时的睡眠，或换一台机器运行。'
    }
  }
}

function said(answer: ToolAnswer): string {
  return answer.kind === 'done' && answer.code === 0 ? answer.stdout : ''
}

const GNOME = 'org.gnome.settings-daemon.plugins.power'

/** Only for a stack on a laptop; what a server does at night is nobody's question. */
export const sleepSettings: CheckSpec<LaunchContext> = {
  id: 'environment/sleep',
  group: 'environment',
  title: { en: 'Sleep', zh: '睡眠设置' },
  deadline: 12_000,
  async run(context, signal) {
    if (!(await context.here()))
      return skip({ en: 'The target is another machine.', zh: '目标是另一台机器。' })
    if (process.platform === 'darwin')
      return sleepOutcome(pmsetSleep(said(await context.tool('pmset', ['-g'], signal))))
    const supplies = (await filesOf(context).list('/sys/class/power_supply')) ?? []
    if (!supplies.some(({ name }) => /^BAT/i.test(name)))
      return skip({ en: 'The machine has no battery.', zh: '该机器没有电池。' })
    const ask = async (key: string): Promise<string> =>
      said(await context.tool('gsettings', ['get', GNOME, key], signal))
    return sleepOutcome(
      gnomeSleep(await ask('sleep-inactive-ac-type'), await ask('sleep-inactive-ac-timeout'))
    )
  }
}
