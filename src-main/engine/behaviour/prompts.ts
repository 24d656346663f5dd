import { z } from 'zod'
import { fail } from '../lib'

/** More than anybody judges by hand. */
const MOST = 500

/**
 * The prompts of a text: blocks between lines of `---` where there is such a line, else one prompt a line.
 * Each counts once; order is kept. Throws FailureError `no-prompts` or `too-many-prompts`.
 */
export function promptsFrom(text: string): string[] {
  const lines = text.split(/\r\n?|\n/)
  const divided = lines.some((line) => line.trim() === '---')
  const parts = divided ? blocksOf(lines) : lines
  const prompts = [...new Set(parts.map((part) => part.trim()).filter((part) => part !== ''))]
  if (prompts.length === 0)
    fail({
      code: 'no-prompts',
      what: { en: 'There is no prompt in this text.', zh: '文本中没有任何 prompt。' },
      remedy: {
        en: 'Write one prompt a line, or longer ones between lines of ---.',
        zh: '每行写一个 prompt；较长的用 --- 行分隔。'
      }
    })
  if (prompts.length > MOST)
    fail({
      code: 'too-many-prompts',
      what: {
        en: `These are ${prompts.length} prompts; at most ${MOST} are compared at once.`,
        zh: `共有 ${prompts.length} 个 prompt；一次最多比较 ${MOST} 个。`
      },
      remedy: { en: 'Make two sets of them.', zh: '请分成两组。' }
    })
  return prompts
}

function blocksOf(lines: readonly string[]): string[] {
  const blocks: string[][] = [[]]
  for (const line of lines) {
    if (line.trim() === '---') blocks.push([])
    else blocks.at(-1)?.push(line)
  }
  return blocks.map((block) => block.join('\n'))
}

const Line = z.object({ prompt: z.string(), answer: z.string() })

/**
 * Answers of a file of JSON lines; of two to one prompt the later counts.
 * Throws FailureError `answers-unreadable` naming the first line that is none.
 */
export function answersFrom(text: string, where: string): Map<string, string> {
  const answers = new Map<string, string>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '') continue
    const parsed = Line.safeParse(jsonOf(line))
    if (!parsed.success)
      return fail({
        code: 'answers-unreadable',
        what: {
          en: `Line ${index + 1} is no recorded answer.`,
          zh: `第 ${index + 1} 行不是已记录的回答。`
        },
        where,
        remedy: {
          en: 'Each line is JSON: {"prompt": "…", "answer": "…"}.',
          zh: '每行应为 JSON：{"prompt": "…", "answer": "…"}。'
        }
      })
    answers.set(parsed.data.prompt.trim(), parsed.data.answer)
  }
  return answers
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line)
  } catch (cause) {
    if (cause instanceof SyntaxError) return undefined
    throw cause
  }
}
