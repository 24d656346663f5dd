import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import fc from 'fast-check'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Trial, TrialEvent, TrialVerdict } from '../../../../src-main/contract/behaviour'
import { wayOf } from '../../../../src-main/engine/behaviour/answer-way'
import { answersFrom, promptsFrom } from '../../../../src-main/engine/behaviour/prompts'
import {
  bestShareOf,
  scoreOf,
  tallyOf,
  trialOf,
  TrialHead,
  TrialLine
} from '../../../../src-main/engine/behaviour/trial-record'
import { TrialService } from '../../../../src-main/engine/behaviour/trial-service'
import { FailureError, systemClock } from '../../../../src-main/engine/lib'

function codeOf(doing: () => unknown): string {
  try {
    doing()
  } catch (thrown) {
    if (thrown instanceof FailureError) return thrown.failure.code
    throw thrown
  }
  return 'none'
}

async function failureCode(doing: Promise<unknown>): Promise<string> {
  const thrown: unknown = await doing.then(
    () => null,
    (cause: unknown) => cause
  )
  return thrown instanceof FailureError ? thrown.failure.code : String(thrown)
}

describe('prompts of a text', () => {
  it.each<[string, string[]]>([
    ['one\ntwo', ['one', 'two']],
    ['  one \r\n\r\n two\r\none', ['one', 'two']],
    ['a\nb\n---\nc\n', ['a\nb', 'c']],
    ['---\nonly\n---\n---', ['only']]
  ])('%j', (text, prompts) => {
    expect(promptsFrom(text)).toEqual(prompts)
  })

  it('says when there is none, or too many', () => {
    expect(codeOf(() => promptsFrom(' \n---\n'))).toBe('no-prompts')
    const many = Array.from({ length: 501 }, (_, index) => `prompt ${index}`).join('\n')
    expect(codeOf(() => promptsFrom(many))).toBe('too-many-prompts')
  })

  it('read again, are the same ones', () => {
    const one = fc.string().filter((text) => !text.includes('---') && text.trim() !== '')
    fc.assert(
      fc.property(fc.array(one, { minLength: 1, maxLength: 20 }), (texts) => {
        const prompts = promptsFrom(texts.join('\n---\n') + '\n---')
        expect(promptsFrom(prompts.join('\n---\n') + '\n---')).toEqual(prompts)
      })
    )
  })

  it('a file of answers names the line that is none', () => {
    expect(answersFrom('{"prompt":"p ","answer":"a"}\n\n', 'f').get('p')).toBe('a')
    expect(codeOf(() => answersFrom('{"prompt":"p","answer":"a"}\n{"prompt":1}', 'f'))).toBe(
      'answers-unreadable'
    )
    expect(codeOf(() => answersFrom('not json', 'f'))).toBe('answers-unreadable')
  })
})

describe('how a release comes to answer', () => {
  it.each([
    [{ step: 4, served: 9, practice: true, live: true }, 'asked-release'],
    [{ step: 9, served: 9, practice: false, live: true }, 'asked'],
    [{ step: 4, served: 9, practice: false, live: true }, 'recorded'],
    [{ step: 4, served: null, practice: false, live: true }, 'recorded'],
    [{ step: 9, served: 9, practice: true, live: false }, 'recorded']
  ] as const)('%j: %s', (release, way) => {
    expect(wayOf(release).way).toBe(way)
    expect(wayOf(release).note === null).toBe(way !== 'recorded')
  })
})

describe('what the verdicts prove', () => {
  const rows = (a: number, b: number, tie: number): { verdict: TrialVerdict | null }[] => [
    ...Array.from({ length: a }, () => ({ verdict: [0] })),
    ...Array.from({ length: b }, () => ({ verdict: [1] })),
    ...Array.from({ length: tie }, () => ({ verdict: [0, 1] })),
    { verdict: null }
  ]
  it.each<[number, number, number, 'better' | 'worse' | 'no']>([
    [0, 0, 4, 'no'],
    [0, 3, 0, 'no'],
    [0, 4, 0, 'better'],
    [1, 9, 3, 'better'],
    [9, 1, 0, 'worse'],
    [5, 6, 0, 'no']
  ])('a %i, b %i, ties %i: %s', (a, b, tie, proven) => {
    expect(tallyOf(rows(a, b, tie), 1)).toMatchObject({ win: b, loss: a, tie, proven })
  })

  it('the interval is the Wilson interval of the wins among the decided', () => {
    // 9 of 10, worked out apart from the code under test.
    const { share, interval } = tallyOf(rows(1, 9, 3), 1)
    expect(share).toBeCloseTo(0.9, 10)
    expect(interval?.[0]).toBeCloseTo(0.5958499, 6)
    expect(interval?.[1]).toBeCloseTo(0.9821238, 6)
  })

  it('of more than two: each pair by the verdicts that name one of it, each side by those that name one alone', () => {
    const verdicts: (TrialVerdict | null)[] = [
      ...Array.from({ length: 9 }, () => [2]),
      [0],
      [0, 2],
      [1, 2],
      [0, 1, 2, 3],
      [],
      [3],
      null
    ]
    const judged = verdicts.map((verdict) => ({ verdict }))
    // c against a: [3], [] say nothing of them.
    expect(tallyOf(judged, 2)).toMatchObject({ win: 10, tie: 2, loss: 1, proven: 'better' })
    expect(tallyOf(judged, 1)).toMatchObject({ win: 1, tie: 1, loss: 2, proven: 'no' })
    const c = bestShareOf(judged, 2, 4)
    expect(c).toMatchObject({ alone: 9, together: 3, proven: 'more' })
    // 9 of 11 that name one side alone, worked out apart from the code under test.
    expect(c.share).toBeCloseTo(9 / 11, 10)
    expect(c.interval?.[0]).toBeCloseTo(0.522996, 4)
    expect(c.interval?.[1]).toBeCloseTo(0.948598, 4)
    expect(bestShareOf(judged, 1, 4)).toMatchObject({ alone: 0, together: 2, proven: 'no' })
    expect(bestShareOf([], 0, 4)).toMatchObject({ share: null, interval: null, proven: 'no' })
  })

  it('less often the best than by chance, when even the upper end is', () => {
    const judged = Array.from({ length: 30 }, () => ({ verdict: [0] }))
    expect(bestShareOf(judged, 1, 3)).toMatchObject({ alone: 0, proven: 'less' })
  })

  it('whoever is judged, the shares of all sides are one', () => {
    const verdict = fc.uniqueArray(fc.nat(4), { maxLength: 5 })
    fc.assert(
      fc.property(fc.array(verdict, { minLength: 1, maxLength: 40 }), (verdicts) => {
        const judged = [...verdicts, [1]].map((one) => ({ verdict: one }))
        const shares = [0, 1, 2, 3, 4].map((place) => bestShareOf(judged, place, 5).share ?? NaN)
        expect(shares.reduce((sum, share) => sum + share, 0)).toBeCloseTo(1, 9)
      })
    )
  })

  it.each<[TrialVerdict, number[]]>([
    [[0], [1, 0, 0]],
    [[2], [0, 0, 1]],
    [
      [0, 2],
      [0.5, 0, 0.5]
    ],
    [
      [0, 1, 2],
      [0.5, 0.5, 0.5]
    ],
    [[], [0, 0, 0]]
  ])('%j scores %j', (verdict, scores) => {
    expect([0, 1, 2].map((place) => scoreOf(verdict, place))).toEqual(scores)
  })
})

describe('a trial of the days when there were two sides', () => {
  it('opens as it was judged', () => {
    const side = (path: string): unknown => ({
      side: { kind: 'file', path },
      label: path,
      way: 'file',
      note: null
    })
    const head = TrialHead.parse({
      id: 't-old',
      name: 'old',
      madeAt: 1,
      blind: true,
      temperature: null,
      maxTokens: null,
      sides: [side('a'), side('b')],
      prompts: ['one', 'two', 'three', 'four'].map((text, index) => ({
        text,
        first: index === 1 ? 'b' : 'a'
      }))
    })
    const lines = [
      { kind: 'verdict', row: 0, verdict: 'a', at: 1 },
      { kind: 'verdict', row: 1, verdict: 'b', at: 1 },
      { kind: 'verdict', row: 2, verdict: 'tie', at: 1 },
      { kind: 'verdict', row: 3, verdict: 'b', at: 1 },
      { kind: 'verdict', row: 3, verdict: null, at: 1 },
      { kind: 'reported', row: 0, side: 1, score: 0, at: 1 },
      { kind: 'reported', row: 0, side: 2, score: 0, at: 1 }
    ].map((line) => TrialLine.parse(line))
    const { rows, tallies } = trialOf(head, lines)
    expect(rows.map(({ order }) => order)).toEqual([
      [0, 1],
      [1, 0],
      [0, 1],
      [0, 1]
    ])
    expect(rows.map(({ verdict }) => verdict)).toEqual([[0], [1], [0, 1], null])
    expect(rows[0]?.reported).toEqual([null, 0])
    expect(tallies).toMatchObject([{ win: 1, tie: 1, loss: 1 }])
  })
})

describe('a trial', () => {
  let home: string
  let server: Server
  let address: string
  const asked: { token: string | undefined; body: string }[] = []
  /** What the second stack does with a prompt. */
  let answer: (prompt: string) => { status: number; text: string }

  beforeAll(async () => {
    server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk: Buffer) => {
        body += chunk.toString()
      })
      request.on('end', () => {
        asked.push({ token: request.headers.authorization, body })
        const { messages } = JSON.parse(body) as { messages: { content: string }[] }
        const { status, text } = answer(messages[0]?.content ?? '')
        response.writeHead(status, { 'content-type': 'text/event-stream' })
        const data = JSON.stringify({ choices: [{ delta: { content: text } }] })
        response.end(status === 200 ? `data: ${data}\n\ndata: [DONE]\n\n` : text)
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}/v1/`
  })
  afterAll(() => {
    server.close()
  })
  beforeEach(async () => {
    home = await mkdtemp(join(tmpdir(), 'slipway-trials-'))
    asked.length = 0
    answer = (prompt) => ({ status: 200, text: `second: ${prompt} key-of-the-test` })
    const lines = ['one', 'two', 'three'].map((prompt) => ({ prompt, answer: `file: ${prompt}` }))
    await writeFile(join(home, 'a.jsonl'), lines.map((line) => JSON.stringify(line)).join('\n'))
  })
  afterEach(() => rm(home, { recursive: true, force: true }))

  /** Nothing here is about a run: whoever asks one fails the test. */
  const noRun = (): never => {
    throw new Error('no run is asked')
  }
  const service = (): TrialService =>
    new TrialService({
      home,
      talk: { ask: noRun, recorded: noRun, report: noRun },
      runs: { chain: noRun, access: noRun },
      secret: (name) => Promise.resolve(name === 'SECOND_TOKEN' ? 'key-of-the-test' : null),
      clock: systemClock,
      nameOf: noRun
    })
  const make = (trials: TrialService, text = 'one\ntwo\nthree'): Promise<Trial> =>
    trials.make({
      sides: [
        { kind: 'file', path: join(home, 'a.jsonl') },
        { kind: 'address', address, tokenName: 'SECOND_TOKEN', model: 'm', scenario: null }
      ],
      text,
      blind: true
    })
  async function collected(trials: TrialService, id: string): Promise<TrialEvent[]> {
    const events: TrialEvent[] = []
    for await (const event of trials.collect(id)) events.push(event)
    return events
  }

  it('collects, is judged, and is the same for another engine', async () => {
    const trials = service()
    const { id, name } = await make(trials)
    expect(name).toMatch(/^a\.jsonl – 127\.0\.0\.1:\d+$/)
    const events = await collected(trials, id)
    expect(events[0]).toEqual({ kind: 'progress', done: 0, total: 6 })
    const judged = await trials.judge({ id, row: 1, verdict: [1] })
    expect(judged.rows[1]).toMatchObject({
      prompt: 'two',
      answers: [{ text: 'file: two' }, { text: 'second: two ‹redacted›', receipt: null }],
      verdict: [1]
    })
    expect(judged.tallies).toMatchObject([{ win: 1, loss: 0, tie: 0, proven: 'no' }])
    expect(await service().read(id)).toEqual(judged)
    expect((await service().list()).trials).toMatchObject([{ id, prompts: 3, judged: 1 }])
    expect(asked.map(({ token }) => token)).toEqual(Array(3).fill('Bearer key-of-the-test'))
    const kept = await readFile(join(home, 'trials', id, 'lines.jsonl'), 'utf8')
    expect(kept).not.toContain('key-of-the-test')
    const taken = await trials.judge({ id, row: 1, verdict: null })
    expect(taken.tallies[0]?.win).toBe(0)
    // Nobody can be told of a file's or a stranger's answer.
    await trials.judge({ id, row: 0, verdict: [1, 0] })
    expect(await trials.report(id)).toMatchObject({ sent: 0, without: 2, refused: [] })
  })

  it('is of eight as well, each prompt in an order of its own', async () => {
    const trials = service()
    const files = Array.from({ length: 8 }, (_, index) => join(home, `${index}.jsonl`))
    const prompts = Array.from({ length: 40 }, (_, index) => `prompt ${index}`)
    for (const [index, file] of files.entries())
      await writeFile(
        file,
        prompts
          .map((prompt) => JSON.stringify({ prompt, answer: `${index}: ${prompt}` }))
          .join('\n')
      )
    const { id, rows } = await trials.make({
      sides: files.map((path) => ({ kind: 'file', path })),
      text: prompts.join('\n'),
      blind: true
    })
    const all = [0, 1, 2, 3, 4, 5, 6, 7]
    for (const { order } of rows) expect([...order].sort()).toEqual(all)
    // Forty times the same of eight places by lot: less likely than one in 10^34.
    for (const place of all)
      expect(new Set(rows.map(({ order }) => order[place])).size).toBeGreaterThan(1)
    await collected(trials, id)
    const judged = await trials.judge({ id, row: 0, verdict: [7, 3, 7] })
    expect(judged.rows[0]?.verdict).toEqual([3, 7])
    expect(judged.rows[0]?.answers[7]).toMatchObject({ text: '7: prompt 0' })
    await trials.judge({ id, row: 1, verdict: [7] })
    const whole = await service().read(id)
    expect(whole.bests[7]).toMatchObject({ alone: 1, together: 1, share: 1 })
    expect(whole.tallies[6]).toMatchObject({ win: 2, tie: 0, loss: 0 })
    expect((await trials.list()).trials[0]?.labels).toEqual(files.map((file) => basename(file)))
  })

  it('refuses a verdict about a side it has not', async () => {
    const trials = service()
    const { id } = await make(trials)
    await collected(trials, id)
    expect(await failureCode(trials.judge({ id, row: 0, verdict: [2] }))).toBe('verdict-wrong')
  })

  it('goes on where it was cut off, and asks nobody twice', async () => {
    const trials = service()
    answer = (prompt) =>
      prompt === 'two' ? { status: 500, text: 'out of memory' } : { status: 200, text: prompt }
    const { id } = await make(trials)
    await collected(trials, id)
    const half = await trials.read(id)
    expect(half.rows[1]?.answers[1]).toMatchObject({ kind: 'missing' })
    expect(JSON.stringify(half.rows[1]?.answers[1])).toContain('out of memory')
    expect(await failureCode(trials.judge({ id, row: 1, verdict: [0] }))).toBe('nothing-to-judge')
    // A crash in the middle of a line, then a line of a later version.
    await appendFile(join(home, 'trials', id, 'lines.jsonl'), '{"kind":"later"}\n{"kind":"ans')
    answer = (prompt) => ({ status: 200, text: prompt })
    asked.length = 0
    const again = service()
    await collected(again, id)
    expect(asked).toHaveLength(1)
    const whole = await again.read(id)
    expect(whole.rows.map(({ answers }) => answers.map((one) => one?.kind))).toEqual(
      Array(3).fill(['text', 'text'])
    )
  })

  it('refuses what cannot become one', async () => {
    const trials = service()
    const sides = (one: string): Promise<unknown> =>
      trials.make({
        sides: [
          { kind: 'file', path: join(home, 'a.jsonl') },
          { kind: 'address', address: one, tokenName: null, model: null, scenario: null }
        ],
        text: 'one',
        blind: false
      })
    expect(await failureCode(sides('not an address'))).toBe('address-wrong')
    expect(await failureCode(sides('http://me:secret@host'))).toBe('address-wrong')
    expect(await failureCode(sides('file:///etc/passwd'))).toBe('address-wrong')
    expect(await failureCode(trials.read('../../etc'))).toBe('trial-unknown')
    const { id } = await make(trials)
    await writeFile(join(home, 'trials', id, 'trial.json'), '{"half')
    expect(await failureCode(trials.read(id))).toBe('trial-unreadable')
    expect((await trials.list()).unreadable).toHaveLength(1)
    await trials.remove(id)
    expect(await trials.list()).toEqual({ trials: [], unreadable: [] })
  })

  it('keeps prompt sets by name', async () => {
    const trials = service()
    await trials.savePromptSet({ name: 'sums', text: '1+1\n2+2' })
    await trials.savePromptSet({ name: 'sums', text: '1+1\n3+3' })
    await trials.savePromptSet({ name: 'capitals', text: 'France?' })
    const sets = await service().promptSets()
    expect(sets.map(({ name, prompts }) => [name, prompts])).toEqual([
      ['capitals', ['France?']],
      ['sums', ['1+1', '3+3']]
    ])
    await trials.removePromptSet(sets[0]?.id ?? '')
    expect(await trials.promptSets()).toHaveLength(1)
    expect(
      await failureCode(
        Promise.resolve().then(() => trials.savePromptSet({ name: ' ', text: 'x' }))
      )
    ).toBe('name-missing')
  })
})
