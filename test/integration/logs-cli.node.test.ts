import { appendFile, readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { Command } from 'commander'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { addCommands } from '../../src-main/cli/commands'
import type { Companion } from '../../src-main/contract/launch'
import { LaunchRequest } from '../../src-main/contract/launch'
import type { LogLine } from '../../src-main/contract/logs'
import type { RunService } from '../../src-main/engine/stacks'
import {
  ended,
  endEverything,
  openService,
  practiceYard,
  until,
  type Yard
} from '../support/run-service'

const KEY = 'key-of-this-test-90ab12'

let yard: Yard
let services: RunService[] = []

beforeEach(async () => {
  yard = await practiceYard()
  services = []
})
afterEach(async () => {
  vi.unstubAllEnvs()
  await endEverything(services)
  await yard.remove()
})

interface Said {
  lines: string[]
  errors: string[]
  code: number | null
}

/** A command of `slipway` in this process; resolves at its end. `said` fills as it goes. */
async function cli(said: Said, json: boolean, ...words: string[]): Promise<Said> {
  const program = new Command('slipway').exitOverride()
  addCommands(program, {
    io: {
      language: 'en',
      out: (text) => said.lines.push(text),
      err: (text) => said.errors.push(text),
      exit: (code) => (said.code = code)
    },
    engine: {
      home: undefined,
      resources: yard.resources,
      recipes: resolve('recipes'),
      version: '0.0.0-test'
    },
    json: () => json,
    home: () => yard.home
  })
  await program.parseAsync(words, { from: 'user' })
  return said
}

const nothing = (): Said => ({ lines: [], errors: [], code: null })

/** Prints at once, and again when the file it is given is there. */
function talker(): Companion {
  const mark = join(yard.root, 'go')
  const script =
    'echo "key is $AGENT_KEY"; for i in 1 2 3 4 5; do echo "line $i"; done; printf "half"; ' +
    `while [ ! -e '${mark}' ]; do sleep 0.1; done; echo " and whole"; echo last; cat`
  return {
    name: 'talker',
    command: ['sh', '-c', script],
    where: 'process',
    environment: ['AGENT_KEY'],
    startWhenServing: true,
    stopWithRun: true,
    restart: 'never'
  }
}

it('prints what a run said, redacted, and what comes until it is over', async () => {
  vi.stubEnv('AGENT_KEY', KEY)
  const service = await openService(yard, {
    secret: (name) => Promise.resolve(name === 'AGENT_KEY' ? KEY : null)
  })
  services.push(service)
  const request = LaunchRequest.parse({ recipe: yard.recipe, companions: [talker()] })
  const { run } = await service.start(request)
  const log = join(service.paths(run).attempt(1), 'companion-talker.log')
  await vi.waitFor(async () => {
    expect(await readFile(log, 'utf8')).toContain('half')
  }, 60_000)
  expect(await readFile(log, 'utf8')).toContain(KEY)

  const whole = await cli(nothing(), false, 'logs', run, '--source', 'companion-talker')
  expect(whole).toMatchObject({ code: 0, errors: [] })
  expect(whole.lines.slice(1)).toEqual([...[1, 2, 3, 4, 5].map((i) => `line ${i}`), 'half'])
  expect(whole.lines[0]).toMatch(/^key is /)
  expect(JSON.stringify(whole)).not.toContain(KEY)

  const named = ['logs', run, '--source', '1/companion-talker']
  const tail = await cli(nothing(), true, ...named, '--grep', '^l.*[1-4]$', '--tail', '2')
  const parsed = tail.lines.map((line) => JSON.parse(line) as LogLine)
  expect(parsed.map(({ text, line }) => [text, line])).toEqual([
    ['line 3', 3],
    ['line 4', 4]
  ])
  const all = await cli(nothing(), false, 'logs', run, '--tail', '1')
  expect(all.lines).toContain('companion-talker | half')
  expect(all.lines.length).toBeGreaterThan(2)
  expect((await cli(nothing(), false, 'logs', run, '--source', 'ray')).errors.join(' ')).toContain(
    '1/companion-talker'
  )
  expect((await cli(nothing(), false, 'logs', run, '--tail', 'x')).code).toBe(2)

  const said = nothing()
  const following = cli(said, false, ...named, '--tail', '1', '--follow')
  await vi.waitFor(() => {
    expect(said.lines).toEqual(['line 5'])
  }, 30_000)
  await writeFile(join(yard.root, 'go'), '')
  await vi.waitFor(() => {
    expect(said.lines).toEqual(['line 5', 'half and whole', 'last'])
  }, 30_000)
  await appendFile(log, 'without an end')
  await service.stop({ run, force: false })
  await until(service, run, ({ summary }) => ended(summary.state), 60_000)
  await following
  expect(said).toEqual({
    lines: ['line 5', 'half and whole', 'last', 'without an end'],
    errors: [],
    code: 0
  })
}, 120_000)
