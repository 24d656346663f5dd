import type { Doorway, TalkForm } from '@contract/talk'

export type SnippetLanguage = 'curl' | 'python' | 'typescript'

/** What a snippet is made for. */
export interface SnippetFacts {
  door: Pick<Doorway, 'address' | 'token' | 'tokenName' | 'model'>
  scenario: string
  form: TalkForm
}

/** Name of the variable the token is read from; null when the service asks for none. */
export function tokenVariable(door: SnippetFacts['door']): string | null {
  if (!door.token) return null
  return door.tokenName ?? 'REEF_TOKEN'
}

const QUESTION = 'Hello'

/** Text for a POSIX shell word, whatever stands in it. */
function shell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Asks, keeps the receipt, reports a score: the whole loop in a program of one's own. */
export function snippetOf(language: SnippetLanguage, facts: SnippetFacts): string {
  switch (language) {
    case 'curl':
      return curl(facts)
    case 'python':
      return facts.form === 'openai' ? pythonOpenAi(facts) : pythonAnthropic(facts)
    case 'typescript':
      return facts.form === 'openai' ? scriptOpenAi(facts) : scriptAnthropic(facts)
  }
}

/** Beyond ASCII a header is its UTF-8 bytes: httpx and requests take bytes as they are, and refuse the text. */
function pythonHeader(text: string): string {
  return isAscii(text) ? JSON.stringify(text) : `${JSON.stringify(text)}.encode()`
}

/** The same for fetch, which takes one letter a byte. */
function scriptHeader(text: string): string {
  const quoted = JSON.stringify(text)
  return isAscii(text) ? quoted : `Buffer.from(${quoted}).toString('latin1')`
}

function isAscii(text: string): boolean {
  return /^[\x20-\x7e]*$/.test(text)
}

function requestOf({ door, form }: SnippetFacts): Record<string, unknown> {
  return {
    model: door.model ?? 'default',
    ...(form === 'anthropic' ? { max_tokens: 1024 } : {}),
    messages: [{ role: 'user', content: QUESTION }]
  }
}

function curl(facts: SnippetFacts): string {
  const { door, scenario, form } = facts
  const name = tokenVariable(door)
  const route = form === 'openai' ? '/v1/chat/completions' : '/v1/messages'
  const common = [
    ...(name === null ? [] : [`  -H "Authorization: Bearer $${name}" \\`]),
    `  -H ${shell(`x-reef-scenario: ${scenario}`)} \\`,
    `  -H 'Content-Type: application/json' \\`
  ]
  const report = { references: ['RECEIPT'], score: 1 }
  return [
    `# the receipt is the header x-reef-agent-record-id`,
    `curl -i ${door.address}${route} \\`,
    ...common,
    `  -d ${shell(JSON.stringify(requestOf(facts)))}`,
    '',
    `curl ${door.address}/reef/report \\`,
    ...common,
    `  -d ${shell(JSON.stringify(report))}`
  ].join('\n')
}

function pythonReport({ door, scenario }: SnippetFacts): string[] {
  const name = tokenVariable(door)
  return [
    `requests.post(`,
    `    ${JSON.stringify(`${door.address}/reef/report`)},`,
    `    headers={`,
    `        "x-reef-scenario": ${pythonHeader(scenario)},`,
    ...(name === null
      ? []
      : [`        "Authorization": f"Bearer {os.environ[${JSON.stringify(name)}]}",`]),
    `    },`,
    `    json={"references": [receipt], "score": 1},`,
    `).raise_for_status()`
  ]
}

function pythonKey({ door }: SnippetFacts): string {
  const name = tokenVariable(door)
  return name === null ? '"none"' : `os.environ[${JSON.stringify(name)}]`
}

function pythonHead(facts: SnippetFacts, library: string): string[] {
  const plain = tokenVariable(facts.door) === null ? [] : ['import os']
  return [...plain, ...(plain.length === 0 ? [] : ['']), library, 'import requests', '']
}

function pythonOpenAi(facts: SnippetFacts): string {
  const { door, scenario } = facts
  return [
    ...pythonHead(facts, 'from openai import OpenAI'),
    `client = OpenAI(`,
    `    base_url=${JSON.stringify(`${door.address}/v1`)},`,
    `    api_key=${pythonKey(facts)},`,
    `    default_headers={"x-reef-scenario": ${pythonHeader(scenario)}},`,
    `)`,
    `raw = client.chat.completions.with_raw_response.create(`,
    `    model=${JSON.stringify(door.model ?? 'default')},`,
    `    messages=[{"role": "user", "content": ${JSON.stringify(QUESTION)}}],`,
    `)`,
    `receipt = raw.headers["x-reef-agent-record-id"]`,
    `print(raw.parse().choices[0].message.content)`,
    '',
    ...pythonReport(facts)
  ].join('\n')
}

function pythonAnthropic(facts: SnippetFacts): string {
  const { door, scenario } = facts
  return [
    ...pythonHead(facts, 'from anthropic import Anthropic'),
    `client = Anthropic(`,
    `    base_url=${JSON.stringify(door.address)},`,
    `    api_key=${pythonKey(facts)},`,
    `    default_headers={"x-reef-scenario": ${pythonHeader(scenario)}},`,
    `)`,
    `raw = client.messages.with_raw_response.create(`,
    `    model=${JSON.stringify(door.model ?? 'default')},`,
    `    max_tokens=1024,`,
    `    messages=[{"role": "user", "content": ${JSON.stringify(QUESTION)}}],`,
    `)`,
    `receipt = raw.headers["x-reef-agent-record-id"]`,
    `print(raw.parse().content[0].text)`,
    '',
    ...pythonReport(facts)
  ].join('\n')
}

function scriptKey({ door }: SnippetFacts): string {
  const name = tokenVariable(door)
  return name === null ? `'none'` : `process.env[${JSON.stringify(name)}]`
}

function scriptReport({ door, scenario }: SnippetFacts): string[] {
  const name = tokenVariable(door)
  return [
    `await fetch(${JSON.stringify(`${door.address}/reef/report`)}, {`,
    `  method: 'POST',`,
    `  headers: {`,
    `    'content-type': 'application/json',`,
    `    'x-reef-scenario': ${scriptHeader(scenario)},`,
    ...(name === null
      ? []
      : [`    authorization: \`Bearer \${process.env[${JSON.stringify(name)}]}\`,`]),
    `  },`,
    `  body: JSON.stringify({ references: [receipt], score: 1 })`,
    `})`
  ]
}

function scriptOpenAi(facts: SnippetFacts): string {
  const { door, scenario } = facts
  return [
    `import OpenAI from 'openai'`,
    '',
    `const client = new OpenAI({`,
    `  baseURL: ${JSON.stringify(`${door.address}/v1`)},`,
    `  apiKey: ${scriptKey(facts)},`,
    `  defaultHeaders: { 'x-reef-scenario': ${scriptHeader(scenario)} }`,
    `})`,
    `const { data, response } = await client.chat.completions`,
    `  .create({`,
    `    model: ${JSON.stringify(door.model ?? 'default')},`,
    `    messages: [{ role: 'user', content: ${JSON.stringify(QUESTION)} }]`,
    `  })`,
    `  .withResponse()`,
    `const receipt = response.headers.get('x-reef-agent-record-id')`,
    `console.log(data.choices[0].message.content)`,
    '',
    ...scriptReport(facts)
  ].join('\n')
}

function scriptAnthropic(facts: SnippetFacts): string {
  const { door, scenario } = facts
  return [
    `import Anthropic from '@anthropic-ai/sdk'`,
    '',
    `const client = new Anthropic({`,
    `  baseURL: ${JSON.stringify(door.address)},`,
    `  apiKey: ${scriptKey(facts)},`,
    `  defaultHeaders: { 'x-reef-scenario': ${scriptHeader(scenario)} }`,
    `})`,
    `const { data, response } = await client.messages`,
    `  .create({`,
    `    model: ${JSON.stringify(door.model ?? 'default')},`,
    `    max_tokens: 1024,`,
    `    messages: [{ role: 'user', content: ${JSON.stringify(QUESTION)} }]`,
    `  })`,
    `  .withResponse()`,
    `const receipt = response.headers.get('x-reef-agent-record-id')`,
    `console.log(data.content[0])`,
    '',
    ...scriptReport(facts)
  ].join('\n')
}
