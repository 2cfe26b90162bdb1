/** An MCP server whose messages are written by hand, so that every digit on the wire is seen. Over stdio if started. */
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { z } from 'zod'
import { startWebServer } from '../web-server.ts'

const asked = z.object({ id: z.union([z.string(), z.number()]).optional(), method: z.string() })

const SCHEMA = {
  type: 'object',
  properties: {
    account: { type: 'integer' },
    name: { type: 'string' },
    amount: { type: 'number' },
    count: { type: 'integer' },
    all: { type: 'array', items: { type: 'integer' } },
  },
}

/** A tool with limits over 2^53, as they stand on the wire. */
const LARGE =
  '{"name":"pick","description":"Picks.","inputSchema":{"type":"object","properties":{"id":{"type":"integer","description":"An id.","minimum":9007199254740993,"maximum":18446744073709551615,"default":1234567890123456789,"examples":[9007199254740995]},"kind":{"enum":[9007199254740993,9007199254740995,"none"]},"fixed":{"const":1234567890123456789},"odd":{"type":"integer","exclusiveMaximum":9007199254740994},"three":{"type":"integer","multipleOf":3},"share":{"type":"number","minimum":0.0}},"required":["id"]}}'

/** The answer to one message: a call returns its own arguments as they came, as text and structured. */
export function accountAnswer(line: string): string | undefined {
  const { id, method } = asked.parse(JSON.parse(line))
  const serverInfo = { name: 'accounts', version: '1' }
  const results: Record<string, string> = {
    initialize: JSON.stringify({ protocolVersion: '2025-06-18', capabilities: { tools: {} }, serverInfo }),
    'tools/list': `{"tools":[${JSON.stringify({ name: 'look', description: 'Looks.', inputSchema: SCHEMA })},${LARGE}]}`,
    'tools/call': `{"content":[{"type":"text","text":${JSON.stringify(`got ${argumentsIn(line)}`)}}],"structuredContent":{"id":1234567890123456789,"price":12.10,"rows":[{"n":9007199254740993}],"said":"id 12.10"}}`,
  }
  if (id === undefined) return undefined
  const result = results[method]
  const said = result === undefined ? `"error":{"code":-32601,"message":"refused"}` : `"result":${result}`
  return `{"jsonrpc":"2.0","id":${JSON.stringify(id)},${said}}`
}

function argumentsIn(line: string): string {
  return /"arguments":(\{[^}]*\})/.exec(line)?.[1] ?? 'none'
}

/** Starts it over HTTP. `lines`: an event has its data on two lines. `bodies`: what it received. */
export async function startAccountServer(form: 'json' | 'event' | 'lines') {
  const bodies: string[] = []
  const server = await startWebServer((_, response, request) => {
    if (request.method !== 'POST') return void response.writeHead(405).end()
    let body = ''
    request.on('data', (data) => (body += String(data)))
    request.on('end', () => {
      bodies.push(body)
      const answer = accountAnswer(body)
      if (answer === undefined) return void response.writeHead(202).end()
      response.writeHead(200, { 'content-type': form === 'json' ? 'application/json' : 'text/event-stream' })
      const [head, tail] = [answer.slice(0, answer.indexOf(',')), answer.slice(answer.indexOf(','))]
      const events = { json: answer, event: `data: ${answer}\n\n`, lines: `data: ${head}\r\ndata: ${tail}\r\n\r\n` }
      response.end(events[form])
    })
  })
  return { url: `${server.url}/mcp`, bodies }
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  createInterface(process.stdin).on('line', (line) => {
    const answer = accountAnswer(line)
    if (answer !== undefined) process.stdout.write(`${answer}\n`)
  })
