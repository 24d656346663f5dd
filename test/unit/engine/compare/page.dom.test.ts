import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Trial } from '../../../../src-main/contract/behaviour'
import type { SideComparison, WeightComparison } from '../../../../src-main/contract/compare'
import { comparisonPage, escaped } from '../../../../src-main/engine/compare/comparison-page'

/** Text that would run, load or break out if any of it were taken as HTML. */
const HOSTILE = `</pre></style><script>alert(1)</script><img src="http://127.0.0.1/x" onerror='x'>&amp;`

const comparison: SideComparison = {
  sides: [0, 1, 2].map((step) => ({
    side: { kind: 'release', run: 'r-1', step },
    label: `${HOSTILE} r${step}`,
    run: null,
    step,
    attempt: 1,
    recordedAt: null,
    weights: null,
    hasRecipe: true
  })),
  baseline: 0,
  window: 4,
  metrics: [
    {
      key: HOSTILE,
      direction: 'up',
      cells: [0.25, 0.5, 0.75].map((value) => ({ value, n: 4 })),
      against: [
        null,
        difference(0.25, [-0.1, 0.6], 'not-proven'),
        difference(0.5, [0.3, 0.7], 'better')
      ]
    }
  ],
  results: [
    {
      task: 'held-out',
      cells: [
        null,
        {
          release: 1,
          step: null,
          task: 'held-out',
          n: 10,
          correct: 9,
          score: 0.9,
          interval: [0.596, 0.982]
        },
        null
      ],
      against: [null, null, null]
    }
  ],
  settings: [{ path: `a.${HOSTILE}`, values: [HOSTILE, null, '3'], derived: true }]
}

function difference(
  value: number,
  interval: [number, number],
  verdict: 'not-proven' | 'better'
): SideComparison['metrics'][number]['against'][number] {
  return {
    key: 'k',
    a: 0.25,
    b: 0.25 + value,
    difference: value,
    interval,
    n: [4, 4],
    direction: 'up',
    verdict
  }
}

const weights: WeightComparison = {
  kind: 'full',
  a: 'a',
  b: 'b',
  warnings: [{ en: HOSTILE, zh: HOSTILE }],
  tensors: [0, 1].map((layer) => ({
    name: `model.layers.${layer}.${HOSTILE}`,
    layer,
    module: 'q_proj',
    shape: [2, 2],
    dtype: ['F32', 'F32'],
    relative: 0.001 * (layer + 1),
    cosine: 0.999,
    norm: [1, 1],
    differenceNorm: 0.001,
    largest: 0.001,
    changed: 0.5,
    nan: [0, 0],
    infinite: [0, 0],
    deadRows: [0, 0]
  })),
  onlyA: [],
  onlyB: [],
  problems: [{ name: HOSTILE, why: { en: HOSTILE, zh: HOSTILE } }],
  total: {
    relative: 0.0015,
    cosine: 0.999,
    norm: [1, 1],
    changed: 0.5,
    elements: 8,
    nan: [0, 0],
    deadRows: [0, 0]
  },
  files: [{ file: 'config.json', path: HOSTILE, a: HOSTILE, b: null }],
  sidecar: [{ kind: 'none' }, { kind: 'none' }],
  bytesRead: 0,
  took: 0
}

const trial: Trial = {
  id: 't-1',
  name: HOSTILE,
  madeAt: 0,
  blind: true,
  temperature: null,
  maxTokens: null,
  sides: [0, 1].map((step) => ({
    side: { kind: 'release' as const, run: 'r-1', step },
    label: `r${step}`,
    way: 'asked-release' as const,
    note: null
  })) as unknown as Trial['sides'],
  rows: [
    {
      prompt: HOSTILE,
      first: 'b',
      answers: [
        { kind: 'text', text: HOSTILE, receipt: null, release: null, at: 0 },
        { kind: 'missing', why: { en: HOSTILE, zh: HOSTILE } }
      ],
      verdict: 'a',
      reported: [null, null]
    }
  ],
  tally: { win: 0, tie: 0, loss: 1, share: 0, interval: [0, 0.79], proven: 'no' }
}

const read = (html: string): Document => new DOMParser().parseFromString(html, 'text/html')

const page = (language: 'en' | 'zh'): string =>
  comparisonPage({
    name: HOSTILE,
    comparison,
    weights: [{ side: 1, comparison: weights }],
    trials: [trial],
    language,
    madeAt: 0
  })

describe('an exported comparison', () => {
  it.each(['en', 'zh'] as const)(
    'in %s runs nothing, loads nothing, and shows all text as text',
    (language) => {
      const html = page(language)
      const document = read(html)
      expect(document.querySelectorAll('script, img, link, iframe, object, base')).toHaveLength(0)
      const loading = [...document.querySelectorAll('*')].filter((element) =>
        [...element.attributes].some(
          ({ name, value }) => /^on|^src|^href/.test(name) || /url\(|https?:/.test(value)
        )
      )
      expect(loading).toEqual([])
      expect(html.match(/<style>[\s\S]*?<\/style>/)?.[0]).not.toMatch(/@import|url\(/)
      const policy = document.querySelector('meta[http-equiv="Content-Security-Policy"]')
      expect(policy?.getAttribute('content')).toBe("default-src 'none'; style-src 'unsafe-inline'")
      expect(document.title).toBe(HOSTILE)
      expect(document.querySelector('h1')?.textContent).toBe(HOSTILE)
      const answers = [...document.querySelectorAll('.answers pre')].map((one) => one.textContent)
      expect(answers).toEqual([HOSTILE, HOSTILE])
      expect(document.documentElement.lang).toBe(language === 'zh' ? 'zh-CN' : 'en')
    }
  )

  it('says what is proven, and of how many when it is not', () => {
    const document = read(page('en'))
    const text = document.body.textContent
    expect(text).toContain('+0.25 (-0.1 … 0.6) not proven, n = 4')
    expect(text).toContain('+0.5 (0.3 … 0.7) ✓ better')
    expect(text).toContain('0.9 (0.596 … 0.982), n = 10')
    expect(text).toContain('r1: 0 won, 0 tied, 1 lost, 0 % of the decided (0 … 79 %), not proven')
    expect(document.querySelectorAll('.heat td[title]')).toHaveLength(2)
  })

  it('escapes any text so that a browser reads it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (raw) => {
        // NUL and carriage returns are changed by every HTML parser.
        const text = raw.replace(/[\0\r]/g, '')
        const document = read(`<p title="${escaped(text)}">${escaped(text)}</p>`)
        const element = document.querySelector('p')
        expect([element?.textContent, element?.title]).toEqual([text, text])
      }),
      { numRuns: 30 }
    )
  })
})
