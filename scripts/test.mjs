// `npm test`: all set-up, then checks, unit, contract, integration and end-to-end tests in a real Electron.
// `npm run test:long` adds the long tier. The last line counts everything.
import fs from 'node:fs'
import os from 'node:os'
import path from 'node:path'
import { check } from './check.mjs'
import { root, run, say } from './lib.mjs'
import { setUp } from './setup.mjs'
import { isHeadless } from './system-libraries.mjs'

const long = process.argv.includes('--long')
const reports = fs.mkdtempSync(path.join(os.tmpdir(), 'slipway-test-'))
const totals = { passed: 0, failed: 0, skipped: 0 }
/** What failed, by name: said again at the end, where the output above may be long gone from the screen. */
const names = []

function add({ passed = 0, failed = 0, skipped = 0 }) {
  totals.passed += passed
  totals.failed += failed
  totals.skipped += skipped
}

function readReport(file, code, count) {
  if (!fs.existsSync(file)) {
    say(`no report: ${path.basename(file)}`)
    return { failed: 1 }
  }
  const counted = count(JSON.parse(fs.readFileSync(file, 'utf8')))
  // A runner that failed without a failing test (a crash, an unhandled rejection) is a failure too.
  return code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted
}

async function vitest(projects) {
  const file = path.join(reports, `vitest-${projects.join('-')}.json`)
  const code = await run(
    process.execPath,
    [
      path.join(root, 'node_modules/vitest/vitest.mjs'),
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${file}`
    ],
    { env: { ...process.env, SLIPWAY_LONG: long ? '1' : '0' } }
  )
  add(
    readReport(file, code, (report) => {
      names.push(...failedIn(report))
      return {
        passed: report.numPassedTests,
        failed: report.numFailedTests,
        skipped: report.numPendingTests
      }
    })
  )
}

/** The failed tests of one of Vitest's reports, and the files that failed as a whole. */
function failedIn({ testResults }) {
  return testResults.flatMap(({ name, status, assertionResults }) => {
    const file = path.relative(root, name)
    const failed = assertionResults.filter((test) => test.status === 'failed')
    if (failed.length > 0) return failed.map((test) => `${file}: ${test.fullName}`)
    return status === 'failed' ? [file] : []
  })
}

/** The failed tests of a suite in Playwright's report. */
function failedOf({ specs = [], suites = [] }) {
  return [
    ...specs.filter(({ ok }) => !ok).map(({ file, title }) => `${file}: ${title}`),
    ...suites.flatMap(failedOf)
  ]
}

async function endToEnd() {
  const file = path.join(reports, 'playwright.json')
  const playwright = [
    path.join(root, 'node_modules/@playwright/test/cli.js'),
    'test',
    '--reporter=list,json'
  ]
  const command = isHeadless()
    ? ['xvfb-run', ['-a', '-s', '-screen 0 2560x1600x24', process.execPath, ...playwright]]
    : [process.execPath, playwright]
  const code = await run(...command, {
    env: { ...process.env, PLAYWRIGHT_JSON_OUTPUT_NAME: file, SLIPWAY_LONG: long ? '1' : '0' }
  })
  add(
    readReport(file, code, ({ stats, suites }) => {
      names.push(...suites.flatMap(failedOf))
      return {
        passed: stats.expected,
        failed: stats.unexpected + stats.flaky,
        skipped: stats.skipped
      }
    })
  )
}

const runtime = await setUp({ virtualDisplay: isHeadless(), docker: process.platform === 'linux' })
say(`Electron ${runtime.version}${runtime.standIn ? ' (old stand-in)' : ''}`)
await vitest(['node', 'dom'])
await vitest(['ratio'])
// Integration tests mostly wait for processes and engines: the checks take the time that this leaves, and after them
// the tests that start a container engine, which share nothing with the others.
async function checkAndContainers() {
  const checked = await check()
  names.push(...checked.names)
  add(checked)
  await vitest(['containers'])
}
await Promise.all([checkAndContainers(), vitest(['integration'])])
if (long) await vitest(['long'])
await endToEnd()
fs.rmSync(reports, { recursive: true, force: true })
for (const name of names) say(`failed: ${name}`)
say(
  `${totals.passed} passed, ${totals.failed} failed${totals.skipped > 0 ? `, ${totals.skipped} skipped` : ''}`
)
process.exitCode = totals.failed === 0 && totals.passed > 0 ? 0 : 1
