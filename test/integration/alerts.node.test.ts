import { readFile, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { createRouterClient } from '@orpc/server'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { type Engine, openEngine } from '../../src-main/engine'
import type { Host } from '../../src-main/engine/host'
import { endStacksBelow, stackProcesses } from '../support/kill-stack'
import { practiceYard, type Yard } from '../support/run-service'

type Notice = Parameters<Host['notify']>[0]

let yard: Yard
let engine: Engine | null = null

beforeEach(async () => {
  yard = await practiceYard()
})

afterEach(async () => {
  await engine?.dispose()
  engine = null
  await endStacksBelow(yard.root)
  await yard.remove()
})

/** The window's side, of which alerts need little; `seen` is called for each notification. */
function hostOf(seen: (notice: Notice) => void): Host {
  const answers = {
    info: () => Promise.resolve({ systemLanguage: 'zh' }),
    settingsChanged: () => Promise.resolve({}),
    secret: () => Promise.resolve({ value: null }),
    notify: (notice: Notice) => {
      seen(notice)
      return Promise.resolve({})
    }
  }
  return answers as unknown as Host
}

/** Resolves with the first notification that `wanted` takes. */
class Notices {
  private readonly all: Notice[] = []
  private look = (): void => undefined

  readonly add = (notice: Notice): void => {
    this.all.push(notice)
    this.look()
  }

  first(wanted: RegExp): Promise<Notice> {
    return new Promise((found) => {
      this.look = () => {
        const notice = this.all.find(({ title }) => wanted.test(title))
        if (notice !== undefined) found(notice)
      }
      this.look()
    })
  }
}

it('NaN and a crash reach the desktop, in its language, and a click leads to the run', async () => {
  const recipe = await readFile(yard.recipe, 'utf8')
  await writeFile(yard.recipe, recipe.replace(/^( *)speed: .*$/m, '$1speed: 5\n$1nan-step: 2'))
  const notices = new Notices()
  engine = await openEngine({
    home: yard.home,
    resources: yard.resources,
    recipes: resolve('recipes'),
    version: '0.0.0-test',
    host: hostOf(notices.add),
    watch: 'all'
  })
  const client = createRouterClient(engine.router)
  const { run, folder } = await client.launch.start({ recipe: yard.recipe })
  const nan = await notices.first(/NaN/)
  expect(nan.body).toMatch(/不是有限数值/)
  expect(nan.open).toEqual({ kind: 'run', run, step: expect.any(Number) as number })
  const processes = await stackProcesses(join(folder, 'logs', 'attempt-1', 'exit.json'))
  process.kill(processes?.launcher ?? 0, 'SIGKILL')
  const crash = await notices.first(/已失败退出/)
  expect(crash.open).toMatchObject({ kind: 'run', run })
  for await (const { alerts } of await client.alerts.watch()) {
    expect(alerts.map(({ kind }) => kind)).toEqual(['crash', 'not-finite'])
    break
  }
})
