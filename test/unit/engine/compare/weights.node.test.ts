import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { WeightComparison } from '../../../../src-main/contract/compare'
import { compareWeights } from '../../../../src-main/engine/compare'
import {
  fromBits,
  fromValues,
  randomTensor,
  safetensors,
  seeded,
  tensor,
  withFiles,
  type Tensor
} from './weight-files'

/** The figures of one pair in the plainest way there is. */
function plainly(a: number[], b: number[]): Record<string, number | null> {
  let [aa, bb, ab, dd, changed, largest] = [0, 0, 0, 0, 0, 0]
  for (const [index, x] of a.entries()) {
    const y = b[index] ?? NaN
    aa += x * x
    bb += y * y
    ab += x * y
    dd += (y - x) ** 2
    if (x !== y) changed += 1
    largest = Math.max(largest, Math.abs(y - x))
  }
  return {
    relative: aa === 0 ? null : Math.sqrt(dd) / Math.sqrt(aa),
    cosine: aa * bb === 0 ? null : ab / Math.sqrt(aa * bb),
    normA: Math.sqrt(aa),
    normB: Math.sqrt(bb),
    differenceNorm: Math.sqrt(dd),
    largest,
    changed: a.length === 0 ? 0 : changed / a.length
  }
}

function expectNear(
  got: number | null | undefined,
  expected: number | null | undefined,
  tolerance = 1e-6
): void {
  if (expected === null || expected === undefined || got === null || got === undefined)
    expect(got).toBe(expected)
  else
    expect(Math.abs(got - expected)).toBeLessThanOrEqual(
      tolerance * Math.max(Math.abs(expected), 1e-12)
    )
}

async function compareFiles(
  a: Record<string, Tensor>,
  b: Record<string, Tensor>
): Promise<WeightComparison> {
  return withFiles(
    { 'a/model.safetensors': safetensors(a), 'b/model.safetensors': safetensors(b) },
    async (folder) => {
      const comparison = await compareWeights({ a: `${folder}/a`, b: `${folder}/b` })
      expect(WeightComparison.parse(comparison)).toEqual(comparison)
      return comparison
    }
  )
}

const dtypes = ['F32', 'F16', 'BF16', 'F8_E4M3', 'F8_E5M2', 'F64', 'I64', 'I32', 'I16', 'U8']
/** Every format with itself, with the two common ones and with the widest. */
const pairs = dtypes.flatMap((a, i) =>
  [...new Set([a, 'F32', 'BF16', 'F64'])].map((b, j): [string, string, number] => [
    a,
    b,
    i * 31 + j
  ])
)

describe('two tensors', () => {
  it.each(pairs)('of %s and %s agree with sums done by hand', async (left, right, seed) => {
    const random = seeded(seed)
    const shapes = [[7, 33], [129], [3, 5, 16], [2, 8011], [5, 3], [1], [0, 8], []]
    const a = shapes.map((shape) => randomTensor(left, shape, random))
    const b = a.map((tensor, index) =>
      left === right && index % 2 === 0 ? tensor : randomTensor(right, tensor.shape, random)
    )
    const named = (tensors: Tensor[]): Record<string, Tensor> =>
      Object.fromEntries(tensors.map((tensor, index) => [`t${index}`, tensor]))
    const { tensors, bytesRead } = await compareFiles(named(a), named(b))
    const bytes = [...a, ...b].reduce((sum, tensor) => sum + tensor.bytes.length, 0)
    expect(bytesRead).toBe(bytes)
    for (const [index, one] of a.entries()) {
      const got = tensors.find(({ name }) => name === `t${index}`)
      const expected = plainly(one.values, b[index]?.values ?? [])
      expectNear(got?.relative, expected['relative'])
      // The inner product may be small beside its summands: what counts is its error in angle.
      if (typeof expected['cosine'] !== 'number' || typeof got?.cosine !== 'number')
        expect(got?.cosine).toBe(expected['cosine'])
      else expect(Math.abs(got.cosine - expected['cosine'])).toBeLessThan(1e-9)
      expectNear(got?.norm[0], expected['normA'])
      expectNear(got?.norm[1], expected['normB'])
      expectNear(got?.differenceNorm, expected['differenceNorm'])
      expectNear(got?.largest, expected['largest'])
      expect(got?.changed).toBe(expected['changed'])
    }
  })

  it.each(['F32', 'F64', 'BF16', 'F16', 'F8_E5M2'])(
    'count NaN and infinities of %s and leave them out of the sums',
    async (dtype) => {
      const quiet: Record<string, [number, number, number]> = {
        BF16: [0x7fc0, 0x7f80, 0x3f80],
        F16: [0x7e00, 0x7c00, 0x3c00],
        F8_E5M2: [0x7e, 0x7c, 0x3c]
      }
      const bits = quiet[dtype]
      const make = (values: number[]): Tensor =>
        tensor(
          [2, 8],
          bits === undefined
            ? fromValues(dtype, values)
            : fromBits(
                dtype,
                values.map((value) =>
                  Number.isNaN(value)
                    ? bits[0]
                    : value === Infinity
                      ? bits[1]
                      : value === 0
                        ? 0
                        : bits[2]
                )
              )
        )
      const row = [1, 1, 1, 1, 1, 1, 1, 1]
      const a = make([...row, NaN, Infinity, NaN, 1, 1, 1, 1, 0])
      const b = make([...row, NaN, 1, 1, 1, 1, 1, 1, NaN])
      const {
        tensors: [got],
        total
      } = await compareFiles({ w: a }, { w: b })
      expect(total).toMatchObject({ nan: [2, 2], infinite: [1, 0] })
      expect(got).toMatchObject({
        nan: [2, 2],
        infinite: [1, 0],
        differenceNorm: 0,
        norm: [Math.sqrt(12), Math.sqrt(12)],
        deadRows: [0, 0],
        changed: 3 / 16
      })
    }
  )

  it('find rows that are all zero, and none where a row has only NaN', async () => {
    const zeros = Array.from({ length: 16 }, () => 0)
    const ones = zeros.map(() => 1)
    const a = tensor(
      [4, 16],
      fromValues('F32', [
        ...ones,
        ...zeros,
        ...zeros.map(() => NaN),
        ...zeros.map((_, i) => (i === 15 ? 1e-30 : 0))
      ])
    )
    const b = tensor([4, 16], fromValues('F32', [...zeros, ...zeros, ...zeros, ...ones]))
    const [got] = (await compareFiles({ w: a }, { w: b })).tensors
    expect(got?.deadRows).toEqual([1, 3])
    expect(got?.nan).toEqual([16, 0])
  })

  it('keep a tiny side beside a huge one', async () => {
    const a = tensor(
      [2, 8],
      fromValues(
        'F32',
        Array.from({ length: 16 }, () => 1e10)
      )
    )
    const b = tensor(
      [2, 8],
      fromValues(
        'F32',
        Array.from({ length: 16 }, () => 1e-10)
      )
    )
    const [got] = (await compareFiles({ w: a }, { w: b })).tensors
    expectNear(got?.norm[1], 4e-10)
    expect(got?.deadRows).toEqual([0, 0])
  })
})

describe('checkpoints', () => {
  it('say what only one side has, which shapes differ, and where tensors stand', async () => {
    const random = seeded(5)
    const f32 = (shape: number[]): Tensor => randomTensor('F32', shape, random)
    const { tensors, onlyA, onlyB, problems } = await compareFiles(
      {
        'model.layers.26.mlp.down_proj.weight': f32([8, 8]),
        'model.embed_tokens.weight': f32([9, 8]),
        'lm_head.weight': f32([2, 8]),
        x: { ...f32([4]), dtype: 'F4' }
      },
      {
        'model.layers.26.mlp.down_proj.weight': f32([8, 8]),
        'model.embed_tokens.weight': f32([10, 8]),
        'model.norm.weight': f32([8]),
        x: { ...f32([4]), dtype: 'F4' }
      }
    )
    expect(tensors.map(({ layer, module }) => [layer, module])).toEqual([[26, 'down_proj']])
    expect([onlyA, onlyB]).toEqual([['lm_head.weight'], ['model.norm.weight']])
    expect(problems.map(({ name, why }) => [name, why.en])).toEqual([
      ['model.embed_tokens.weight', 'Shapes differ: 9×8 and 10×8.'],
      ['x', 'Numbers of the format F4 or F4 are not compared.']
    ])
  })

  it('are the same in one file and in shards', async () => {
    const random = seeded(9)
    const all = Object.fromEntries(
      Array.from({ length: 7 }, (_, i) => [
        `model.layers.${i}.mlp.up_proj.weight`,
        randomTensor('BF16', [40, 24], random)
      ])
    )
    const names = Object.keys(all)
    const pick = (from: number, to: number): Record<string, Tensor> =>
      Object.fromEntries(Object.entries(all).slice(from, to))
    const other = Object.fromEntries(
      names.map((name) => [name, randomTensor('BF16', [40, 24], random)])
    )
    await withFiles(
      {
        'one/model.safetensors': safetensors(all, { format: 'pt' }),
        'many/model-00001-of-00002.safetensors': safetensors(pick(0, 3)),
        'many/model-00002-of-00002.safetensors': safetensors(pick(3, 7)),
        'many/model.safetensors.index.json': JSON.stringify({
          metadata: { total_size: 1 },
          weight_map: Object.fromEntries(
            names.map((name, i) => [name, `model-0000${i < 3 ? 1 : 2}-of-00002.safetensors`])
          )
        }),
        'other/model.safetensors': safetensors(other)
      },
      async (folder) => {
        const same = await compareWeights({ a: `${folder}/one`, b: `${folder}/many` })
        expect(same.total.cosine).toBeCloseTo(1, 12)
        expect(same.total).toMatchObject({ relative: 0, changed: 0, elements: 7 * 960 })
        const apart = await compareWeights({ a: `${folder}/many`, b: `${folder}/other` })
        const flat = (tensors: Record<string, Tensor>): number[] =>
          names.flatMap((name) => tensors[name]?.values ?? [])
        const expected = plainly(flat(all), flat(other))
        expectNear(apart.total.relative, expected['relative'])
        expectNear(apart.total.changed, expected['changed'], 1e-12)
      }
    )
  })

  it('differ in configuration, tokenizer and chat template, and other architectures are said', async () => {
    const weights = safetensors({ w: randomTensor('F32', [4], seeded(1)) })
    await withFiles(
      {
        'a/model.safetensors': weights,
        'b/model.safetensors': weights,
        'a/config.json': JSON.stringify({
          model_type: 'qwen2',
          hidden_size: 8,
          nested: { x: 1, y: 2 },
          same: [1]
        }),
        'b/config.json': JSON.stringify({
          same: [1],
          nested: { y: 2, x: 3 },
          hidden_size: 16,
          model_type: 'qwen2',
          extra: null
        }),
        'a/chat_template.jinja': 'a',
        'b/chat_template.jinja': 'b',
        'b/tokenizer.json': '{}'
      },
      async (folder) => {
        const { files, warnings } = await compareWeights({ a: `${folder}/a`, b: `${folder}/b` })
        expect(files.map(({ file, path, a, b }) => [file, path, a === null, b === null])).toEqual([
          ['config.json', 'extra', true, false],
          ['config.json', 'hidden_size', false, false],
          ['config.json', 'nested.x', false, false],
          ['chat_template.jinja', '', false, false],
          ['tokenizer.json', '', true, false]
        ])
        expect(warnings.map(({ en }) => en)).toEqual([
          'Other architecture: hidden_size is 8 and 16.'
        ])
      }
    )
  })

  it('stop when asked, and say how far they are', async () => {
    const big = randomTensor('U8', [1024, 1024], seeded(3))
    await withFiles(
      {
        'a.safetensors': safetensors({ w: big, x: big }),
        'b.safetensors': safetensors({ w: big, x: big })
      },
      async (folder) => {
        const seen: number[] = []
        await compareWeights({
          a: `${folder}/a.safetensors`,
          b: `${folder}/b.safetensors`,
          onProgress: ({ done, total }) => seen.push(done / total)
        })
        expect(seen.at(-1)).toBe(1)
        expect(seen.length).toBeGreaterThan(1)
        const stop = new AbortController()
        const stopped = compareWeights({
          a: `${folder}/a.safetensors`,
          b: `${folder}/b.safetensors`,
          signal: stop.signal,
          onProgress: () => {
            stop.abort(new Error('enough'))
          }
        })
        await expect(stopped).rejects.toThrow('enough')
      }
    )
  })
})

/** scale · B·A, formed entry by entry. */
function product(b: Tensor, a: Tensor, scale: number): number[] {
  const [rows = 0, rank = 0] = b.shape
  const columns = a.shape[1] ?? 0
  const out: number[] = []
  for (let i = 0; i < rows; i += 1)
    for (let j = 0; j < columns; j += 1) {
      let sum = 0
      for (let k = 0; k < rank; k += 1)
        sum += (b.values[i * rank + k] ?? 0) * (a.values[k * columns + j] ?? 0)
      out.push(scale * sum)
    }
  return out
}

function adapterFolder(
  prefix: string,
  tensors: Record<string, Tensor>,
  config: Record<string, unknown>
): Record<string, string | Buffer> {
  return {
    [`${prefix}/adapter_model.safetensors`]: safetensors(tensors),
    [`${prefix}/adapter_config.json`]: JSON.stringify({
      peft_type: 'LORA',
      base_model_name_or_path: 'm',
      ...config
    })
  }
}

describe('adapters', () => {
  const key = 'base_model.model.model.layers.3.self_attn.q_proj'
  const factors = (rank: number, random: () => number, dtype = 'F32'): { a: Tensor; b: Tensor } => {
    const values = (n: number): number[] => Array.from({ length: n }, () => random() - 0.5)
    if (dtype === 'F32')
      return {
        a: tensor([rank, 50], fromValues('F32', values(rank * 50))),
        b: tensor([30, rank], fromValues('F32', values(30 * rank)))
      }
    return {
      a: randomTensor(dtype, [rank, 50], random),
      b: randomTensor(dtype, [30, rank], random)
    }
  }
  const cases: [
    string,
    number,
    number,
    Record<string, unknown>,
    Record<string, unknown>,
    number,
    number
  ][] = [
    ['of one rank', 4, 4, { r: 4, lora_alpha: 8 }, { r: 4, lora_alpha: 16 }, 2, 4],
    ['of two ranks', 4, 8, { r: 4, lora_alpha: 4 }, { r: 8, lora_alpha: 4 }, 1, 0.5],
    [
      'with a stabilised rank',
      4,
      4,
      { r: 4, lora_alpha: 8, use_rslora: true },
      { r: 4, lora_alpha: 8 },
      4,
      2
    ],
    [
      'with a pattern',
      4,
      4,
      { r: 4, lora_alpha: 8, alpha_pattern: { 'self_attn.q_proj': 12 } },
      { r: 4, lora_alpha: 8, alpha_pattern: { k_proj: 99 } },
      3,
      2
    ]
  ]
  it.each(cases)(
    '%s are compared by what they add to the weights',
    async (_name, rankA, rankB, configA, configB, scaleA, scaleB) => {
      const random = seeded(17)
      const one = factors(rankA, random)
      const two = factors(rankB, random)
      await withFiles(
        {
          ...adapterFolder(
            'a',
            { [`${key}.lora_A.weight`]: one.a, [`${key}.lora_B.weight`]: one.b },
            configA
          ),
          ...adapterFolder(
            'b',
            { [`${key}.lora_A.default.weight`]: two.a, [`${key}.lora_B.default.weight`]: two.b },
            configB
          )
        },
        async (folder) => {
          const comparison = await compareWeights({ a: `${folder}/a`, b: `${folder}/b` })
          expect(comparison.kind).toBe('adapter')
          const [got] = comparison.tensors
          const expected = plainly(product(one.b, one.a, scaleA), product(two.b, two.a, scaleB))
          expect(got).toMatchObject({ layer: 3, module: 'q_proj', shape: [30, 50], changed: null })
          expectNear(got?.relative, expected['relative'], 1e-9)
          expectNear(got?.norm[0], expected['normA'], 1e-9)
          expectNear(got?.norm[1], expected['normB'], 1e-9)
          expect(Math.abs((got?.cosine ?? NaN) - (expected['cosine'] ?? NaN))).toBeLessThan(1e-9)
        }
      )
    }
  )

  it('that are nearly equal do not drown in rounding', async () => {
    const random = seeded(4)
    const one = factors(4, random)
    const nudged = tensor(
      [30, 4],
      fromValues(
        'F32',
        one.b.values.map((value, i) => (i % 7 === 0 ? value * (1 + 1e-6) : value))
      )
    )
    await withFiles(
      {
        ...adapterFolder(
          'a',
          { [`${key}.lora_A.weight`]: one.a, [`${key}.lora_B.weight`]: one.b },
          { r: 4, lora_alpha: 4 }
        ),
        ...adapterFolder(
          'b',
          { [`${key}.lora_A.weight`]: one.a, [`${key}.lora_B.weight`]: nudged },
          { r: 4, lora_alpha: 4 }
        )
      },
      async (folder) => {
        const [got] = (await compareWeights({ a: `${folder}/a`, b: `${folder}/b` })).tensors
        const expected = plainly(product(one.b, one.a, 1), product(nudged, one.a, 1))
        expect(expected['relative']).toBeLessThan(1e-6)
        expectNear(got?.relative, expected['relative'], 1e-6)
      }
    )
  })

  it('check their sidecar, say other bases, and count what a fresh B leaves dead', async () => {
    const random = seeded(4)
    const one = factors(4, random)
    const fresh = tensor(
      [30, 4],
      fromValues(
        'F32',
        Array.from({ length: 120 }, (_, i) => (i < 8 ? 1 : 0))
      )
    )
    const filesA = adapterFolder(
      'a',
      { [`${key}.lora_A.weight`]: one.a, [`${key}.lora_B.weight`]: one.b },
      { r: 4 }
    )
    const filesB = adapterFolder(
      'b',
      { [`${key}.lora_A.weight`]: one.a, [`${key}.lora_B.weight`]: fresh },
      { r: 4, base_model_name_or_path: 'other' }
    )
    const sha = (data: string | Buffer | undefined): string =>
      createHash('sha256')
        .update(data ?? '')
        .digest('hex')
    const sidecar = (
      prefix: string,
      files: Record<string, string | Buffer>,
      base: string
    ): string =>
      JSON.stringify({
        schema: 1,
        base_model: { name_or_path: base, tokenizer: {} },
        files: Object.fromEntries(
          Object.entries(files).map(([name, data]) => [name.slice(prefix.length + 1), sha(data)])
        )
      })
    await withFiles(
      {
        ...filesA,
        ...filesB,
        'a/reef-adapter.json': sidecar('a', filesA, 'm'),
        'b/reef-adapter.json': sidecar(
          'b',
          { ...filesB, 'b/adapter_config.json': 'x', 'b/../../etc/passwd': '' },
          'n'
        )
      },
      async (folder) => {
        const comparison = await compareWeights({ a: `${folder}/a`, b: `${folder}/b` })
        expect(comparison.sidecar).toEqual([
          { kind: 'match', files: 2 },
          { kind: 'mismatch', files: ['adapter_config.json', '../../etc/passwd'] }
        ])
        expect(comparison.tensors[0]?.deadRows).toEqual([0, 28])
        expect(comparison.warnings.map(({ en }) => en.split(/[:;]/)[0])).toEqual([
          'Other base model',
          'The digests of base model or tokenizer in reef-adapter.json differ',
          'B'
        ])
      }
    )
  })

  it('are not compared with full weights', async () => {
    const one = factors(4, seeded(1))
    await withFiles(
      {
        ...adapterFolder(
          'a',
          { [`${key}.lora_A.weight`]: one.a, [`${key}.lora_B.weight`]: one.b },
          {}
        ),
        'b/model.safetensors': safetensors({ w: one.a })
      },
      async (folder) => {
        await expect(compareWeights({ a: `${folder}/a`, b: `${folder}/b` })).rejects.toMatchObject({
          failure: { code: 'weights-of-different-kinds' }
        })
      }
    )
  })

  it('keep modules saved whole, halves without their other half, and factors that do not multiply', async () => {
    const random = seeded(2)
    const one = factors(4, random)
    const files = {
      [`${key}.lora_A.weight`]: one.a,
      [`${key}.lora_B.weight`]: tensor(
        [30, 3],
        fromValues(
          'F32',
          Array.from({ length: 90 }, () => 1)
        )
      ),
      'base_model.model.lm_head.weight': randomTensor('F32', [4, 8], random),
      'base_model.model.x.lora_A.weight': one.a
    }
    await withFiles(
      { ...adapterFolder('a', files, {}), ...adapterFolder('b', files, {}) },
      async (folder) => {
        const { tensors, problems } = await compareWeights({ a: `${folder}/a`, b: `${folder}/b` })
        expect(tensors.map(({ name }) => name)).toEqual([
          'base_model.model.lm_head.weight',
          'base_model.model.x.lora_A.weight'
        ])
        expect(problems.map(({ name }) => name)).toEqual(['model.layers.3.self_attn.q_proj'])
      }
    )
  })
})
