import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { PreflightReport } from '../../src-main/contract/preflight'
import { answerOf, slipway, type Outcome } from '../support/built-cli'
import { endStacksBelow } from '../support/kill-stack'
import { makeYard, type Yard } from '../support/run-service'

let yard: Yard

beforeEach(async () => {
  yard = await makeYard()
})
afterEach(async () => {
  delete process.env['REEF_TOKEN']
  await endStacksBelow(yard.root)
  await yard.remove()
})

const cli = (...words: string[]): Promise<Outcome> => slipway(yard.home, ...words)

async function report(
  ...words: string[]
): Promise<{ code: number | null; report: PreflightReport }> {
  const { code, out } = await cli('preflight', yard.recipe, ...words)
  return { code, report: PreflightReport.parse(JSON.parse(out)) }
}

async function rewrite(from: string, to: string): Promise<void> {
  await writeFile(yard.recipe, (await readFile(yard.recipe, 'utf8')).replace(from, to))
}

it('exits 0 when nothing is above a warning, 3 with --strict and a warning, 2 when nothing can be read', async () => {
  const fine = await report()
  expect(fine.report.checks.filter(({ verdict }) => verdict === 'fail')).toEqual([])
  expect(fine.code).toBe(0)
  await rewrite('host: 127.0.0.1', 'host: 0.0.0.0')
  const open = await report('--strict')
  expect(open.report.verdict).toBe('warn')
  expect(open.code).toBe(3)
  expect((await report()).code).toBe(0)
  const gone = await cli('preflight', join(yard.root, 'gone.yaml'))
  expect({ code: gone.code, out: gone.out }).toEqual({ code: 2, out: '' })
}, 120_000)

it('exits 1 with a fail, and the launch refuses in the same words', async () => {
  process.env['REEF_TOKEN'] = 'changeme'
  await rewrite('host: 127.0.0.1', 'host: 127.0.0.1, token: "${REEF_TOKEN}"')
  const { code, report: judged } = await report()
  expect(code).toBe(1)
  const [fail, ...others] = judged.checks.filter(({ verdict }) => verdict === 'fail')
  expect(others).toEqual([])
  expect(fail).toMatchObject({ id: 'environment/variables', judgement: true })
  const refused = await cli('launch', yard.recipe)
  expect(refused.code).toBe(1)
  expect(refused.err).toContain(`${fail?.title.en}: ${fail?.evidence.en}`)
  expect(refused.err).not.toContain('changeme')

  const launched = await cli('launch', yard.recipe, '--because', 'the token is a dummy on purpose')
  expect(launched.code).toBe(0)
  const { run } = answerOf<{ run: { id: string; folder: string } }>(launched)
  const saved = PreflightReport.parse(
    JSON.parse(await readFile(join(run.folder, 'preflight.json'), 'utf8'))
  )
  expect(saved.checks.find(({ id }) => id === 'environment/variables')?.verdict).toBe('fail')
  expect(await readFile(join(run.folder, 'events.jsonl'), 'utf8')).toContain(
    'the token is a dummy on purpose'
  )
  await cli('stop', run.id, '--force')
}, 120_000)

it('a compose file for a target without containers is refused, by preflight and by the launch', async () => {
  for (const command of ['preflight', 'launch']) {
    const { code, err, out } = await cli(command, yard.recipe, '--compose', yard.root)
    expect({ code, out }).toEqual({ code: 2, out: '' })
    expect(err).toContain('no use for a compose file')
  }
  expect(answerOf<{ runs: unknown[] }>(await cli('runs')).runs).toEqual([])
}, 120_000)

it('judges companions as a launch takes them', async () => {
  const of = async (...words: string[]) => {
    const { code, report: judged } = await report(...words)
    return { code, judged: judged.checks.filter(({ id }) => id.startsWith('companions/')) }
  }
  expect(await of('--companion', 'sh client.sh')).toMatchObject({
    code: 0,
    judged: [{ id: 'companions/1', verdict: 'pass' }]
  })
  const lacking = await of(
    '--companion',
    'no-such-program-51',
    '--companion',
    'sh',
    '--companion-env',
    'NO_KEY_51'
  )
  expect(lacking).toMatchObject({ code: 1, judged: [{ verdict: 'fail' }, { verdict: 'warn' }] })
  expect(lacking.judged[1]?.evidence.en).toContain('NO_KEY_51')
  const misplaced = await of('--companion', 'sh', '--companion-image', 'agent:1')
  expect(misplaced).toMatchObject({ code: 1, judged: [{ verdict: 'fail', judgement: false }] })
  expect((await cli('preflight', yard.recipe, '--companion-image', 'agent:1')).code).toBe(2)
}, 120_000)
