/** The simulated model in its own process: the least work that an OpenAI-compatible server can do, after 20 ms. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { STREAMED_TURNS, TURNS } from './bench-scene.ts'

const LATENCY_MS = 20
const PACE_MS = Number(process.argv[2] ?? 0)
const usage = { prompt_tokens: 250, completion_tokens: 30, total_tokens: 280 }

/** The answers to all turns, created once because the server is not what is measured. */
const ANSWERS = TURNS.map((text, i) => ({ whole: whole(text), stream: streamed(STREAMED_TURNS[i] ?? '') }))

const server = createServer((request, response) => {
  void bodyOf(request).then(async (body) => {
    const { messages, stream } = JSON.parse(body) as { messages: { content: string }[]; stream?: boolean }
    const prompt = messages.at(-1)?.content ?? ''
    const seen = prompt.slice(prompt.lastIndexOf('Question:')).split('\nObservation:').length - 1
    const answer = ANSWERS[Math.min(seen, ANSWERS.length - 1)]
    await wait(LATENCY_MS)
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    if (stream) await writeAll(answer?.stream ?? [], response)
    response.end(stream ? '' : answer?.whole)
  })
})

server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`))
process.on('disconnect', () => process.exit())

/** Writes each chunk separately, as an endpoint does. */
async function writeAll(chunks: string[], response: ServerResponse): Promise<void> {
  for (const chunk of chunks) {
    response.write(chunk)
    if (PACE_MS > 0) await wait(PACE_MS)
  }
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function whole(content: string): string {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
  return JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'bench', choices, usage })
}

/** Splits a text into chunks of a token: a word of the long answer, about four characters of the other turns. */
function streamed(text: string): string[] {
  const pieces = text.match(/ word|[\s\S]{1,4}/g) ?? []
  const chunk = (choices: object[], more = {}) =>
    `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices, ...more })}\n\n`
  return [
    chunk([{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }]),
    ...pieces.map((content) => chunk([{ index: 0, delta: { content }, finish_reason: null }])),
    chunk([{ index: 0, delta: {}, finish_reason: 'stop' }]),
    chunk([], { usage }),
    'data: [DONE]\n\n',
  ]
}
