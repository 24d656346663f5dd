import type { Plan, PlannedCompose } from '../../contract/launch'
import { shellLine, shellWord } from './shell'

type Unwritten = Omit<Plan, 'shell'>

const units = [
  ['g', 1024 ** 3],
  ['m', 1024 ** 2],
  ['k', 1024]
] as const

/** Exactly so many bytes, in the largest unit of `docker run` that says it without a fraction. */
function sizeWord(bytes: number): string {
  const unit = units.find(([, size]) => bytes % size === 0)
  return unit === undefined ? `${bytes}b` : `${bytes / unit[1]}${unit[0]}`
}

function containerShell(plan: Unwritten, image: string): string {
  const words = ['docker', 'run', '-d']
  if (!plan.practice) {
    const { devices } = plan.gpus
    if (devices === null) words.push('--gpus', 'all')
    else if (devices.length > 0) words.push('--gpus', `"device=${devices.join(',')}"`)
  }
  if (plan.network === 'published') {
    for (const { port } of plan.ports) words.push('-p', `127.0.0.1:${port}:${port}`)
  } else words.push('--network', 'host')
  if (plan.user !== undefined) words.push('--user', plan.user)
  if (plan.shmBytes !== null) {
    words.push('--ipc', 'host', '--shm-size', sizeWord(plan.shmBytes))
  }
  for (const mount of plan.mounts) {
    words.push('-v', `${mount.host}:${mount.container}${mount.readOnly ? ':ro' : ''}`)
  }
  for (const { name, value } of plan.environment) {
    words.push('-e', value === null ? name : `${name}=${value}`)
  }
  return [...words, '-w', plan.cwd, image, ...plan.argv].map(shellWord).join(' ')
}

/** What starts it from its compose file; `up`, where Slipway makes the container first and starts it itself. */
function composeShell(compose: PlannedCompose): string {
  const set = Object.entries(compose.variables).map(
    ([name, value]) => `${name}=${shellWord(value)}`
  )
  const files = ['-f', compose.file, '-f', compose.override]
  const act = ['up', '-d', '--no-build', '--no-deps', compose.service]
  return [...set, shellLine([...compose.tool, ...files, ...act])].join(' ')
}

/** The plan as one line a person could type. Secrets stand in it by name. */
export function planShell(plan: Unwritten): string {
  if (plan.compose !== undefined) return composeShell(plan.compose)
  if (plan.image !== null) return containerShell(plan, plan.image)
  const set = plan.environment.flatMap(({ name, value }) =>
    value === null ? [] : [`${name}=${shellWord(value)}`]
  )
  return `cd ${shellWord(plan.cwd)} && ${[...set, shellLine(plan.argv)].join(' ')}`
}
