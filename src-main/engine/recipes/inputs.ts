import { readdir, readFile, stat } from 'node:fs/promises'
import { homedir } from 'node:os'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '../lib'
import type { CheckInput } from './check'
import { moduleFile } from './nexrl'
import { modelFromConfig, type ModelFacts } from './models'

/** Siblings above this are not recipes and are not read. */
const LARGEST_SIBLING = 1_000_000
const MOST_SIBLINGS = 60
const MODULE_FIELD =
  /^\s*(?:custom_rollout_worker_module_path|custom_trainer_module_path|evaluator_module_path):[ \t]*["']?([^\s"'#]+)/gm

/** The YAML files beside a recipe, by name; empty when the folder cannot be listed. The recipe itself is not among them. */
export async function readSiblings(path: string): Promise<Record<string, string>> {
  const folder = dirname(path)
  const names = await listed(folder)
  const found: Record<string, string> = {}
  for (const name of names.slice(0, MOST_SIBLINGS)) {
    if (!/\.ya?ml$/i.test(name) || name === basename(path)) continue
    const file = join(folder, name)
    const facts = await stat(file).catch(absent)
    if (facts?.isFile() === true && facts.size <= LARGEST_SIBLING)
      found[name] = await readFile(file, 'utf8')
  }
  return found
}

/** What the model's own files say, where they are on this machine; null for an id or a folder that is not here. */
export async function readModel(modelPath: string): Promise<ModelFacts | null> {
  const folder = modelPath.startsWith('~/') ? join(homedir(), modelPath.slice(2)) : modelPath
  if (!folder.startsWith('/') && !/^[A-Za-z]:\\/.test(folder)) return null
  const config = await readJson(join(folder, 'config.json'))
  if (config === null) return null
  const index = await readJson(join(folder, 'model.safetensors.index.json'))
  return modelFromConfig(basename(folder), config, tensorNames(index))
}

/** A check's input with the files it may look at: siblings for a composed recipe, the model where it lies on this machine. */
export async function gatherInput(base: CheckInput, modelPath: string | null): Promise<CheckInput> {
  const composed = /^defaults:/m.test(base.text)
  const siblings = composed ? await readSiblings(base.path) : {}
  const modules = await readModules(base.path, [base.text, ...Object.values(siblings)])
  const model = modelPath === null ? null : await readModel(modelPath)
  return { ...base, siblings, modules, model }
}

/** Python files of the person's own that a NexRL recipe names, by the path written; null for one that is not there. */
export async function readModules(
  path: string,
  texts: readonly string[]
): Promise<Record<string, string | null>> {
  const found: Record<string, string | null> = {}
  for (const text of texts)
    for (const [, written = ''] of text.matchAll(MODULE_FIELD)) {
      const file = moduleFile(written)
      // A path through a variable, or an absolute one, is of the machine the driver runs on.
      if (file.includes('${') || file.startsWith('/') || file in found) continue
      const whole = join(dirname(path), file)
      const facts = await stat(whole).catch(absent)
      if (facts === null) found[file] = null
      else if (facts.isFile() && facts.size <= LARGEST_SIBLING)
        found[file] = await readFile(whole, 'utf8')
    }
  return found
}

function tensorNames(index: unknown): string[] | null {
  if (typeof index !== 'object' || index === null || !('weight_map' in index)) return null
  const map = index.weight_map
  return typeof map === 'object' && map !== null ? Object.keys(map) : null
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (thrown) {
    // An absent or unreadable file tells nothing about the model, which is all this asks.
    if (thrown instanceof SyntaxError || errorCode(thrown) !== undefined) return null
    throw thrown
  }
}

async function listed(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(absent)) ?? []
}

function absent(thrown: unknown): null {
  if (errorCode(thrown) === undefined) throw thrown
  return null
}
