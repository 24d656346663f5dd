import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { systemClock } from '../../../../src-main/engine/lib'
import { isCompanionLog, logTails } from '../../../../src-main/engine/stacks/log-sources'
import { localFiles } from '../../../../src-main/engine/targets'
import type { IngestSource } from '../../../../src-main/engine/metrics'

it('takes no line of a companion for what the stack said', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'slipway-tails-'))
  onTestFinished(() => rm(folder, { recursive: true, force: true }))
  const files = localFiles(systemClock)
  const source = async (name: string, role: IngestSource['role']): Promise<IngestSource> => {
    const path = join(folder, `${name}.log`)
    await writeFile(path, `said by ${name}\n`)
    return { id: `1/${name}`, attempt: 1, path, files, role }
  }
  const sources = [
    await source('launcher-stdout', 'launcher'),
    await source('companion-agent', 'launcher'),
    await source('companion-like', 'service'),
    await source('launcher-stderr', 'launcher')
  ]
  expect(sources.filter(isCompanionLog).map(({ id }) => id)).toEqual(['1/companion-agent'])
  expect(await logTails(sources)).toEqual([
    'said by launcher-stderr\n',
    'said by companion-like\n',
    'said by launcher-stdout\n'
  ])
})
