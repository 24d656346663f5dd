/* global window, document, URLSearchParams, MessageChannel, setTimeout */
import { z } from 'zod'
z.config({ jitless: true })
import './harness.css'
import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { QueryClientProvider } from '@tanstack/react-query'
import { createElement } from 'react'
import { createRoot } from 'react-dom/client'
import { contract } from '@contract/index'
import { connectPort } from '../../../src-renderer/api/client'
import { queryClient } from '../../../src-renderer/api/query-client'
import { listenForShortcuts } from '../../../src-renderer/commands'
import { CompareTab } from '../../../src-renderer/features/compare'
import { CurvesTab } from '../../../src-renderer/features/curves'
import { ReleasesTab, choose } from '../../../src-renderer/features/releases'
import { startTranslations } from '../../../src-renderer/i18n'
import { useRoute, go } from '../../../src-renderer/state/route'
import { TooltipProvider } from '../../../src-renderer/ui'
import { FixtureEngine } from '../fixture-engine'
import { sampleChain } from './sample-chain.mjs'
import { answer, keyInfos } from './sample-curves.mjs'

// ?tab=curves|releases|compare &lang=zh &theme=light &rows=20000 &live=1 &select=44 &other=32 &slow=3000
const query = new URLSearchParams(window.location.search)
const language = query.get('lang') === 'zh' ? 'zh' : 'en'
const RUN = 'r-0412'
const START = Date.now() - 60 * 3.85 * 60_000
const os = implement(contract)
const engine = new FixtureEngine({ language })
let newest = 921
let revision = 1
let chain = sampleChain(Number(query.get('rows') ?? 60), START)
const waiting = new Set()

/** Yields now, and again whenever something changed. */
async function* changes(read, signal) {
  while (signal?.aborted !== true) {
    yield read()
    await new Promise((resolve) => {
      waiting.add(resolve)
      signal?.addEventListener('abort', resolve, { once: true })
    })
  }
}

function changed() {
  for (const resolve of [...waiting]) resolve()
  waiting.clear()
}

/** The chain after a rollback to a step: one more row that serves its content. */
function rolledBack(step) {
  const rows = chain.releases
  const target = rows.find((row) => row.step === step)
  const row = {
    ...target,
    step: rows[0].step + 1,
    commitStep: rows[0].step + 1,
    baseStep: step,
    operation: 'rollback',
    served: true,
    rollbackTargetStep: step,
    recordedAt: Date.now(),
    leftBehind: false
  }
  const older = rows.map((each) => ({
    ...each,
    served: false,
    leftBehind: each.leftBehind || each.step > step
  }))
  return { ...chain, releases: [row, ...older] }
}

const panels = [
  { id: 'reward', keys: ['rollout/rewards'] },
  { id: 'entropy', keys: ['train/entropy_loss'] },
  { id: 'grad', keys: ['train/grad_norm'] },
  { id: 'loss', keys: ['train/loss'] },
  { id: 'lengths', keys: ['rollout/response_lengths'] },
  {
    id: 'time',
    title: { en: 'Time per rollout', zh: '每轮用时' },
    keys: ['perf/train_time', 'perf/train_wait_time']
  }
]
const base = engine.router()
const router = {
  ...base,
  metrics: {
    ...base.metrics,
    keys: os.metrics.keys.handler(() => keyInfos(newest)),
    panels: os.metrics.panels.handler(() => panels),
    series: os.metrics.series.handler(({ input }) => answer(input, newest, revision)),
    watch: os.metrics.watch.handler(({ signal }) => changes(() => ({ revision }), signal))
  },
  releases: {
    ...base.releases,
    chain: os.releases.chain.handler(() => chain),
    watch: os.releases.watch.handler(({ signal }) => changes(() => chain, signal)),
    rollback: os.releases.rollback.handler(async ({ input }) => {
      await new Promise((resolve) => setTimeout(resolve, Number(query.get('slow') ?? 300)))
      chain = rolledBack(input.step)
      changed()
      return { releaseId: 'rel-new' }
    })
  }
}

const { port1, port2 } = new MessageChannel()
new RPCHandler(router).upgrade(port1)
port1.start()
connectPort(port2)
listenForShortcuts()
document.documentElement.dataset.theme = query.get('theme') ?? 'dark'
const select = query.get('select')
const other = query.get('other')
if (select !== null) choose(RUN, { step: Number(select) })
if (other !== null) choose(RUN, { other: Number(other) })
const tab = query.get('tab')
go({ page: 'run', id: RUN, tab: tab === 'releases' || tab === 'compare' ? tab : 'curves' })
if (query.has('live')) {
  window.setInterval(() => {
    newest += 1
    revision += 1
    changed()
  }, 250)
}

const TABS = { curves: CurvesTab, releases: ReleasesTab, compare: CompareTab }

function Tab() {
  const route = useRoute()
  const shown = route.page === 'run' ? TABS[route.tab] : undefined
  return shown === undefined ? null : createElement(shown, { runId: RUN })
}

void startTranslations(language).then(() => {
  // Room where the window has its title, rail, run header and status bar.
  const style = { paddingTop: 160, paddingLeft: 48, paddingBottom: 24 }
  const frame = createElement(
    'div',
    { className: 'flex h-full flex-col', style },
    createElement(Tab)
  )
  createRoot(document.getElementById('root')).render(
    createElement(
      QueryClientProvider,
      { client: queryClient },
      createElement(TooltipProvider, null, frame)
    )
  )
})
