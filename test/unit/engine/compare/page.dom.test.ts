import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ticksOf } from '../../../../src-main/engine/compare/curve-figure'
import type { Trial } from '../../../../src-main/contract/behaviour'
import type { SideComparison, WeightComparison } from '../../../../src-main/contract/compare'
import {
  comparisonPage,
  escaped,
  type PageContent
} from '../../../../src-main/engine/compare/comparison-page'

/** Text that would run, load or break out if any of it were taken as HTML. */
const HOSTILE = `</pre></style><script>alert(1)</script><img src="http://127.0.0.1/x" onerror='x'>&amp;`

const comparison: SideComparison = {
  sides: [0, 1, 2].map((step) => ({
    side: { kind: 'release', run: 'r-1', step },
    label: `${HOSTILE} r${step}`,
    run: { id: 'r-1', name: `${HOSTILE} mine` },
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
    infinite: [0, 0],
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
  })),
  rows: [
    {
      prompt: HOSTILE,
      order: [1, 0],
      answers: [
        { kind: 'text', text: HOSTILE, receipt: null, release: null, at: 0 },
        { kind: 'missing', why: { en: HOSTILE, zh: HOSTILE } }
      ],
      verdict: [0],
      reported: [null, null]
    }
  ],
  tallies: [{ win: 0, tie: 0, loss: 1, share: 0, interval: [0, 0.79], proven: 'no' }],
  bests: [
    { alone: 1, together: 0, share: 1, interval: [0.21, 1], proven: 'no' },
    { alone: 0, together: 0, share: 0, interval: [0, 0.79], proven: 'no' }
  ]
}

const numbers = (...values: number[]): Float64Array => Float64Array.from(values)
const figure: PageContent['curves']['figures'][number] = {
  title: HOSTILE,
  curves: [0, 7].map((side) => ({
    label: HOSTILE,
    side,
    points: {
      x: numbers(-1, 0, 1, 2),
      raw: numbers(0.1, NaN, 100, 0.3),
      smooth: numbers(0.1, 0.15, 0.2, 0.25 + side)
    }
  }))
}

const read = (html: string): Document => new DOMParser().parseFromString(html, 'text/html')

const content: Omit<PageContent, 'language'> = {
  name: HOSTILE,
  comparison,
  curves: { by: 'fork', figures: [figure] },
  weights: [{ side: 1, comparison: weights }],
  odd: [{ side: 1, why: { en: 'One side is an adapter.', zh: '一方是适配器。' } }],
  trials: [trial],
  madeAt: 0
}

const page = (language: 'en' | 'zh'): string => comparisonPage({ ...content, language })

it('says of weights that could not be compared why', () => {
  expect(page('en')).toContain('One side is an adapter.')
  expect(page('zh')).toContain('一方是适配器。')
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
      expect(html.split('mine (r-1)'), 'the run is named once').toHaveLength(2)
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

  it('of a trial of more than two says how often each was the best, and how it stands against the first', () => {
    const [one, two] = [trial.sides[0], trial.bests[1]]
    if (one === undefined || two === undefined) throw new Error('the trial has two sides')
    const three: Trial = {
      ...trial,
      sides: [...trial.sides, { ...one, label: HOSTILE }],
      rows: [{ ...(trial.rows[0] as Trial['rows'][number]), verdict: [] }],
      tallies: [
        ...trial.tallies,
        { win: 9, tie: 2, loss: 1, share: 0.9, interval: [0.596, 0.982], proven: 'better' }
      ],
      bests: [
        ...trial.bests,
        { alone: 9, together: 2, share: 9 / 11, interval: [0.523, 0.949], proven: 'more' }
      ]
    }
    const document = read(comparisonPage({ ...content, trials: [three], language: 'en' }))
    const text = document.body.textContent
    expect(text).toContain('9, 82 % (52 … 95 %)2')
    expect(text).toContain('9 won, 2 tied, 1 lost, 90 % of the decided (60 … 98 %)')
    expect(text).toContain('none is any good')
    const heads = [...document.querySelectorAll('th')].map((head) => head.textContent)
    expect(heads).toContain('Against r0')
    expect(heads).toContain(HOSTILE)
  })

  it('draws the curves of the sides within the frame, in colours of either scheme', () => {
    const document = read(page('en'))
    const svg = document.querySelector('.figure svg')
    const lines = [...(svg?.querySelectorAll('polyline') ?? [])]
    expect(lines.map((line) => line.getAttribute('class'))).toEqual([
      'raw k0',
      'k0',
      'raw k1 dash',
      'k1 dash'
    ])
    const [, , width, height] = (svg?.getAttribute('viewBox') ?? '').split(' ').map(Number)
    for (const line of lines)
      for (const place of (line.getAttribute('points') ?? '').split(' ')) {
        const [x = NaN, y = NaN] = place.split(',').map(Number)
        expect(x >= 0 && x <= (width ?? 0) && y >= 0 && y <= (height ?? 0)).toBe(true)
      }
    // The sample that is no number is left out, and nothing else.
    expect(lines[0]?.getAttribute('points')?.split(' ')).toHaveLength(3)
    expect(lines[1]?.getAttribute('points')?.split(' ')).toHaveLength(4)
    expect(document.querySelector('.legend')?.textContent).toBe(HOSTILE + HOSTILE)
    expect(document.body.textContent).toContain('optimizer steps from the fork')
    expect(page('zh')).toContain('自分叉起的优化器步数')
    expect(page('en').split('prefers-color-scheme:dark').length).toBeGreaterThan(2)
  })

  it('has no curves where no side is a release or has a finite sample', () => {
    const none = { by: 'step' as const, figures: [] }
    const nan = {
      ...figure,
      curves: figure.curves.slice(0, 1).map((one) => ({
        ...one,
        points: { x: numbers(1), raw: numbers(NaN), smooth: numbers(NaN) }
      }))
    }
    for (const curves of [none, { ...none, figures: [nan] }])
      expect(
        read(comparisonPage({ ...content, curves, language: 'en' })).querySelector('svg')
      ).toBeNull()
  })

  it.each([
    [0, 1, 5, [0, 0.2, 0.4, 0.6, 0.8, 1]],
    [-3, 120, 6, [0, 50, 100]],
    [5, 5, 4, [5]],
    [1e-9, 3e-9, 2, [1e-9, 2e-9, 3e-9]]
  ])('marks %s to %s at round numbers', (low, high, count, ticks) => {
    expect(ticksOf(low, high, count)).toEqual(ticks)
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
