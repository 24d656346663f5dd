import { z } from 'zod'
z.config({ jitless: true })
import './harness.css'
import { implement } from '@orpc/server'
import { RPCHandler } from '@orpc/server/message-port'
import { QueryClientProvider } from '@tanstack/react-query'
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
import { sampleChain } from './sample-chain'
import { answer, keyInfos } from './sample-curves'

// ?tab=curves|releases|compare &lang=zh &theme=light &rows=20000 &live=1 &select=44 &other=32
const query = new URLSearchParams(window.location.search)
const RUN = 'r-0412'
const START = Date.now() - 60 * 3.85 * 60_000
const os = implement(contract)
const engine = new FixtureEngine({ language: query.get('lang') === 'zh' ? 'zh' : 'en' })
let newest = 921
Object.assign(window, { queries: queryClient })
let revision = 1
let chain = sampleChain(Number(query.get('rows') ?? 60), START)
const waiting = new Set<() => void>()

/** Yields now, and again whenever something changed. */
async function* changes<T>(read: () => T, signal: AbortSignal | undefined): AsyncGenerator<T> {
  while (signal?.aborted !== true) {
    yield read()
    await new Promise<void>((resolve) => {
      waiting.add(resolve)
      signal?.addEventListener('abort', () => resolve(), { once: true })
    })
  }
}

function changed(): void {
  for (const resolve of [...waiting]) resolve()
  waiting.clear()
}

const router = {
  ...engine.router(),
  metrics: {
    keys: os.metrics.keys.handler(() => keyInfos(newest)),
    panels: os.metrics.panels.handler(() => [
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
    ]),
    series: os.metrics.series.handler(({ input }) => answer(input, newest, revision)),
    watch: os.metrics.watch.handler(({ signal }) => changes(() => ({ revision }), signal))
  },
  releases: {
    ...engine.router().releases,
    chain: os.releases.chain.handler(() => chain),
    watch: os.releases.watch.handler(({ signal }) => changes(() => chain, signal)),
    rollback: os.releases.rollback.handler(async ({ input }) => {
      await new Promise((resolve) => setTimeout(resolve, Number(query.get('slow') ?? 300)))
      const rows = [...chain.releases]
      const target = rows.find((row) => row.step === input.step)
      const head = rows[0]
      if (target === undefined || head === undefined) return { releaseId: null }
      chain = {
        ...chain,
        releases: [
          {
            ...target,
            step: head.step + 1,
            commitStep: head.step + 1,
            baseStep: target.step,
            operation: 'rollback',
            served: true,
            rollbackTargetStep: target.step,
            recordedAt: Date.now(),
            leftBehind: false
          },
          ...rows.map((row) => ({
            ...row,
            served: false,
            leftBehind: row.leftBehind || row.step > target.step
          }))
        ]
      }
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
document.documentElement.dataset['theme'] = query.get('theme') ?? 'dark'
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

function Tab() {
  const route = useRoute()
  if (route.page !== 'run') return null
  switch (route.tab) {
    case 'releases':
      return <ReleasesTab runId={RUN} />
    case 'compare':
      return <CompareTab runId={RUN} />
    default:
      return <CurvesTab runId={RUN} />
  }
}

void startTranslations(query.get('lang') === 'zh' ? 'zh' : 'en').then(() => {
  const root = document.getElementById('root')
  if (root === null) throw new Error('The page has no root.')
  createRoot(root).render(
    <QueryClientProvider client={queryClient}>
      <TooltipProvider>
        <div
          className="flex h-full flex-col"
          style={{ paddingTop: 160, paddingLeft: 48, paddingBottom: 24 }}
        >
          <Tab />
        </div>
      </TooltipProvider>
    </QueryClientProvider>
  )
})
