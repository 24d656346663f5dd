import { readFile, stat } from 'node:fs/promises'
import { dirname, join, relative, resolve } from 'node:path'
import type { LaunchRequest } from '../../contract/launch'
import { errorCode, fail, messageOf } from '../lib'
import { parseEnvFile } from '../recipes'
import { composeTool } from '../targets'
import { type ComposeService, readCompose } from './compose-file'

/** A compose file that a stack is to be started with, everything about it looked up. */
export interface ComposeFacts {
  /** The words of the command: `docker compose`, or `docker-compose`. */
  tool: string[]
  file: string
  service: ComposeService
  /** What the file's own variables for folders and recipe stand for. */
  places: Record<string, string>
}

/** In the order in which the tools themselves look (compose specification, “Compose file”). */
const NAMES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']

async function fileAt(path: string): Promise<string> {
  const candidates = [path, ...NAMES.map((name) => join(path, name))]
  for (const candidate of candidates) {
    try {
      if ((await stat(candidate)).isFile()) return candidate
    } catch (cause) {
      if (errorCode(cause) !== 'ENOENT' && errorCode(cause) !== 'ENOTDIR') throw cause
    }
  }
  return fail({
    code: 'compose-file-missing',
    where: path,
    what: {
      en: 'There is no compose file at this path.',
      zh: '该路径下没有 compose 文件。'
    },
    remedy: {
      en: `Give the file, or a folder that has ${NAMES.join(' or ')}.`,
      zh: `请指定该文件，或含有 ${NAMES.join(' 或 ')} 的文件夹。`
    }
  })
}

async function textOf(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    return fail(
      {
        code: 'compose-file-missing',
        where: file,
        detail: messageOf(cause),
        what: { en: 'The compose file cannot be read.', zh: '无法读取 compose 文件。' }
      },
      cause
    )
  }
}

async function valuesBeside(file: string): Promise<Record<string, string>> {
  try {
    return parseEnvFile(await readFile(join(dirname(file), '.env'), 'utf8'))
  } catch (cause) {
    if (errorCode(cause) === 'ENOENT') return {}
    throw cause
  }
}

/**
 * Looks up the compose file a launch asks for, and which command there is for it. Null: it asks for none. The names of
 * the places are those of the files that come with Reef (`recipes/openclawrl/examples/openclawrl/docker-compose.yaml`).
 * @throws FailureError `compose-file-missing`, `compose-file-unusable`, `compose-tool-missing`
 */
export async function composeFacts(
  { recipe, container }: LaunchRequest,
  choices: { models: string; state: string; checkout: string },
  environment: Readonly<Record<string, string | undefined>>
): Promise<ComposeFacts | null> {
  if (container?.compose === undefined) return null
  const file = await fileAt(resolve(container.compose))
  const places = {
    MODEL_DIR: choices.models,
    RUN_DIR: choices.state,
    REEF_ROOT: choices.checkout,
    REEF_CONFIG: relative(choices.checkout, recipe)
  }
  const service = readCompose(await textOf(file), file, {
    service: container.composeService,
    places,
    values: { ...(await valuesBeside(file)), ...environment }
  })
  return { tool: await composeTool(), file, service, places }
}
