import { describe, expect, it } from 'vitest'
import { redactDeep, redactor } from '../../../../src-main/engine/lib'
import { checkRecipe } from '../../../../src-main/engine/recipes'

const SECRET = 'Zq8vT1pLmN0x'
const bare = redactor([])

describe('redactor', () => {
  it.each([
    `https://bob:${SECRET}@host/v1`,
    `https://host/v1?api_key=${SECRET}&n=1`,
    `https://host/x.git?token=${SECRET}`,
    `--wandb-key ${SECRET} --lr 1`,
    `serve --api-key=${SECRET}`,
    `reef --token ${SECRET}`,
    `env WANDB_API_KEY=${SECRET} run`,
    `-H 'Authorization: Bearer ${SECRET}'`
  ])('takes the credential out of %s', (text) => {
    expect(bare(text)).not.toContain(SECRET)
    expect(bare(text)).toContain('‹redacted›')
  })

  it.each([
    '--input-key question --label-key answer --metadata-key meta_data',
    '--eos-token <|im_end|>',
    'http://127.0.0.1:8900/reef/status?after_step=12&limit=100',
    'step 12: train/loss 0.5, tokens 1234567'
  ])('leaves %s', (text) => {
    expect(bare(text)).toBe(text)
  })

  it('goes into lists and objects', () => {
    const value = { a: [`x ${SECRET}`, 3, null], b: { c: SECRET } }
    const clean = redactDeep(value, redactor([SECRET]))
    expect(clean).toEqual({ a: ['x ‹redacted›', 3, null], b: { c: '‹redacted›' } })
  })
})

it('a check shows no credential, however it came into a text', () => {
  const text = [
    'schema-version: 2',
    'reef:',
    '  token: ${REEF_TOKEN}',
    '  run-dir: work/${reef.token}/run',
    'recipe: { implementation: recipes.sao.recipe:SAORecipe, config: { batch-size: 4 } }',
    `inference: { model-path: m, base-url: "https://bob:${SECRET}1@host/v1?api_key=${SECRET}2" }`,
    'training:',
    '  backend: slime',
    '  config: { checkpoint_dir: "work/${AWS_SECRET_ACCESS_KEY}/checkpoints" }',
    `  options: { wandb-key: ${SECRET}3, extra-args: "--api-key ${SECRET}4" }`,
    `  env: { AWS_SECRET_ACCESS_KEY: ${SECRET}5 }`,
    ''
  ].join('\n')
  const environment = { REEF_TOKEN: `${SECRET}6`, AWS_SECRET_ACCESS_KEY: `${SECRET}7` }
  const result = checkRecipe({ path: 'x.yaml', text, environment })
  expect(JSON.stringify({ ...result, findings: [] })).not.toContain(SECRET)
  for (const { message, explanation } of result.findings)
    expect(`${message.en} ${message.zh} ${explanation.en}`).not.toContain(SECRET)
  const told = new Set(result.findings.map(({ rule, path }) => `${rule} ${path}`))
  expect(told).toContain('secret/in-path reef.run-dir')
  expect(told).toContain('secret/in-path training.config.checkpoint_dir')
  for (const path of ['inference.base-url', 'training.options.wandb-key'])
    expect(told).toContain(`secret/in-file ${path}`)
})
