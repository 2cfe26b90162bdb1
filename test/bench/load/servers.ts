/** A minimal Slack and a minimal model, so that the bot is what is measured. They answer, count and time. */
import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as wait } from 'node:timers/promises'

const SECRET = 'bench-secret'
const BOT = 'U0BENCHBOT'
/** The asker must be a member of the workspace. */
const ASKER = { id: 'U0ASKER', team_id: 'T0BENCH', name: 'asker', is_email_confirmed: true }
/** The time after which a question counts as lost, in ms. */
const LOST_MS = 60_000

/** Returns the settings of a bot that uses these servers. */
export function envFor(slack: { apiUrl: string }, model: { url: string }): Record<string, string> {
  return {
    SLACK_BOT_TOKEN: 'xoxb-bench',
    SLACK_SIGNING_SECRET: SECRET,
    SLACK_API_URL: slack.apiUrl,
    OPENAI_API_KEY: 'bench',
    OPENAI_BASE_URL: model.url,
    HOST: '127.0.0.1',
    LOG_LEVEL: 'warn',
    NODE_ENV: 'production',
  }
}

async function listen(server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return (server.address() as AddressInfo).port
}

async function bodyOf(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks).toString()
}

const STEPS = [
  'I should search.\nAction: calculator\nAction Input: 29^0.23',
  'Now half of it.\nAction: calculator\nAction Input: 2.169459462491557/2',
  'I now know the final answer\nFinal Answer: BENCH-ANSWER: 2.169459462491557, and half of it is 1.0847297312457784.',
]

/**
 * Starts a model that writes two calculator steps and an answer, streamed in pieces of sixteen characters after
 * `latencyMs`.
 */
export async function startModel(latencyMs: number): Promise<BenchModel> {
  return serveModel(async function* (prompt) {
    const seen = prompt.split('\nObservation:').length - 1
    const isCondense = prompt.includes('standalone question') || prompt.includes('Standalone question')
    const text = isCondense ? 'What is 29 to the power 0.23, and half of it?' : STEPS[Math.min(seen, 2)]!
    await wait(latencyMs)
    yield* text.match(/[\s\S]{1,16}/g) ?? []
  })
}

export interface BenchModel {
  url: string
  close(): void
}

/** Starts a model that streams the pieces of `turn`, one per chunk. `turn` gets the prompt's last message. */
export async function serveModel(turn: (prompt: string) => AsyncIterable<string>): Promise<BenchModel> {
  const server = createServer((request, response) => {
    // The list of models, which a bot requests when it starts.
    if (request.method !== 'POST') return void response.writeHead(404).end()
    void (async () => {
      const body = JSON.parse(await bodyOf(request)) as { messages: { content: string }[] }
      const chunk = (choice: object, extra = {}) =>
        `data: ${JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'bench', choices: [{ index: 0, ...choice }], ...extra })}\n\n`
      for await (const content of turn(body.messages.at(-1)?.content ?? '')) {
        if (!response.headersSent) response.writeHead(200, { 'content-type': 'text/event-stream' })
        response.write(chunk({ delta: { content }, finish_reason: null }))
      }
      const usage = { prompt_tokens: 200, completion_tokens: 30, total_tokens: 230 }
      response.write(chunk({ delta: {}, finish_reason: 'stop' }, { usage }))
      response.end('data: [DONE]\n\n')
    })()
  })
  const port = await listen(server)
  return { url: `http://127.0.0.1:${port}/v1`, close: () => server.close() }
}

export interface BenchSlack {
  apiUrl: string
  /** Delivers a mention. Resolves with the ms until its answer was in the thread. */
  ask(target: string, thread?: string): Promise<{ ms: number; ackMs: number; thread: string }>
  /** Adds a thread with these messages. Returns its root's ts. */
  thread(messages: object[]): string
  calls: Map<string, number>
  close(): void
}

/** Accepts every call, issues ts, and resolves the wait for the answer in a thread. */
export async function startSlack(): Promise<BenchSlack> {
  let clock = 1_790_000_000_000_000
  const ts = () => `${Math.floor(++clock / 1e6)}.${String(clock % 1e6).padStart(6, '0')}`
  const waiting = new Map<string, () => void>()
  const threads = new Map<string, object[]>()
  const calls = new Map<string, number>()
  const server = createServer((request, response) => {
    void (async () => {
      const method = (request.url ?? '').replace('/api/', '')
      const args = new URLSearchParams(await bodyOf(request))
      calls.set(method, (calls.get(method) ?? 0) + 1)
      const isAnswer = method === 'chat.postMessage' && (args.get('text') ?? '').includes('BENCH-ANSWER')
      const me = { team_id: 'T0BENCH', user_id: BOT, bot_id: 'B0BENCH' }
      response.writeHead(200, { 'content-type': 'application/json' })
      const found = method === 'users.info' ? { user: ASKER } : {}
      const messages = method === 'conversations.replies' ? (threads.get(args.get('ts') ?? '') ?? []) : []
      response.end(JSON.stringify({ ok: true, ts: ts(), channel: args.get('channel'), messages, ...me, ...found }))
      if (isAnswer) waiting.get(args.get('thread_ts') ?? '')?.()
    })()
  })
  const port = await listen(server)
  const ask: BenchSlack['ask'] = async (target, thread) => {
    const event = {
      type: 'app_mention',
      user: ASKER.id,
      text: `<@${BOT}> 29^0.23, and half of it?`,
      ts: ts(),
      channel: 'C0BENCH',
    }
    const root = thread ?? event.ts
    const answered = new Promise<void>((resolve) => waiting.set(root, resolve))
    const from = performance.now()
    const mention = { ...event, ...(thread ? { thread_ts: thread } : {}) }
    // Slack sends a mention as a message too, a moment later.
    const acks = [mention, { ...mention, type: 'message', channel_type: 'channel' }].map((one) => deliver(target, one))
    const [ackMs = 0] = await Promise.all(acks)
    await answeredInTime(answered, event.text)
    waiting.delete(root)
    return { ms: performance.now() - from, ackMs, thread: root }
  }
  const thread: BenchSlack['thread'] = (messages) => {
    const root = ts()
    threads.set(
      root,
      messages.map((message, i) => ({ ...message, ts: i === 0 ? root : ts(), thread_ts: root })),
    )
    return root
  }
  return { apiUrl: `http://127.0.0.1:${port}/api/`, ask, thread, calls, close: () => server.close() }
}

/** Waits for an answer for at most a minute, so that a broken bot does not block a bench. @throws after a minute */
export async function answeredInTime<T>(answer: Promise<T>, question: string): Promise<T> {
  const late = new AbortController()
  const lost = wait(LOST_MS, undefined, { signal: late.signal }).then(() => {
    throw new Error(`The bot has not answered within ${LOST_MS / 1000} s: ${question}`)
  })
  try {
    return await Promise.race([answer, lost])
  } finally {
    late.abort()
    lost.catch(() => undefined)
  }
}

async function deliver(target: string, event: { ts: string; type: string }): Promise<number> {
  const authorizations = [
    { enterprise_id: null, team_id: 'T0BENCH', user_id: BOT, is_bot: true, is_enterprise_install: false },
  ]
  const body = JSON.stringify({
    type: 'event_callback',
    team_id: 'T0BENCH',
    api_app_id: 'A0',
    event_id: `Ev${event.type}${event.ts}`,
    event,
    authorizations,
  })
  const time = String(Math.floor(Date.now() / 1000))
  const signature = `v0=${createHmac('sha256', SECRET).update(`v0:${time}:${body}`).digest('hex')}`
  const from = performance.now()
  const headers = {
    'content-type': 'application/json',
    'x-slack-request-timestamp': time,
    'x-slack-signature': signature,
  }
  const answer = await fetch(target, { method: 'POST', body, headers })
  await answer.arrayBuffer()
  if (answer.status !== 200) throw new Error(`the bot answered a delivery with ${answer.status}`)
  return performance.now() - from
}
