import { parseDocument } from 'yaml'
import type { Override } from '../../contract/launch'
import type { Text } from '../../contract/text'
import { fail } from '../lib'
import { isSecretName } from './value'

interface Wrong {
  what: Text
  remedy: Text
}

const NAME = /^[A-Za-z_][\w-]*$|^\d+$/
/** Names every object has: as fields of a recipe they would change what all objects are. */
const OF_EVERY_OBJECT = new Set(['__proto__', 'prototype', 'constructor'])
const LAST_PORT = 65_535

function wrongPath(path: string): Wrong | null {
  const names = path.split('.')
  const bad = names.find((name) => !NAME.test(name) || OF_EVERY_OBJECT.has(name))
  if (bad === undefined) return null
  return {
    what:
      bad === ''
        ? { en: `“${path}” has an empty name between its dots.`, zh: `“${path}”的点之间有空名称。` }
        : { en: `“${bad}” cannot be a field of a recipe.`, zh: `“${bad}”不能作为配方的字段。` },
    remedy: {
      en: 'Write the path as in the recipe, e.g. training.options.lr.',
      zh: '请按配方中的写法填写路径，例如 training.options.lr。'
    }
  }
}

function wrongPort({ path, value }: Override): Wrong | null {
  if (path !== 'reef.port') return null
  const port = Number(value)
  if (/^\d+$/.test(value.trim()) && port >= 1 && port <= LAST_PORT) return null
  return {
    what: { en: `“${value}” is not a port: 1–65535.`, zh: `“${value}”不是端口号：应为 1–65535。` },
    remedy: { en: 'Give a free port of this machine.', zh: '请填写本机的一个空闲端口。' }
  }
}

/** An override becomes a word of the stack's command line, which every user of the machine can read. */
function wrongSecret({ path, value }: Override): Wrong | null {
  const written = value.trim()
  const harmless =
    written === '' || written.includes('${') || /^[\d.]+$|^(?:true|false|null)$/i.test(written)
  if (harmless || !isSecretName(path.split('.').at(-1) ?? path)) return null
  return {
    what: {
      en: 'A credential does not belong into an override: command lines can be read by every user of the machine.',
      zh: '凭据不应写在覆盖项中：命令行对本机所有用户可见。'
    },
    remedy: {
      en: 'Name an environment variable in the recipe, e.g. "${REEF_TOKEN}", and set that one.',
      zh: '请在配方中引用环境变量，例如 "${REEF_TOKEN}"，并设置该变量。'
    }
  }
}

/** Reef reads the value of a flag as YAML (`docs/reference/configuration.rst`). */
function wrongValue({ value }: Override): Wrong | null {
  const [error] = parseDocument(value).errors
  if (error === undefined) return null
  const said = (error.message.split('\n')[0] ?? '').replace(/:$/, '')
  return {
    what: {
      en: `The value “${value}” cannot be read as YAML: ${said}`,
      zh: `值“${value}”不是有效的 YAML：${said}`
    },
    remedy: {
      en: 'Close every bracket and quote, or put the whole value in quotes.',
      zh: '请补全括号和引号，或把整个值放在引号内。'
    }
  }
}

/**
 * Refuses what can be no override whatever the recipe says.
 * @throws FailureError `override-unreadable`, about the first one that is wrong
 */
export function checkOverrides(overrides: readonly Override[]): void {
  for (const one of overrides) {
    const wrong = wrongPath(one.path) ?? wrongPort(one) ?? wrongSecret(one) ?? wrongValue(one)
    if (wrong !== null) fail({ code: 'override-unreadable', where: one.path, ...wrong })
  }
}
