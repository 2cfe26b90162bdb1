/** The played model, in a process of its own: as little work as an OpenAI-compatible server can do, after 20 ms. */
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'
import { TURNS } from './bench-scene.ts'

const LATENCY_MS = 20
const usage = { prompt_tokens: 250, completion_tokens: 30, total_tokens: 280 }

/** Everything that a turn is answered with, made once: it is not the server that is measured. */
const ANSWERS = TURNS.map((text) => ({ whole: whole(text), stream: streamed(text) }))

const server = createServer((request, response) => {
  void bodyOf(request).then(async (body) => {
    const { messages, stream } = JSON.parse(body) as { messages: { content: string }[]; stream?: boolean }
    const prompt = messages.at(-1)?.content ?? ''
    const seen = prompt.slice(prompt.lastIndexOf('Question:')).split('\nObservation:').length - 1
    const answer = ANSWERS[Math.min(seen, ANSWERS.length - 1)]
    await wait(LATENCY_MS)
    response.writeHead(200, { 'content-type': stream ? 'text/event-stream' : 'application/json' })
    // A chunk a write, as an endpoint sends them.
    if (stream) for (const chunk of answer?.stream ?? []) response.write(chunk)
    response.end(stream ? '' : answer?.whole)
  })
})

server.listen(0, '127.0.0.1', () => process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}/v1`))
process.on('disconnect', () => process.exit())

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

function whole(content: string): string {
  const choices = [{ index: 0, finish_reason: 'stop', message: { role: 'assistant', content } }]
  return JSON.stringify({ id: 'c', object: 'chat.completion', created: 1, model: 'bench', choices, usage })
}

/** A chunk a token, about: pieces of four characters. */
function streamed(text: string): string[] {
  const pieces = text.match(/[\s\S]{1,4}/g) ?? []
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
