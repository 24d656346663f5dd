// `npm run check`: every static check, all of them even if one fails, each with its time.
import path from 'node:path'
import { pathToFileURL } from 'node:url'
import { root, run, say } from './lib.mjs'
import { printSizes } from './sizes.mjs'

const tool = (file) => path.join(root, 'node_modules', file)
const tsc = (project) => [tool('typescript/bin/tsc'), '-p', project]

const checks = [
  ['types: main', tsc('tsconfig.node.json')],
  ['types: preload', tsc('tsconfig.preload.json')],
  ['types: page', tsc('tsconfig.web.json')],
  ['types: end to end', tsc('tsconfig.e2e.json')],
  ['types: oldest Electron', tsc('tsconfig.floor.json')],
  ['lint', [tool('eslint/bin/eslint.js'), '.', '--max-warnings', '0']],
  ['format', [tool('prettier/bin/prettier.cjs'), '--check', '.', '--log-level', 'warn']],
  [
    'layers and cycles',
    [
      tool('dependency-cruiser/bin/dependency-cruise.mjs'),
      '--config',
      '.dependency-cruiser.cjs',
      '--output-type',
      'err-long',
      'src-main',
      'src-renderer'
    ]
  ],
  ['dead code and unused dependencies', [tool('knip/bin/knip.js')]],
  ['docs/rules.md', [path.join(root, 'scripts/generate-rules.mjs'), '--check']]
]

/** Runs all checks; returns how many passed and failed, and which failed. */
export async function check() {
  const failed = []
  for (const [name, command] of checks) {
    const began = performance.now()
    const code = await run(process.execPath, command)
    const seconds = ((performance.now() - began) / 1000).toFixed(1)
    say(`${code === 0 ? 'ok  ' : 'FAIL'} ${name} (${seconds} s)`)
    if (code !== 0) failed.push(name)
  }
  const sizesKept = printSizes()
  if (!sizesKept) failed.push('size budgets')
  return { passed: checks.length + 1 - failed.length, failed: failed.length, names: failed }
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  const { passed, failed } = await check()
  say(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}
