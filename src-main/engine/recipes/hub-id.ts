import type { Text } from '../../contract/text'

const LONGEST = 96

/**
 * Why a text that is meant as a model can be no id of the Hugging Face hub (`huggingface_hub`'s own rule); null where it
 * can be one, or says itself that it is a folder or an address.
 */
export function noHubId(text: string): Text | null {
  if (/^(?:[/~.]|[A-Za-z]:\\|[a-z0-9]+:\/\/)/.test(text)) return null
  const strange = /[^\w\-./]/.exec(text)?.[0]
  if (strange !== undefined) {
    const said = strange.trim() === '' ? { en: 'a blank', zh: '空格' } : both(`“${strange}”`)
    return { en: `it has ${said.en} in it`, zh: `其中含有${said.zh}` }
  }
  const parts = text.split('/')
  if (parts.length > 2) return { en: 'it has more than one slash', zh: '其中有不止一个斜杠' }
  if (parts.includes('')) return { en: 'a part beside the slash is empty', zh: '斜杠一侧为空' }
  if (parts.some((part) => /^[-.]|[-.]$/.test(part)))
    return { en: 'a part begins or ends with “-” or “.”', zh: '某一部分以“-”或“.”开头或结尾' }
  if (/--|\.\./.test(text)) return { en: 'it has “--” or “..” in it', zh: '其中含有“--”或“..”' }
  if (text.endsWith('.git')) return { en: 'it ends in “.git”', zh: '以“.git”结尾' }
  if (text.length > LONGEST)
    return { en: `it is longer than ${LONGEST} characters`, zh: `长度超过 ${LONGEST} 个字符` }
  return null
}

function both(text: string): Text {
  return { en: text, zh: text }
}
