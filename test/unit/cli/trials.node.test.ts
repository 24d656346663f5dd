import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { Command } from 'commander'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registerTrialCommands, trialSideOf } from '../../../src-main/cli/trials'
import { Trial } from '../../../src-main/contract/behaviour'
import { openEngine, type Engine } from '../../../src-main/engine'

let home: string
let engine: Engine

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'slipway-trial-cli-'))
  engine = await openEngine({
    home,
    resources: resolve('resources'),
    recipes: resolve('recipes'),
    version: '0.0.0',
    host: null,
    watch: 'asked'
  })
  const lines = (name: string, prompts: readonly string[]): string =>
    prompts.map((prompt) => JSON.stringify({ prompt, answer: `${name} says ${prompt}` })).join('\n')
  await writeFile(join(home, 'old.jsonl'), lines('old', ['one', 'two']))
  await writeFile(join(home, 'new.jsonl'), lines('new', ['one', 'two']))
  await writeFile(join(home, 'third.jsonl'), lines('third', ['one', 'two']))
  await writeFile(join(home, 'half.jsonl'), lines('half', ['one']))
  await writeFile(join(home, 'prompts.txt'), 'one\ntwo\n')
})
afterAll(async () => {
  await engine.dispose()
  await rm(home, { recursive: true, force: true })
})

async function slipway(
  language: 'en' | 'zh',
  ...argv: string[]
): Promise<{ out: string; err: string; code: number }> {
  const result = { out: '', err: '', code: -1 }
  const program = new Command('slipway').exitOverride()
  const io = {
    out: (text: string) => void (result.out += `${text}\n`),
    err: (text: string) => void (result.err += `${text}\n`),
    exit: (code: number) => void (result.code = code),
    language
  }
  registerTrialCommands(
    program,
    { io },
    {
      ask: (work) => work(createRouterClient(engine.router)),
      byId: (_engine, sides) => Promise.resolve([...sides])
    }
  )
  await program.parseAsync(argv, { from: 'user' })
  return result
}

describe('slipway trial', () => {
  it('refuses a file that can hold no prompts, and says why', async () => {
    await writeFile(join(home, 'weights.bin'), Buffer.from([0x08, 0xff, 0xfe, 0, 1, 2, 3]))
    await writeFile(join(home, 'zero.txt'), 'one\0two\n')
    const sides = [join(home, 'old.jsonl'), join(home, 'new.jsonl')]
    for (const file of ['weights.bin', 'zero.txt']) {
      const refused = await slipway('en', 'trial', ...sides, '--prompts', join(home, file))
      expect(refused).toMatchObject({ code: 2, out: '' })
      expect(refused.err).toContain('no text in UTF-8')
    }
    const folder = await slipway('zh', 'trial', ...sides, '--prompts', home)
    expect(folder.err).toContain('不是普通文件')
    const gone = await slipway('en', 'trial', ...sides, '--prompts', join(home, 'nowhere'))
    expect(gone).toMatchObject({ code: 2 })
    expect(gone.err).toContain('cannot be read')
  })

  it('reads who answers from one word', () => {
    expect(trialSideOf('run:r5', {})).toEqual({ kind: 'release', run: 'run', step: 5 })
    expect(trialSideOf('my-run', {})).toEqual({ kind: 'run', run: 'my-run' })
    expect(trialSideOf('a.jsonl', {})).toEqual({ kind: 'file', path: resolve('a.jsonl') })
    expect(trialSideOf('http://h:1', { tokenName: 'T', model: 'm' })).toEqual({
      kind: 'address',
      address: 'http://h:1',
      tokenName: 'T',
      model: 'm',
      scenario: null
    })
  })

  it('asks, judges, shows and forgets', async () => {
    const sides = ['old', 'new'].map((name) => join(home, `${name}.jsonl`))
    const prompts = ['--prompts', join(home, 'prompts.txt')]
    const made = await slipway('en', 'trial', ...sides, ...prompts, '--name', 'files', '--json')
    expect(made.code, made.err).toBe(0)
    const { id } = Trial.parse(JSON.parse(made.out))
    const judged = await slipway('en', 'judge', 'files', '2', 'b')
    expect(judged.out).toContain(
      'new.jsonl: 1 won, 0 tied, 0 lost. 100 % (21 % – 100 %). Not proven.'
    )
    const shown = await slipway('zh', 'trials', id)
    expect(shown.out).toContain(
      '2. two\na old.jsonl: old says two\nb new.jsonl: new says two\n→ new.jsonl'
    )
    expect(shown.out).toContain('胜 1，平 0，负 0')
    const listed = await slipway('en', 'trials')
    expect(listed.out).toMatch(new RegExp(`${id} +files +1/2 +1/0/0 won/tied/lost`))
    // Files have nobody to report to.
    expect((await slipway('en', 'trials', id, '--report')).out).toContain(
      '0 scores sent, 2 answers'
    )
    expect((await slipway('en', 'judge', id, '0', 'b')).code).not.toBe(0)
    expect((await slipway('en', 'judge', id, '1', 'better')).err).toContain(
      'from 1 to 2 and a, b, tie, bad or none'
    )
    expect((await slipway('en', 'trials', id, '--remove')).code).toBe(0)
    expect((await slipway('en', 'trials', id)).err).toContain('There is no trial')
  })

  const threeSides = (): string[] =>
    ['old', 'new', 'third'].map((name) => join(home, `${name}.jsonl`))

  it('is of three as well: several best ones, none that is any good, and what that comes to', async () => {
    const prompts = ['--prompts', join(home, 'prompts.txt')]
    const made = await slipway('en', 'trial', ...threeSides(), ...prompts, '--name', 'three')
    expect(made.code, made.err).toBe(0)
    expect(made.out).toContain('c third.jsonl: third says one')
    expect((await slipway('en', 'judge', 'three', '1', 'a+c')).code).toBe(0)
    const judged = await slipway('en', 'judge', 'three', '2', 'c')
    expect(judged.out).toMatch(/\nthird\.jsonl +1 +100 % \(21 % – 100 %\), not proven +1 +1\/1\/0/)
    expect((await slipway('en', 'trials')).out).toMatch(/three +2\/2 +0\/0\/1 best alone/)
    expect((await slipway('en', 'trials', 'three')).out).toContain('→ old.jsonl + third.jsonl')
    expect((await slipway('en', 'judge', 'three', '2', 'bad')).code).toBe(0)
    expect((await slipway('zh', 'trials', 'three')).out).toContain('→ bad')
    const wrong = await slipway('en', 'judge', 'three', '2', 'd')
    expect(wrong.err).toContain('Give a row from 1 to 2 and a, b, c, a+b, tie, bad or none.')
    expect((await slipway('en', 'trials', 'three', '--remove')).code).toBe(0)
  })

  it('blind, letters stand for the answers as shown, and sides are named when all is judged', async () => {
    const prompts = ['--prompts', join(home, 'prompts.txt')]
    const made = await slipway('en', 'trial', ...threeSides(), ...prompts, '--blind', '--json')
    const { id, rows } = Trial.parse(JSON.parse(made.out))
    const shown = await slipway('en', 'trials', id)
    expect(shown.out).toContain('Blind trial')
    expect(shown.out).not.toContain('.jsonl')
    // A name that somebody gave tells nothing of the sides.
    await slipway('en', 'trial', ...threeSides(), ...prompts, '--blind', '--name', 'by lot')
    expect((await slipway('en', 'trials', 'by lot')).out).toContain('Blind trial: by lot [')
    expect((await slipway('en', 'trials', 'by lot', '--remove')).code).toBe(0)
    const [first, second] = rows
    const letter = (order: readonly number[] = [], place: number): string =>
      'abc'.charAt(order.indexOf(place))
    // Whoever says it: the third file is best in both.
    const half = await slipway('en', 'judge', id, '1', letter(first?.order, 2))
    expect(half.out).toContain('1 of 2 judged')
    expect((await slipway('en', 'trials', id, '--names')).out).toContain('third.jsonl')
    const whole = await slipway('en', 'judge', id, '2', letter(second?.order, 2))
    expect(whole.out).toMatch(/\nthird\.jsonl +2 +100 %/)
    expect((await slipway('en', 'trials', id, '--remove')).code).toBe(0)
  })

  it('is found by any start of its id that no other has; two that share one are named', async () => {
    const prompts = ['--prompts', join(home, 'prompts.txt')]
    const make = async (): Promise<string> =>
      Trial.parse(
        JSON.parse((await slipway('en', 'trial', ...threeSides(), ...prompts, '--json')).out)
      ).id
    const ids = [await make(), await make()]
    const both = await slipway('en', 'judge', 't-', '1', 'a')
    expect(both.err).toContain('2 trials begin with “t-”')
    for (const id of ids) expect(both.err).toContain(id)
    expect((await slipway('en', 'trials', ids[0] ?? '', '--remove')).code).toBe(0)
    expect((await slipway('en', 'judge', 't-', '1', 'a')).code).toBe(0)
    expect((await slipway('en', 'trials', 't', '--remove')).code).toBe(0)
  })

  it('says which value is not allowed and what is, and keeps nothing of a trial nobody answered', async () => {
    const prompts = ['--prompts', join(home, 'prompts.txt')]
    const hot = await slipway('en', 'trial', ...threeSides(), ...prompts, '--temperature', '9')
    expect(hot).toMatchObject({ code: 1, err: 'temperature is 9; at most 2 is allowed.\n' })
    const one = await slipway('zh', 'trial', threeSides()[0] ?? '', ...prompts)
    expect(one.err).toContain('2 至 8 方')
    // Ports nobody listens on.
    const [away, gone] = ['http://127.0.0.1:9', 'http://127.0.0.1:7']
    expect((await slipway('en', 'trial', away, gone, ...prompts)).code).toBe(1)
    expect((await slipway('en', 'trials', '--json')).out).toBe('[]\n')
    const half = await slipway('en', 'trial', away, threeSides()[0] ?? '', ...prompts)
    expect(half.code).toBe(1)
    expect(half.err).toContain('What came is kept')
    const again = await slipway('en', 'trials', 't-', '--collect')
    expect(again.code).toBe(1)
    expect(again.err).toContain('--collect')
    expect((await slipway('en', 'trials', 't-', '--remove')).code).toBe(0)
  })

  it('ends with a failure when an answer is missing, and says which', async () => {
    const sides = ['old', 'half'].map((name) => join(home, `${name}.jsonl`))
    const { code, out } = await slipway(
      'en',
      'trial',
      ...sides,
      '--prompts',
      join(home, 'prompts.txt')
    )
    expect(code).toBe(1)
    expect(out).toContain('b half.jsonl: (The file has no answer to this prompt.)')
  })
})
