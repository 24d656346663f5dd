import { access, constants, realpath, stat } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { fail } from '../../lib'
import { runCommand } from '../command'

/** Oldest node the practice stack runs on. */
const OLDEST_MAJOR = 18
const DEADLINE_MS = 20_000

/** A node binary of this machine with everything it needs to run in an empty image. */
export interface MachineRuntime {
  node: string
  version: string
  /** Absolute paths as the loader asks for them. */
  libraries: string[]
  /** A statically linked busybox, or null: the image then has no shell. */
  busybox: string | null
}

/** Parses `ldd`: absolute paths of shared libraries and the loader, and the names it did not find. */
export function parseLdd(text: string): { found: string[]; missing: string[] } {
  const found = new Set<string>()
  const missing: string[] = []
  for (const line of text.split('\n')) {
    const lost = /^\s*(\S+) => not found/.exec(line)
    if (lost?.[1] !== undefined) missing.push(lost[1])
    const path = /(?:=>\s+|^\s*)(\/\S+)\s+\(0x/.exec(line)?.[1]
    if (path !== undefined) found.add(path)
  }
  return { found: [...found], missing }
}

async function onPath(name: string): Promise<string[]> {
  const files = (process.env['PATH'] ?? '').split(delimiter).map((folder) => join(folder, name))
  const usable = await Promise.all(
    files.map((file) =>
      access(file, constants.X_OK).then(
        () => file,
        () => null
      )
    )
  )
  return usable.filter((file) => file !== null)
}

async function nodeVersion(file: string): Promise<string | null> {
  const result = await runCommand(file, ['--version'], { deadlineMs: DEADLINE_MS })
  const version = result.kind === 'done' ? /^v(\d+)\.[\d.]+/.exec(result.stdout) : null
  return version !== null && Number(version[1]) >= OLDEST_MAJOR ? version[0].slice(1) : null
}

/** The app's own runtime is a browser with a hundred libraries, so inside it a node on the PATH is looked for. */
async function findNode(): Promise<{ node: string; version: string }> {
  const own = 'electron' in process.versions ? [] : [process.execPath]
  for (const file of [...own, ...(await onPath('node'))]) {
    const version = await nodeVersion(file)
    if (version !== null) return { node: await realpath(file), version }
  }
  return fail({
    code: 'practice-node-missing',
    where: 'PATH',
    what: {
      en: `The practice image is made from this computer's node, and there is none of version ${OLDEST_MAJOR} or newer.`,
      zh: `练习镜像由本机的 node 制成，但未找到 ${OLDEST_MAJOR} 或更新版本的 node。`
    },
    remedy: {
      en: 'Install Node.js, or run the practice stack as a process: that needs nothing.',
      zh: '请安装 Node.js，或以进程方式运行练习栈（无需任何安装）。'
    }
  })
}

async function findBusybox(): Promise<string | null> {
  for (const file of await onPath('busybox')) {
    const result = await runCommand('ldd', [file], { deadlineMs: DEADLINE_MS })
    if (result.kind === 'done' && parseLdd(result.stdout).found.length === 0) return realpath(file)
  }
  return null
}

/** Finds what an image FROM scratch needs on this machine. Linux only. */
export async function machineRuntime(): Promise<MachineRuntime> {
  const { node, version } = await findNode()
  const result = await runCommand('ldd', [node], { deadlineMs: DEADLINE_MS })
  const { found, missing } =
    result.kind === 'done' ? parseLdd(result.stdout) : { found: [], missing: [] }
  if (missing.length > 0)
    fail({
      code: 'practice-library-missing',
      where: node,
      what: {
        en: `This computer's node lacks shared libraries: ${missing.join(', ')}.`,
        zh: `本机的 node 缺少共享库：${missing.join('、')}。`
      },
      remedy: { en: 'Repair the installation of Node.js.', zh: '请修复 Node.js 的安装。' }
    })
  return { node, version, libraries: found, busybox: await findBusybox() }
}

/** Changes whenever the binary does, without reading its hundred megabytes. */
export async function runtimeMark(runtime: MachineRuntime): Promise<string> {
  const facts = await stat(runtime.node)
  return [runtime.version, facts.size, Math.round(facts.mtimeMs), runtime.busybox ?? ''].join(' ')
}
