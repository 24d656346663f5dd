import type { SglangEngine } from '../../contract/cluster'
import { httpGet, jsonOf } from './http-get'
import { parsePrometheus, type Series } from './prometheus'

const sum = (values: readonly number[]): number => values.reduce((all, one) => all + one, 0)
const most = (values: readonly number[]): number => Math.max(...values)
const mean = (values: readonly number[]): number => sum(values) / values.length

/** One number of an engine from its series: those of several data-parallel ranks are put together. */
function number(
  series: readonly Series[],
  name: string,
  together: (values: readonly number[]) => number
): number | null {
  const values = series
    .filter((one) => one.name === `sglang:${name}` && Number.isFinite(one.value))
    .map(({ value }) => value)
  return values.length === 0 ? null : together(values)
}

/** What an engine's metrics say. Every series is optional: names change between releases of SGLang. */
export function engineOf(name: string, series: readonly Series[]): SglangEngine {
  return {
    name,
    running: number(series, 'num_running_reqs', sum),
    queued: number(series, 'num_queue_reqs', sum),
    throughput: number(series, 'gen_throughput', sum),
    cacheUse: number(series, 'token_usage', most),
    cacheHits: number(series, 'cache_hit_rate', mean),
    why: null
  }
}

function silent(name: string, en: string, zh: string): SglangEngine {
  return { ...engineOf(name, []), why: { en, zh } }
}

/** Ports of engines in whatever a router answers to `/workers`: a list of addresses, or of things with one. */
export function workerPorts(answer: unknown): number[] {
  const found = new Set<number>()
  const search = (value: unknown, depth: number): void => {
    if (typeof value === 'string') {
      const port = /^https?:\/\/[^/\s]+?:(\d{1,5})\/?$/.exec(value)?.[1]
      if (port !== undefined) found.add(Number(port))
    } else if (typeof value === 'object' && value !== null && depth < 4) {
      for (const each of Object.values(value)) search(each, depth + 1)
    }
  }
  search(answer, 0)
  return [...found]
}

async function engineAt(
  port: number,
  reach: (port: number) => Promise<string>,
  signal: AbortSignal
): Promise<SglangEngine> {
  const name = `:${port}`
  const got = await httpGet(`${await reach(port)}/metrics`, signal)
  switch (got.kind) {
    case 'ok':
      return engineOf(name, parsePrometheus(got.text))
    case 'status':
      return silent(
        name,
        `It gives no metrics (HTTP ${got.status}): started without --enable-metrics.`,
        `未提供指标（HTTP ${got.status}）：启动时没有 --enable-metrics。`
      )
    case 'away':
      return silent(
        name,
        'It does not answer at 127.0.0.1 just now. While training has its memory an engine sleeps.',
        '目前在 127.0.0.1 上没有应答。训练占用其显存时，引擎处于休眠状态。'
      )
  }
}

/** The engines behind a router, each by its own metrics, else all by the router's. Nobody there: none. */
export async function lookAtSglang(
  port: number,
  reach: (port: number) => Promise<string>,
  signal: AbortSignal
): Promise<SglangEngine[]> {
  const base = await reach(port)
  const ports = workerPorts(jsonOf(await httpGet(`${base}/workers`, signal)))
  if (ports.length > 0) return Promise.all(ports.map((each) => engineAt(each, reach, signal)))
  for (const route of ['engine_metrics', 'metrics']) {
    const got = await httpGet(`${base}/${route}`, signal)
    const series = got.kind === 'ok' ? parsePrometheus(got.text) : []
    if (series.some(({ name }) => name.startsWith('sglang:'))) return [engineOf(`:${port}`, series)]
  }
  return []
}
