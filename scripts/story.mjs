// Plays the whole story on the built app under a virtual display, in a temporary home.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { root, run } from './lib.mjs'

const shots = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-story-'))
const command = [
  path.join(root, 'node_modules/@playwright/test/cli.js'),
  'test',
  'story.spec.ts',
  `--reporter=${path.join(root, 'scripts/story-reporter.mjs')}`
]
process.exitCode = await run(
  'xvfb-run',
  ['-a', '-s', '-screen 0 2560x1600x24', process.execPath, ...command],
  { env: { ...process.env, SLIPWAY_SHOTS: shots } }
)
