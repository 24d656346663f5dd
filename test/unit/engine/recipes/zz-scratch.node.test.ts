import { test } from 'vitest'
import { parse } from 'yaml'
import { checkRecipe } from '../../../../src-main/engine/recipes/check'
import { reefRules } from '../../../../src-main/engine/recipes/rule-book'
import { ReefRecipe } from '../../../../src-main/engine/recipes/reef-recipe'
import { resolvedTable } from '../../../../src-main/engine/recipes/resolved-table'
import { reefFacts } from '../../../../src-main/engine/recipes/facts'
import { parseYaml } from '../../../../src-main/engine/recipes/yaml-tree'
import { saoRecipe } from './recipe-texts'
test('x', { timeout: 60000 }, () => {
  const text = saoRecipe()
  const T = new Map<string, number>()
  const time = (n: string, f: () => unknown) => {
    const s = performance.now()
    const r = f()
    T.set(n, (T.get(n) ?? 0) + performance.now() - s)
    return r
  }
  for (let i = 0; i < 300; i++) {
    if (i === 100) T.clear()
    time('parse', () => parse(text))
    time('check', () => checkRecipe({ path: 'a', text }))
    let src: any
    time('parseYaml', () => {
      src = parseYaml(text, 'pyyaml')
    })
    let r: any
    time('build', () => {
      r = new ReefRecipe({
        source: src,
        dialect: 'reef-v2',
        generation: 'C',
        environment: {},
        overrides: []
      })
    })
    time('table', () => resolvedTable(r))
    time('facts', () => reefFacts(r, 'a'))
    for (const rule of reefRules) time('r ' + rule.id, () => [...(rule.check(r) ?? [])])
  }
  const all = [...T].sort((a, b) => b[1] - a[1]).slice(0, 25)
  console.log(all.map(([n, t]) => `${n} ${(t / 200).toFixed(3)}`).join('\n'))
})
