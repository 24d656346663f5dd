// `npm run e2e [-- playwright arguments]`: the end-to-end tests alone, on the built app.
import path from 'node:path'
import { root, run } from './lib.mjs'
import { setUp } from './setup.mjs'
import { isHeadless } from './system-libraries.mjs'

await setUp()
const playwright = [
  path.join(root, 'node_modules/@playwright/test/cli.js'),
  'test',
  ...process.argv.slice(2)
]
process.exitCode = isHeadless()
  ? await run('xvfb-run', ['-a', '-s', '-screen 0 2560x1600x24', process.execPath, ...playwright])
  : await run(process.execPath, playwright)
