import { appendFile, mkdtemp, readFile, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, expect, it } from 'vitest'
import {
  JsonLinesFile,
  JsonLinesReader,
  parseJsonLines,
  readJsonLines
} from '../../../../src-main/engine/runs/json-lines'

let folder: string
let file: string

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'slipway-lines-'))
  file = join(folder, 'events.jsonl')
})

afterEach(() => rm(folder, { recursive: true }))

it('gives back every whole line however the file was cut', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.jsonValue().map((value) => ({ value })),
        { maxLength: 8 }
      ),
      fc.nat(),
      (values, cut) => {
        const text = values.map((value) => `${JSON.stringify(value)}\n`).join('')
        const at = text.length === 0 ? 0 : cut % (text.length + 1)
        const whole = text.slice(0, at).split('\n').length - 1
        const parsed = parseJsonLines(text.slice(0, at))
        expect(parsed.unreadable).toBe(0)
        // A tail that happens to be whole JSON counts: only its newline is missing.
        expect(parsed.values.length - whole).toBeLessThanOrEqual(1)
        expect(JSON.stringify(parsed.values.slice(0, whole))).toBe(
          JSON.stringify(values.slice(0, whole))
        )
      }
    )
  )
})

it('mends a torn tail before it appends, and loses no whole line', async () => {
  await writeFile(file, '{"a":1}\n{"a":2')
  await new JsonLinesFile(file).append([{ a: 3 }])
  expect(await readFile(file, 'utf8')).toBe('{"a":1}\n{"a":3}\n')
  await truncate(file, (await readFile(file)).length - 1)
  await new JsonLinesFile(file).append([{ a: 4 }])
  expect((await readJsonLines(file)).values).toEqual([{ a: 1 }, { a: 3 }, { a: 4 }])
})

it('keeps the order of appends that were not waited for', async () => {
  const lines = new JsonLinesFile(file)
  await Promise.all(Array.from({ length: 50 }, (_, a) => lines.append([{ a }])))
  expect((await readJsonLines(file)).values).toEqual(Array.from({ length: 50 }, (_, a) => ({ a })))
})

it('reads on from where it was and keeps the same objects', async () => {
  const reader = new JsonLinesReader(file, (value) => value)
  expect(await reader.read()).toEqual([])
  await writeFile(file, '{"a":1}\nnot json\n{"a":')
  const first = await reader.read()
  expect(first).toEqual([{ a: 1 }])
  await appendFile(file, '2}\n')
  const second = await reader.read()
  expect(second).toEqual([{ a: 1 }, { a: 2 }])
  expect(second[0]).toBe(first[0])
  await writeFile(file, '{"b":1}\n')
  expect(await reader.read()).toEqual([{ b: 1 }])
})
