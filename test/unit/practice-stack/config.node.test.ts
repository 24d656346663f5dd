import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { resolveConfig } from '../../../resources/practice-stack/config/resolve.mjs'

const folder = mkdtempSync(join(tmpdir(), 'practice-config-'))
afterAll(() => rmSync(folder, { recursive: true }))

const shipped = readFileSync('recipes/practice-sao.yaml', 'utf8')

function resolved(
  text: string,
  flags: string[] = [],
  environment: Record<string, string> = {}
): ReturnType<typeof resolveConfig> {
  const path = join(folder, 'recipe.yaml')
  writeFileSync(path, text)
  return resolveConfig(path, flags, environment)
}

describe('the shipped recipes', () => {
  it.each(['sao', 'tttd'])('practice-%s is usable as it is', (name) => {
    const settings = resolveConfig(`recipes/practice-${name}.yaml`, [], {})
    expect(settings['training.backend']?.value).toBe('practice')
    expect(settings['reef.token']).toEqual({ value: null, source: 'default' })
    expect(settings['training.options.save']?.value).toBe(
      `work/practice-${name}/checkpoints/megatron`
    )
    expect(settings['training.options.save-hf']?.value).toContain('/{rollout_id}')
  })
})

describe('where a value comes from', () => {
  it('command line before file before environment before default', () => {
    const bare = shipped
      .replace(/^ {4}batch-size: 48\n/m, '')
      .replaceAll('${recipe.config.batch-size}', '48')
    const value = (...rest: [string[]?, Record<string, string>?]): unknown =>
      resolved(bare, ...rest)['recipe.config.batch-size']
    expect(value()).toEqual({ value: 128, source: 'default' })
    expect(value([], { REEF_SAO_BATCH_SIZE: '16' })).toEqual({
      value: 16,
      source: 'environment REEF_SAO_BATCH_SIZE'
    })
    const flags = ['--recipe.config.batch_size=4']
    expect(value(flags, { REEF_SAO_BATCH_SIZE: '16' })).toEqual({
      value: 4,
      source: 'command line'
    })
  })

  it('an override reaches what refers to it', () => {
    const settings = resolved(shipped, ['--recipe.config.batch-size', '8'])
    expect(settings['training.options.global-batch-size']?.value).toBe(8)
  })
})

describe('what is refused', () => {
  it.each<[string, string, string, string]>([
    [
      'another version',
      'schema-version: 2',
      'schema-version: true',
      'unsupported schema-version; expected 2'
    ],
    ['an unknown section', 'reef:', 'rift: {}\nreef:', 'unknown config sections: rift'],
    ['an unknown field', '  port: 8900', '  porto: 1', 'unknown config fields: reef.porto'],
    [
      'both spellings',
      '  run-dir: work/practice-sao/run',
      '  run-dir: a\n  run_dir: b',
      'duplicate config field: reef.run-dir'
    ],
    [
      'a repeated key',
      '  port: 8900',
      '  port: 1\n  port: 2',
      'repeats YAML keys: reef.port (lines'
    ],
    [
      'null',
      '  port: 8900',
      '  port:',
      'reef.port does not accept null; omit the field to use its default'
    ],
    [
      'a port out of range',
      '  port: 8900',
      '  port: 70000',
      'reef.port must be at least 1 and at most 65535'
    ],
    [
      'an engine flag',
      '    seed: 1',
      '    sglang-x: 1',
      'training.options.sglang-x configures inference;'
    ],
    ['a placement flag', '    seed: 1', '    colocate: true', 'use training.colocate instead'],
    [
      'an unknown option',
      '    seed: 1',
      '    sead: 1',
      'training.options.sead is no option of the practice'
    ],
    [
      'an unknown recipe field',
      '    max-staleness: 2',
      '    staleness: 2',
      'unknown recipe.config field: staleness'
    ],
    ['no batch', '    batch-size: 48', '    batch-size: 0', 'batch_size must be positive'],
    [
      'another backend',
      '  backend: practice',
      '  backend: slime',
      "training.backend 'slime' is not 'practice'"
    ],
    [
      'no template',
      '/hf/{rollout_id}',
      '/hf/x',
      'the Reef bridge requires --save-hf with a {rollout_id}'
    ],
    ['a missing variable', '${REEF_TOKEN}', '${NEEDED:?}', '  NEEDED (reef.token)'],
    [
      'a wrong reference',
      '${recipe.config.batch-size}',
      '${recipe.none}',
      'unknown config reference'
    ],
    ['broken YAML', 'reef:', 'reef: [', 'is not valid YAML']
  ])('%s', (_, from, to, message) => {
    expect(shipped).toContain(from)
    expect(() => resolved(shipped.replace(from, () => to))).toThrow(message)
  })

  it('a file that is not there', () => {
    expect(() => resolveConfig('/nowhere/r.yaml', [], {})).toThrow(
      'config not found: /nowhere/r.yaml'
    )
  })
})
