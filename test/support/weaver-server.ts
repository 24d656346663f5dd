import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export const WEAVER_KEY = 'sk-yard-0123456789abcdef'

const CHECKPOINT_ID = 'aaaaaaaa-bbbb-4ccc-8ddd-eeeeeeeeeeee'
const ARTIFACT_ID = 'aaaa1111-bb22-4c33-8d44-eeee5555ffff'

interface Checkpoint {
  id: string
  path: string
  name: string | null
  type: string
  status: string
  created_at: string
  ttl_seconds: number | null
  expires_at: string | null
}

interface Trouble {
  /** `GET /api/v1/models`, without the query. */
  route: string
  /** 0: the connection is cut instead. */
  status: number
  body: unknown
  headers?: Record<string, string>
  times: number
  /** Takes the question and never answers. */
  silent?: boolean
}

/** A stand-in for Weaver that follows its published REST shapes, with everything in memory. */
export interface WeaverServer {
  url: string
  /** Every request as it came: method, path with query, body. */
  requests: { method: string; path: string; body: unknown; key: string | undefined }[]
  checkpoints: Checkpoint[]
  artifacts: { id: string; kind: string; status: string; uri: string }[]
  files: Map<string, Buffer>
  catalogue: unknown[]
  models: unknown[]
  /** Answers to give instead of the usual one. */
  trouble: Trouble[]
  /** What a finished save says; null: nothing of what was saved. */
  saveSays: 'checkpoint' | null
  /** Addresses of downloads that have expired already, by how many descriptions to come. */
  expired: number
  /** Cut a file's bytes after so many, once. */
  cutAfter: number | null
  names: ((name: string) => string) | null
  /** Called when a file's first bytes are out and no more will come; null: files come whole. */
  hold: (() => void) | null
  /** A file's bytes never end. */
  endless: boolean
  /** Answers the checkpoints of a model in pages of 25 where no other size is asked for. */
  paged: boolean
  close(): Promise<void>
}

const price = (micros: number): object => ({
  unit: 'million_tokens',
  unit_price_micros: micros,
  version: '1'
})

function prices(mode: string): Record<string, object> {
  return {
    [`training_tokens:${mode}`]: price(400_000),
    [`sampling_prefill_tokens:${mode}`]: price(100_000),
    [`sampling_cached_prefill_tokens:${mode}`]: price(20_000),
    [`sampling_output_tokens:${mode}`]: price(300_000)
  }
}

function model(index: number): object {
  return {
    id: `m-${index}`,
    session_id: index % 2 === 0 ? 's-even' : 's-odd',
    base_model: 'Qwen/Qwen3-8B',
    training_mode: 'lora',
    status: 'running',
    last_seq_id: index,
    created_at: new Date(Date.UTC(2026, 2, 4, 10, 0, index % 60)).toISOString()
  }
}

export async function startWeaver(): Promise<WeaverServer> {
  const operations = new Map<string, { polls: number; response: unknown }>()
  const server = createServer((request, response) => {
    void answer(request, response)
  })
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve)
  })
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const path = 'weaver://m-1f2e/checkpoints/step_000002'
  const created = new Date()
  const state: WeaverServer = {
    url,
    requests: [],
    checkpoints: [
      {
        id: CHECKPOINT_ID,
        path,
        name: 'step_000002',
        type: 'sampling',
        status: 'completed',
        created_at: created.toISOString(),
        ttl_seconds: 3600,
        expires_at: new Date(created.getTime() + 3_600_000).toISOString()
      }
    ],
    artifacts: [],
    files: new Map([
      ['adapter_config.json', Buffer.from('{"r": 32}')],
      ['adapter_model.safetensors', Buffer.alloc(200_000, 7)],
      ['sub/tokenizer.json', Buffer.from('{"vocab": {}}')]
    ]),
    catalogue: [
      {
        id: 'c-1',
        name: 'Qwen/Qwen3-8B',
        status: 'available',
        training_modes: ['lora', 'full-ft'],
        metadata: { context_length: 131072 },
        prices: { ...prices('lora'), ...prices('full_ft') }
      },
      {
        id: 'c-2',
        name: 'Qwen/Qwen3-32B',
        status: 'available',
        training_modes: ['lora', 'full_ft'],
        metadata: {},
        prices: prices('lora')
      },
      { id: 'c-3', name: 'unpriced', training_modes: ['lora'], prices: {} }
    ],
    models: Array.from({ length: 230 }, (_, index) => model(index)),
    trouble: [],
    saveSays: 'checkpoint',
    expired: 0,
    cutAfter: null,
    names: null,
    hold: null,
    endless: false,
    paged: false,
    close: () =>
      new Promise((resolve) => {
        server.close(() => {
          resolve()
        })
        server.closeAllConnections()
      })
  }

  function send(response: ServerResponse, status: number, body: unknown): void {
    response.writeHead(status, { 'content-type': 'application/json' })
    response.end(JSON.stringify(body))
  }

  function operation(response: ServerResponse, result: unknown): void {
    const id = `op-${operations.size + 1}`
    operations.set(id, { polls: 2, response: result })
    send(response, 202, { id, status: 'pending' })
  }

  function page(response: ServerResponse, all: unknown[], asked: URLSearchParams): void {
    const offset = Number(asked.get('offset') ?? 0)
    const limit = Number(asked.get('limit') ?? 25)
    send(response, 200, {
      items: all.slice(offset, offset + limit),
      pagination: { total_count: all.length }
    })
  }

  function file(request: IncomingMessage, response: ServerResponse, address: URL): void {
    if (request.headers['x-weaver-api-key'] !== undefined) {
      response.writeHead(500)
      response.end('the key must not come here')
      return
    }
    if (address.searchParams.get('sig') === 'expired') {
      response.writeHead(403)
      response.end('<Error>expired</Error>')
      return
    }
    const bytes = state.files.get(decodeURIComponent(address.pathname.slice('/files/'.length)))
    if (bytes === undefined) {
      response.writeHead(404)
      response.end()
      return
    }
    const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0)
    const rest = bytes.subarray(from)
    if (state.endless) {
      response.writeHead(200)
      const more = (): void => {
        while (!response.destroyed && response.write(Buffer.alloc(65_536)));
      }
      response.on('drain', more)
      more()
      return
    }
    response.writeHead(from > 0 ? 206 : 200, { 'content-length': rest.length })
    if (state.hold !== null) {
      response.write(rest.subarray(0, 4), state.hold)
      return
    }
    if (state.cutAfter !== null && rest.length > state.cutAfter) {
      response.write(rest.subarray(0, state.cutAfter), () => response.destroy())
      state.cutAfter = null
      return
    }
    response.end(rest)
  }

  function descriptor(): unknown {
    const sig = state.expired > 0 ? 'expired' : 'ok'
    state.expired = Math.max(0, state.expired - 1)
    return {
      artifact_id: ARTIFACT_ID,
      kind: 'hf_adapter',
      files: [...state.files].map(([name, bytes]) => ({
        name: state.names?.(name) ?? name,
        size: bytes.length,
        sha256: createHash('sha256').update(bytes).digest('hex'),
        url: `${url}/files/${encodeURIComponent(name)}?sig=${sig}`,
        url_expires_at: '2026-08-12T00:15:00Z'
      }))
    }
  }

  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const address = new URL(request.url ?? '/', url)
    if (address.pathname.startsWith('/files/')) {
      file(request, response, address)
      return
    }
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString('utf8')
    const body: unknown = text === '' ? null : JSON.parse(text)
    const key = request.headers['x-weaver-api-key']
    const method = request.method ?? 'GET'
    state.requests.push({
      method,
      path: request.url ?? '',
      body,
      key: typeof key === 'string' ? key : undefined
    })
    const route = `${method} ${address.pathname}`
    const wrong = state.trouble.find((one) => one.route === route && one.times > 0)
    if (wrong !== undefined) {
      wrong.times -= 1
      if (wrong.silent === true) return
      if (wrong.status === 0) {
        request.socket.destroy()
        return
      }
      response.writeHead(wrong.status, { 'content-type': 'application/json', ...wrong.headers })
      response.end(typeof wrong.body === 'string' ? wrong.body : JSON.stringify(wrong.body))
      return
    }
    if (key !== WEAVER_KEY) {
      send(response, 401, { error: 'unauthorized', message: `bad key ${String(key)}` })
      return
    }
    const known = /^\/api\/v1\/models\/([\w-]+)\/checkpoints(\/ttl)?$/.exec(address.pathname)
    if (route === 'GET /api/v1/model-catalog') page(response, state.catalogue, address.searchParams)
    else if (route === 'GET /api/v1/models') page(response, state.models, address.searchParams)
    else if (route === 'GET /api/v1/training-runs')
      page(response, state.models, address.searchParams)
    else if (method === 'GET' && known !== null) {
      if (state.paged) page(response, state.checkpoints, address.searchParams)
      else send(response, 200, { items: state.checkpoints })
    } else if (method === 'PATCH' && known !== null) extend(response, body)
    else if (method === 'POST' && known !== null) save(response, known[1] ?? '', body)
    else if (route === `POST /api/v1/checkpoints/${CHECKPOINT_ID}/export`) {
      const artifact = {
        id: ARTIFACT_ID,
        kind: 'hf_adapter',
        status: 'completed',
        uri: `${path}/artifacts/hf_adapter`
      }
      if (state.artifacts.length > 0) send(response, 200, state.artifacts[0])
      else {
        state.artifacts.push(artifact)
        operation(response, artifact)
      }
    } else if (route === `GET /api/v1/checkpoints/${CHECKPOINT_ID}/artifacts`) {
      send(response, 200, { items: state.artifacts })
    } else if (route === `GET /api/v1/artifacts/${ARTIFACT_ID}/download`) {
      send(response, 200, descriptor())
    } else if (method === 'GET' && address.pathname.startsWith('/api/v1/operations/')) {
      poll(response, address.pathname.slice('/api/v1/operations/'.length))
    } else send(response, 404, { error: 'not_found', message: route })
  }

  function poll(response: ServerResponse, id: string): void {
    const found = operations.get(id)
    if (found === undefined) {
      send(response, 404, { error: 'not_found', message: id })
      return
    }
    found.polls -= 1
    send(
      response,
      200,
      found.polls > 0 ? { id, status: 'running' } : { id, status: 'done', response: found.response }
    )
  }

  function extend(response: ServerResponse, body: unknown): void {
    const asked = body as { path: string; ttl_seconds: number | null }
    const found = state.checkpoints.find((one) => one.path === asked.path)
    if (found === undefined) {
      send(response, 404, { error: 'not_found', message: `no checkpoint ${asked.path}` })
      return
    }
    found.ttl_seconds = asked.ttl_seconds
    found.expires_at =
      asked.ttl_seconds === null
        ? null
        : new Date(Date.now() + asked.ttl_seconds * 1000).toISOString()
    send(response, 200, { status: 'ok' })
  }

  function save(response: ServerResponse, of: string, body: unknown): void {
    const asked = body as { type: string; name?: string }
    const name = asked.name ?? `save-${state.checkpoints.length}`
    const saved: Checkpoint = {
      id: `bbbbbbbb-bbbb-4ccc-8ddd-${String(state.checkpoints.length).padStart(12, '0')}`,
      path: `weaver://${of}/checkpoints/${name}`,
      name,
      type: asked.type,
      status: 'completed',
      created_at: new Date().toISOString(),
      ttl_seconds: null,
      expires_at: null
    }
    state.checkpoints.push(saved)
    operation(response, state.saveSays === null ? {} : saved)
  }

  return state
}
