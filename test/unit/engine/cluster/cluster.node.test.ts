import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import fc from 'fast-check'
import { afterEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import {
  belowOf,
  ClusterService,
  dashboardPort,
  type ClusterOptions
} from '../../../../src-main/engine/cluster/cluster-service'
import { parsePrometheus } from '../../../../src-main/engine/cluster/prometheus'
import { countActors, lookAtRay } from '../../../../src-main/engine/cluster/ray'
import { gpusOfDemand, parseRayStatus } from '../../../../src-main/engine/cluster/ray-status'
import { lookAtSglang, workerPorts } from '../../../../src-main/engine/cluster/sglang'
import { systemClock } from '../../../../src-main/engine/lib'
import type { Target } from '../../../../src-main/engine/targets'

const status = `======== Autoscaler status: 2026-03-04 10:00:00.123456 ========
Node status
---------------------------------------------------------------
Active:
 1 node_0a1b2c
 2 node_worker
Pending:
 (no pending nodes)
Recent failures:
 (no failures)

Resources
---------------------------------------------------------------
Usage:
 3.2/192.0 CPU (3.2 used of 8.0 reserved in placement groups)
 3.2/8.0 GPU (3.2 used of 8.0 reserved in placement groups)
 0B/1.52TiB memory
 1.02GiB/186.26GiB object_store_memory

Demands:
 {'GPU': 1.0, 'CPU': 1.0} * 16 (PACK): 1+ pending placement groups
`
const metrics = `# HELP sglang:num_running_reqs The number of running requests.
# TYPE sglang:num_running_reqs gauge
sglang:num_running_reqs{engine_type="unified",model_name="a \\"b\\"",tp_rank="0",dp_rank="0"} 12.0
sglang:num_running_reqs{engine_type="unified",model_name="a",tp_rank="0",dp_rank="1"} 3.0
sglang:num_queue_reqs{tp_rank="0"} 40
sglang:gen_throughput{tp_rank="0"} 1834.5
sglang:token_usage{tp_rank="0",dp_rank="0"} 0.61
sglang:token_usage{tp_rank="0",dp_rank="1"} 0.87
sglang:cache_hit_rate{tp_rank="0"} NaN
python_gc_objects_collected_total{generation="0"} 1.0e+06 1711111111111
`

it('asks nobody about Ray below a practice stack, which has none', async () => {
  const attempt = {
    number: 1,
    handle: { kind: 'process' },
    state: { kind: 'serving' },
    runDir: '/nowhere',
    plan: { practice: true, ports: [] }
  }
  const asked: string[] = []
  const target = {
    probe: () => Promise.resolve({ gpus: [] }),
    listening: () => Promise.resolve(asked.push('listening'))
  }
  const service = new ClusterService({
    clock: systemClock,
    store: {
      read: () => Promise.resolve({ attempts: [attempt] }),
      paths: () => ({ attempt: () => '/nowhere' })
    } as unknown as ClusterOptions['store'],
    target: () => Promise.resolve(target as unknown as Target)
  })
  const { ray, sglang } = await service.look('r-1')
  expect(ray).toMatchObject({ kind: 'unseen' })
  expect(ray.kind === 'unseen' && ray.why.en).toContain('practice stack has no Ray')
  expect(sglang).toEqual([])
  expect(asked).toEqual([])
})

const servers: Server[] = []
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections()
    await new Promise((closed) => server.close(closed))
  }
})

/** A server that answers these routes, and 404 else. */
async function serve(routes: Readonly<Record<string, unknown>>): Promise<number> {
  const server = createServer((request, response) => {
    const body = routes[request.url ?? '']
    if (body === undefined) response.writeHead(404).end('not found')
    else response.end(typeof body === 'string' ? body : JSON.stringify(body))
  })
  servers.push(server)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return z.object({ port: z.number() }).parse(server.address()).port
}

const { signal } = new AbortController()
const reach = (port: number): Promise<string> => Promise.resolve(`http://127.0.0.1:${port}`)

describe('Ray', () => {
  const actor = (class_name: string, state: string) => ({ class_name, state, pid: 1 })
  const actors = {
    result: true,
    data: {
      result: {
        total: 4,
        result: [
          actor('MegatronTrainRayActor', 'ALIVE'),
          actor('SGLangEngine', 'PENDING_CREATION'),
          actor('MegatronTrainRayActor', 'ALIVE'),
          actor('RolloutManager', 'DEAD')
        ]
      }
    }
  }

  it('is told by its dashboard: nodes, resources, what waits, actors and jobs', async () => {
    const port = await serve({
      '/api/version': { version: '4', ray_version: '2.46.0', session_name: 'session_1' },
      '/api/cluster_status?format=1': { result: true, data: { clusterStatus: status } },
      '/api/jobs/': [
        { type: 'SUBMISSION', submission_id: 'old', status: 'FAILED', start_time: 1, end_time: 2 },
        {
          type: 'SUBMISSION',
          submission_id: 'new',
          status: 'RUNNING',
          start_time: 3,
          entrypoint: 'HF_TOKEN=hf_0123456789abcdefghij python train.py'
        },
        'not a job'
      ],
      '/api/v0/actors?limit=1000': actors
    })
    const seen = await lookAtRay(await reach(port), signal)
    expect(seen).toMatchObject({
      version: '2.46.0',
      session: 'session_1',
      nodes: 3,
      resources: [
        { name: 'CPU', used: 3.2, total: 192 },
        { name: 'GPU', used: 3.2, total: 8 }
      ],
      pending: [{ gpus: 16, what: '1+ pending placement groups' }],
      actors: [
        { className: 'MegatronTrainRayActor', state: 'ALIVE', count: 2 },
        { className: 'SGLangEngine', state: 'PENDING_CREATION', count: 1 }
      ]
    })
    expect(seen?.jobs.map(({ id }) => id)).toEqual(['new', 'old'])
    expect(JSON.stringify(seen)).not.toContain('hf_0123456789')
  })

  it('is not taken for another program on its port, and tells what it can without the newer routes', async () => {
    expect(
      await lookAtRay(await reach(await serve({ '/api/version': '<html>' })), signal)
    ).toBeNull()
    const bare = await serve({ '/api/version': { ray_version: '2.9.0' } })
    expect(await lookAtRay(await reach(bare), signal)).toMatchObject({ actors: null, jobs: [] })
    expect(countActors({ detail: 'no' })).toBeNull()
  })

  it('is read in its older and newer spelling', () => {
    const older = status.replace('Active:', 'Healthy:').replace('Usage:', 'Total Usage:')
    expect(parseRayStatus(older)).toEqual(parseRayStatus(status))
    const none = parseRayStatus('Demands:\n (no resource demands)\n')
    expect(none.pending).toEqual([])
    expect(gpusOfDemand("{'CPU': 1.0}")).toBeNull()
    fc.assert(fc.property(fc.string(), (text) => parseRayStatus(text).nodes >= 0))
  })

  it.each([
    [
      'INFO worker.py:1888 -- Started a local Ray instance. View the dashboard at http://127.0.0.1:8267 ',
      8267
    ],
    ['View the dashboard at \u001b[1m\u001b[32mhttp://10.0.0.7:8265\u001b[39m', 8265],
    ['View the dashboard at 127.0.0.1:99999', null],
    ['nothing', null]
  ])('says its port in %j', (line, port) => {
    expect(dashboardPort(line)).toBe(port)
  })
})

describe('SGLang', () => {
  it('is told engine by engine behind a router, and a sleeping one is no dead one', async () => {
    const first = await serve({ '/metrics': metrics })
    const second = await serve({})
    const router = await serve({
      '/workers': {
        workers: [{ url: `http://10.0.0.7:${first}` }, { url: `http://10.0.0.7:${second}/` }]
      }
    })
    const engines = await lookAtSglang(router, reach, signal)
    expect(engines[0]).toEqual({
      name: `:${first}`,
      running: 15,
      queued: 40,
      throughput: 1834.5,
      cacheUse: 0.87,
      cacheHits: null,
      why: null
    })
    expect(engines[1]?.why?.en).toContain('404')
  })

  it('is told by the router where that lists no engine, or by itself', async () => {
    const router = await serve({ '/engine_metrics': metrics })
    expect(await lookAtSglang(router, reach, signal)).toMatchObject([{ running: 15 }])
    const alone = await serve({ '/metrics': metrics })
    expect(await lookAtSglang(alone, reach, signal)).toMatchObject([{ queued: 40 }])
    expect(await lookAtSglang(await serve({}), reach, signal)).toEqual([])
  })

  it('finds engines however a router lists them', () => {
    expect(workerPorts({ urls: ['http://a:15000', 'http://b:15010'] })).toEqual([15000, 15010])
    expect(workerPorts([{ worker: { address: 'http://a:15000' } }, 7, null])).toEqual([15000])
    expect(workerPorts('no')).toEqual([])
  })
})

describe('a Prometheus text', () => {
  it('is read with labels, special values and times', () => {
    const series = parsePrometheus(metrics)
    expect(series).toHaveLength(8)
    expect(series[0]?.labels['model_name']).toBe('a "b"')
    expect(series.at(-1)?.value).toBe(1e6)
    expect(
      parsePrometheus('a +Inf\nb{} -Inf\n# c 1\nnot a line\n').map(({ value }) => value)
    ).toEqual([Infinity, -Infinity])
  })

  it('is read whatever it holds', () => {
    fc.assert(
      fc.property(fc.string(), fc.double(), (text, value) => {
        const series = parsePrometheus(`${text.replaceAll('\n', ' ')}\nsglang:x{a="b"} ${value}`)
        const last = series.at(-1)
        if (Number.isFinite(value))
          expect(last).toMatchObject({ name: 'sglang:x', value: value + 0 })
      })
    )
  })
})

it('sums up what stands below a stack, and leaves out what is not told', () => {
  const gpu = (utilisation: number | null) => ({
    index: 0,
    name: 'H200',
    memoryBytes: 1,
    usedBytes: 1,
    utilisation
  })
  const engine = { throughput: null, cacheUse: null, cacheHits: null, why: null }
  const ray = { kind: 'unseen', why: { en: '', zh: '' } } as const
  const sglang = [
    { ...engine, name: 'a', running: 2, queued: null },
    { ...engine, name: 'b', running: 1, queued: 4 }
  ]
  expect(belowOf({ at: 0, ray, sglang, gpus: [gpu(90), gpu(null), gpu(50)] })).toEqual({
    waitingGpus: null,
    running: 3,
    queued: 4,
    gpuBusy: 70
  })
  expect(belowOf({ at: 0, ray, sglang: [], gpus: [gpu(null)] })).toEqual({
    waitingGpus: null,
    running: null,
    queued: null,
    gpuBusy: null
  })
})
