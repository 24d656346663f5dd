import { fail } from '../../lib'
import { type CommandResult, runCommand } from '../command'

/** Starting an interpreter takes seconds on a busy machine. */
const DEADLINE_MS = 20_000

/** In the order of preference: the plugin of the docker command, then the older command of its own. */
const TOOLS: readonly (readonly string[])[] = [['docker', 'compose'], ['docker-compose']]

let known: string[] | null = null

/** True for the answer of a compose to `version`. A docker without the plugin answers with another exit code. Pure. */
export function isCompose(answer: CommandResult): boolean {
  return answer.kind === 'done' && answer.code === 0 && /compose/i.test(answer.stdout)
}

/**
 * The words of the compose command of this machine, looked up until one is found.
 * @throws FailureError `compose-tool-missing`
 */
export async function composeTool(): Promise<string[]> {
  if (known !== null) return known
  for (const [file = '', ...words] of TOOLS) {
    const answer = await runCommand(file, [...words, 'version'], { deadlineMs: DEADLINE_MS })
    if (!isCompose(answer)) continue
    known = [file, ...words]
    return known
  }
  return fail({
    code: 'compose-tool-missing',
    what: {
      en: 'Neither “docker compose” nor “docker-compose” works on this machine.',
      zh: '本机既没有可用的“docker compose”，也没有“docker-compose”。'
    },
    remedy: {
      en: 'Install the compose plugin of Docker, or launch without the compose file.',
      zh: '请安装 Docker 的 compose 插件，或不使用 compose 文件启动。'
    }
  })
}
