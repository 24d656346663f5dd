import { createHash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { readdir, readFile, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import type { Pack } from 'tar-stream'
import { runCommand } from '../command'
import { runtimeMark, type MachineRuntime } from './machine-runtime'

/** Where the practice stack lives in its image. */
export const PRACTICE_COMMAND: readonly string[] = ['node', '/opt/practice/main.mjs']

/** One file of the stack: its path below the stack's folder, and where it is on this machine. */
interface StackFile {
  name: string
  source: string
}

/** What the image will be made of, known before anything is sent. */
export interface PracticeRecipe {
  /** `slipway-practice:<digest>`: the same ingredients give the same name. */
  reference: string
  dockerfile: string
  files: StackFile[]
  /** Null for an engine of another system or processor, which fetches its own node. */
  runtime: MachineRuntime | null
}

async function filesBelow(folder: string, prefix: string): Promise<StackFile[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const nested = await Promise.all(
    entries.map((entry) => {
      const source = join(folder, entry.name)
      const name = `${prefix}${entry.name}`
      if (entry.isDirectory()) return filesBelow(source, `${name}/`)
      return Promise.resolve(entry.isFile() ? [{ name, source }] : [])
    })
  )
  return nested.flat()
}

/** The stack and the one package it needs, found as Node itself would find it from there. */
async function stackFiles(resources: string): Promise<StackFile[]> {
  const stack = join(resources, 'practice-stack')
  const yaml = dirname(createRequire(join(stack, 'main.mjs')).resolve('yaml/package.json'))
  const files = await Promise.all([
    filesBelow(stack, ''),
    filesBelow(join(yaml, 'dist'), 'node_modules/yaml/dist/')
  ])
  const manifest = { name: 'node_modules/yaml/package.json', source: join(yaml, 'package.json') }
  return [...files.flat(), manifest].sort((a, b) => (a.name < b.name ? -1 : 1))
}

/** Decides what the practice image is made of. `runtime` null: for an engine that must fetch its own node. */
export async function practiceRecipe(
  resources: string,
  runtime: MachineRuntime | null
): Promise<PracticeRecipe> {
  const kind = runtime === null ? 'node' : 'scratch'
  const dockerfile = await readFile(join(resources, 'practice-image', `${kind}.Dockerfile`), 'utf8')
  const files = await stackFiles(resources)
  const hash = createHash('sha256').update(dockerfile)
  if (runtime !== null) hash.update(await runtimeMark(runtime))
  for (const { name, source } of files) hash.update(name).update(await readFile(source))
  const reference = `slipway-practice:${hash.digest('hex').slice(0, 12)}`
  return { reference, dockerfile, files, runtime }
}

async function addFile(archive: Pack, name: string, source: string, mode: number): Promise<void> {
  const { size } = await stat(source)
  // A fixed time, so that the engine's build cache knows the same ingredients again.
  const entry = archive.entry({ name, size, mode, mtime: new Date(0) })
  await pipeline(createReadStream(source), entry)
}

async function addRuntime(archive: Pack, runtime: MachineRuntime): Promise<void> {
  const folder = (name: string, mode: number): void => {
    archive.entry({ name: `rootfs/${name}`, type: 'directory', mode, mtime: new Date(0) })
  }
  const text = (name: string, content: string): void => {
    archive.entry({ name: `rootfs/${name}`, mtime: new Date(0) }, content)
  }
  folder('tmp', 0o1777)
  folder('root', 0o700)
  text('etc/passwd', 'root:x:0:0:root:/root:/bin/sh\n')
  text('etc/group', 'root:x:0:\n')
  await addFile(archive, 'rootfs/usr/local/bin/node', runtime.node, 0o755)
  for (const path of runtime.libraries) await addFile(archive, `rootfs${path}`, path, 0o755)
  if (runtime.busybox === null) return
  await addFile(archive, 'rootfs/bin/busybox', runtime.busybox, 0o755)
  const tools = await runCommand(runtime.busybox, ['--list'], { deadlineMs: 10_000 })
  const names = tools.kind === 'done' ? tools.stdout.split('\n') : []
  for (const name of names) {
    if (name === '' || name === 'busybox') continue
    archive.entry({
      name: `rootfs/bin/${name}`,
      type: 'symlink',
      linkname: 'busybox',
      mtime: new Date(0)
    })
  }
}

/** Writes the build context into `archive` and finishes it. A failure destroys the archive, which ends the build. */
export async function writePracticeContext(archive: Pack, recipe: PracticeRecipe): Promise<void> {
  try {
    archive.entry({ name: 'Dockerfile' }, recipe.dockerfile)
    for (const { name, source } of recipe.files)
      await addFile(archive, `stack/${name}`, source, 0o644)
    if (recipe.runtime !== null) await addRuntime(archive, recipe.runtime)
    archive.finalize()
  } catch (thrown) {
    archive.destroy(thrown instanceof Error ? thrown : new Error(String(thrown)))
    throw thrown
  }
}
