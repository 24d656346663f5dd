import { mkdir, open, rename, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { z } from 'zod'
import { errorCode, fail } from '../lib'
import type { FileAccess } from '../targets'

const PIECE = 4 * 1024 * 1024
const LONGEST_CONFIG = 1_000_000

const AdapterConfig = z.looseObject({
  base_model_name_or_path: z.string().nullish(),
  r: z.number().nullish()
})

/** What was written where. */
export interface Exported {
  path: string
  files: number
  bytes: number
  /** True when it is an adapter, and a note on its use lies beside it. */
  adapter: boolean
}

async function copyFile(files: FileAccess, from: string, to: string): Promise<number> {
  const handle = await open(to, 'wx', 0o600)
  let offset = 0
  try {
    for (;;) {
      const bytes = await files.read(from, offset, PIECE)
      if (bytes === null || bytes.length === 0) break
      await handle.appendFile(bytes)
      offset += bytes.length
    }
    await handle.sync()
  } finally {
    await handle.close()
  }
  return offset
}

async function copyFolder(
  files: FileAccess,
  from: string,
  to: string,
  signal: AbortSignal
): Promise<{ files: number; bytes: number }> {
  await mkdir(to, { mode: 0o700 })
  const sum = { files: 0, bytes: 0 }
  for (const { name, kind } of (await files.list(from)) ?? []) {
    signal.throwIfAborted()
    const [source, target] = [`${from}/${name}`, join(to, name)]
    if (kind === 'directory') {
      const inner = await copyFolder(files, source, target, signal)
      sum.files += inner.files
      sum.bytes += inner.bytes
    } else if (kind === 'file') {
      sum.bytes += await copyFile(files, source, target)
      sum.files += 1
    }
  }
  return sum
}

/** How to use an adapter, for whoever finds the folder later. Code of the PEFT library's documented interface. */
function usageNote(config: z.infer<typeof AdapterConfig>): string {
  const base = config.base_model_name_or_path ?? 'BASE_MODEL'
  return [
    '# How to use this adapter',
    '',
    `It changes ${base}${typeof config.r === 'number' ? ` with rank ${config.r}` : ''}; without that base it is nothing.`,
    '',
    '```python',
    'from peft import PeftModel',
    'from transformers import AutoModelForCausalLM',
    '',
    `base = AutoModelForCausalLM.from_pretrained(${JSON.stringify(base)})`,
    'model = PeftModel.from_pretrained(base, "PATH_OF_THIS_FOLDER")',
    '```',
    ''
  ].join('\n')
}

async function adapterOf(
  files: FileAccess,
  from: string
): Promise<z.infer<typeof AdapterConfig> | null> {
  const bytes = await files.read(`${from}/adapter_config.json`, 0, LONGEST_CONFIG)
  if (bytes === null) return null
  try {
    const parsed = AdapterConfig.safeParse(JSON.parse(new TextDecoder().decode(bytes)))
    return parsed.success ? parsed.data : {}
  } catch (cause) {
    if (cause instanceof SyntaxError) return {}
    throw cause
  }
}

/**
 * Copies an export or adapter folder to a new folder on this machine, whole or not at all. The source is only read.
 * @throws FailureError `export-target` when the new folder is there already or cannot be made
 */
export async function exportCheckpoint(
  files: FileAccess,
  from: string,
  to: string,
  signal: AbortSignal
): Promise<Exported> {
  const adapter = await adapterOf(files, from)
  const part = `${to}.part`
  try {
    await mkdir(dirname(to), { recursive: true })
    // Made first, so that a folder of that name is never written into.
    await mkdir(to, { mode: 0o700 })
  } catch (cause) {
    return fail(
      {
        code: 'export-target',
        what: {
          en: 'The folder for the export cannot be made, or is there already.',
          zh: '无法创建导出目录，或该目录已存在。'
        },
        where: to,
        detail: errorCode(cause) ?? '',
        remedy: { en: 'Choose another name.', zh: '请换一个名称。' }
      },
      cause
    )
  }
  try {
    await rm(part, { recursive: true, force: true })
    const sum = await copyFolder(files, from, part, signal)
    if (adapter !== null) await writeFile(join(part, 'USAGE.md'), usageNote(adapter))
    await rename(part, to)
    return { path: to, ...sum, adapter: adapter !== null }
  } catch (cause) {
    await rm(part, { recursive: true, force: true })
    await rm(to, { recursive: true, force: true })
    throw cause
  }
}
