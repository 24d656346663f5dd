/**
 * A stand-in for a training stack in tests: the launcher's files, logs and HTTP routes that a run needs, with a journal
 * of what it really did. Learns nothing.
 *
 *   node main.mjs serve -c recipe.yaml [--reef.port=N] [--reef.run-dir=DIR] [--inference.model-path=P]
 *
 * Knobs by environment: STAND_IN_STEP_MS (between steps, 0: none), STAND_IN_FAIL (text to die with before ready),
 * STAND_IN_DEAF (ignore SIGTERM), STAND_IN_MUTE (never write the ready mark), STAND_IN_EXIT_AFTER (steps, then exit 0),
 * STAND_IN_NO_HTTP (never listen), STAND_IN_RECORDS (records there were before the first step), STAND_IN_HOLD (a file; a few steps, and no more until it is there). SIGUSR2 ends listening; training goes on. A recipe that names an artifact repository
 * gets a harness: each release is a commit there, with its files.
 */
import { Buffer } from 'node:buffer'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import {
  appendFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  writeFileSync
} from 'node:fs'
import { createServer } from 'node:http'
import { dirname, join, resolve } from 'node:path'
import process from 'node:process'
import { setInterval } from 'node:timers'
import { URL } from 'node:url'

const argv = process.argv.slice(2)
const flag = (name, otherwise) => {
  const found = argv.find((word) => word.startsWith(`--${name}=`))
  return found === undefined ? otherwise : found.slice(name.length + 3)
}
const stepMs = Number(process.env.STAND_IN_STEP_MS ?? 200)
const recipe = readFileSync(argv[argv.indexOf('-c') + 1], 'utf8')
const port = Number(flag('reef.port', /port: (\d+)/.exec(recipe)?.[1] ?? '8900'))
const runDir = resolve(flag('reef.run-dir', 'work/run'))
const recordDir = resolve('work/records')
const scenario = 'practice'
const logFile = join(runDir, 'slime-driver', 'slime-driver.log')
const reefLog = join(runDir, 'reef', 'reef.log')
const commitLog = join(
  recordDir,
  `${createHash('sha256').update(scenario).digest('hex')}.commits.jsonl`
)
const recordLog = commitLog.replace('.commits.jsonl', '.records.jsonl')
const journal = resolve('work/stand-in-journal.jsonl')

for (const folder of [dirname(logFile), dirname(reefLog), recordDir, resolve('work/ckpt/hf')]) {
  mkdirSync(folder, { recursive: true })
}

const note = (entry) => appendFileSync(journal, `${JSON.stringify(entry)}\n`)
const launcher = (text) => process.stderr.write(`[reef] ${text}\n`)

launcher('config: recipe.yaml (schema-version 2)')
if (process.env.STAND_IN_FAIL !== undefined) {
  launcher(`deployment startup failed: ${process.env.STAND_IN_FAIL}`)
  process.exit(Number(process.env.STAND_IN_FAIL_CODE ?? 1))
}

const commits = existsSync(commitLog)
  ? readFileSync(commitLog, 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line))
  : []
let records =
  Number(process.env.STAND_IN_RECORDS ?? 0) +
  (existsSync(recordLog) ? readFileSync(recordLog, 'utf8').split('\n').length - 1 : 0)
let training = true

const repository = /artifact-repository: ([^ ,}]+)/.exec(recipe)?.[1]
const git = (args, input = '') =>
  execFileSync('git', [`--git-dir=${repository}`, ...args], { input })
    .toString()
    .trim()
const harnessFiles = (step) => ({
  'AGENTS.md': `# Agent\n\nBe brief.\n${step === 0 ? '' : `Rule ${step}.\n`}`,
  'tools.json': '{"tools":[]}\n',
  ...(step > 1 ? { 'skills.md': `skill ${step}\n` } : {})
})
/** A harness release as a commit of the artifact repository; its id is the release's. */
function publish(step) {
  if (!existsSync(repository)) git(['init', '--bare', '-q', repository])
  const manifest = JSON.stringify({ content_id: `ck-${step}` })
  const files = Object.entries({ ...harnessFiles(step), 'reef-artifact.json': manifest })
  const data = (text) => `data ${Buffer.byteLength(text)}\n${text}\n`
  const ref = `refs/heads/step-${step}`
  git(
    ['fast-import', '--quiet', '--force'],
    `commit ${ref}\ncommitter stand-in <stand-in@localhost> ${1_700_000_000 + step} +0000\n${data('release')}` +
      files.map(([name, text]) => `M 100644 inline ${name}\n${data(text)}`).join('')
  )
  return git(['rev-parse', ref])
}
const harnessMetrics = (step) =>
  repository === undefined
    ? {}
    : {
        selected: true,
        selection: { reason: 'won one of one', policy: 'score_comparison' },
        wins: 1,
        losses: 0,
        ties: 0,
        mutations: [{ op: 'add_rule', id: `rule-${step}` }],
        training_request: { id: `q${step}`, text: 'Answer shorter', client: 'test' },
        proposal_notes: { design: 'one rule more' }
      }
const base =
  repository === undefined
    ? createHash('sha1').update(flag('inference.model-path', 'base')).digest('hex')
    : publish(0)
const creation = {
  release_id: base,
  parent_release_id: null,
  content_id: 'ck-0',
  content_kind: 'saved_artifact',
  checkpoint: true,
  restorable: true,
  recorded_at: null,
  operation: 'creation',
  pending: false,
  current: commits.length === 0
}

const rowOf = (commit) => ({
  release_id: commit.artifact_ref.release_id,
  parent_release_id: commit.artifact_ref.parent_release_id,
  content_id: commit.artifact_ref.content_id,
  content_kind: 'saved_artifact',
  checkpoint: true,
  restorable: true,
  recorded_at: commit.recorded_at,
  operation: commit.operation,
  pending: false,
  current: commit === commits.at(-1),
  ...(commit.rollback_target_release_id === undefined
    ? {}
    : { rollback_target_release_id: commit.rollback_target_release_id }),
  metrics: commit.metrics
})

function commit(operation, content, target) {
  const step = commits.length + 1
  const entry = {
    record: 'reef-commit/5',
    scenario,
    step,
    operation,
    checkpoint: true,
    recorded_at: Date.now() / 1000,
    artifact_ref: {
      release_id:
        repository === undefined
          ? createHash('sha1').update(`${step} ${Math.random()}`).digest('hex')
          : publish(step),
      parent_release_id: commits.at(-1)?.artifact_ref.release_id ?? base,
      content_id: content
    },
    ...(target === undefined ? {} : { rollback_target_release_id: target }),
    record_progress: { consumed_ids: operation === 'training' ? [`a${records}`] : [] },
    metrics: {
      'train/loss': 1 / step,
      'rollout/rewards': 1 - 1 / step,
      ...harnessMetrics(step)
    }
  }
  appendFileSync(commitLog, `${JSON.stringify(entry)}\n`)
  commits.push(entry)
  note({ kind: 'commit', step, release: entry.artifact_ref.release_id })
  return entry
}

function log(text) {
  appendFileSync(logFile, `${text}\n`)
  note({ kind: 'line', text })
}

/** One tensor of two floats, as a safetensors file. */
function weights(step) {
  const header = JSON.stringify({ w: { dtype: 'F32', shape: [2], data_offsets: [0, 8] } })
  const bytes = Buffer.alloc(8 + header.length + 8)
  bytes.writeBigUInt64LE(BigInt(header.length), 0)
  bytes.write(header, 8)
  bytes.writeFloatLE(step, 8 + header.length)
  return bytes
}

/** An answer and, after it, the report about it. */
const recordOf = (sequence) => ({
  sequence,
  agent_record_id: `a${sequence}`,
  ...(sequence % 2 === 1
    ? { request_type: 'inference', references: [], score: null }
    : { request_type: 'report', references: [`a${sequence - 1}`], score: 1 - 2 / sequence })
})

function train() {
  if (!training) return
  const step = commits.length
  records += 2
  for (const sequence of [records - 1, records]) {
    appendFileSync(recordLog, `${JSON.stringify(recordOf(sequence))}\n`)
  }
  const time = new Date().toISOString().slice(0, 19).replace('T', ' ')
  log(
    `[${time}] model.py:1 - step ${step}: {'train/loss': ${1 / (step + 1)}, 'train/grad_norm': 1.5, 'train/step': ${step}}`
  )
  log(`[${time}] rollout.py:1 - rollout ${step}: {'rollout/rewards': ${1 - 1 / (step + 1)}}`)
  commit('training', `ck-${step + 1}`)
  mkdirSync(resolve(`work/ckpt/hf/${step}`), { recursive: true })
  writeFileSync(resolve(`work/ckpt/hf/${step}/model.safetensors`), weights(step))
  if (step + 1 >= Number(process.env.STAND_IN_EXIT_AFTER ?? Number.POSITIVE_INFINITY)) {
    process.exit(0)
  }
}

const answers = {
  'GET /healthz': () => ({ ok: true }),
  'GET /reef/status': () => ({
    error: null,
    scenarios: {
      [scenario]: {
        scenario_step: commits.length,
        batch_ready: false,
        processor: { buffered_requests: 1 },
        inference_admission: { open: true, active: 0 }
      }
    },
    training_job: null
  }),
  'GET /reef/scenarios': () => ({ scenarios: [{ scenario, loaded: true }] }),
  [`GET /reef/scenarios/${scenario}/releases`]: () => ({
    scenario,
    releases: [creation, ...commits.map(rowOf)].reverse()
  }),
  [`GET /reef/scenarios/${scenario}/commits`]: (query) => {
    const after = Number(query.get('after_step') ?? 0)
    return { scenario, commits: commits.filter((one) => one.step > after).slice(0, 100) }
  },
  [`GET /reef/scenarios/${scenario}/records`]: (query) => {
    const after = Number(query.get('after_sequence') ?? 0)
    const rows = []
    for (let sequence = after + 1; sequence <= records && rows.length < 100; sequence += 1) {
      rows.push(recordOf(sequence))
    }
    return { scenario, records: rows }
  },
  'GET /reef/harness': (query) => {
    const step = [base, ...commits.map((one) => one.artifact_ref.release_id)].indexOf(
      query.get('release_id')
    )
    if (repository === undefined || step < 0) return null
    return {
      release_id: query.get('release_id'),
      files: harnessFiles(step),
      requires: [{ name: 'ripgrep', kind: 'service', check: 'rg --version' }]
    }
  },
  [`POST /reef/scenarios/${scenario}/rollback`]: (_, body) => {
    const target = [creation, ...commits.map(rowOf)].find(
      (row) => row.release_id === body.release_id
    )
    if (target === undefined) return null
    const entry = commit('rollback', target.content_id, body.release_id)
    return { scenario, release_id: entry.artifact_ref.release_id, content_id: target.content_id }
  }
}

const server = createServer((request, response) => {
  const url = new URL(request.url, 'http://127.0.0.1')
  const answer = answers[`${request.method} ${url.pathname}`]
  let body = ''
  request.on('data', (chunk) => (body += chunk))
  request.on('end', () => {
    const value = answer?.(url.searchParams, body === '' ? {} : JSON.parse(body)) ?? null
    response.statusCode = value === null ? 404 : 200
    response.end(value === null ? 'not found' : JSON.stringify(value))
  })
})

const stop = () => {
  launcher('received signal, shutting down (press Ctrl-C again to skip the grace period)')
  training = false
  process.exit(143)
}
process.on('SIGTERM', process.env.STAND_IN_DEAF === undefined ? stop : () => {})

server.on('error', (cause) => {
  launcher(`deployment startup failed: ${cause.message}`)
  process.exit(1)
})
process.on('SIGUSR2', () => {
  server.close()
  server.closeAllConnections()
})

const held = () =>
  process.env.STAND_IN_HOLD !== undefined &&
  commits.length >= 5 &&
  !existsSync(process.env.STAND_IN_HOLD)

const begin = () => {
  for (const service of ['slime-driver', 'reef']) {
    writeFileSync(join(runDir, `${service}.worker.json`), JSON.stringify({ pids: [process.pid] }))
  }
  appendFileSync(reefLog, 'serving\n')
  if (process.env.STAND_IN_MUTE === undefined) {
    const mark = join(runDir, 'slime-driver', 'bridge.ready')
    writeFileSync(`${mark}.tmp`, 'reef-training-ready\n')
    renameSync(`${mark}.tmp`, mark)
  }
  launcher(`reef: ready at http://127.0.0.1:${port}`)
  if (stepMs > 0) setInterval(() => held() || train(), stepMs)
}
if (process.env.STAND_IN_NO_HTTP === undefined) server.listen(port, '127.0.0.1', begin)
else begin()
