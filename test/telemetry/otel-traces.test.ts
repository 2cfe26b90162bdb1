import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { memoryQueue } from '../../src/queue/memory-queue.ts'
import { createLog } from '../../src/base/log.ts'
import { loadConfig } from '../../src/config.ts'
import { inputMessages } from '../../src/telemetry/otel-spans.ts'
import { createTelemetry } from '../../src/telemetry/telemetry.ts'
import { startLocalSlack } from '../../playground/slack/slack.ts'
import { envFor, peopleOf, startBot, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import { startCommand, temporaryFolder } from '../harness/command.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { startCollector, type CollectedSpan, type Collector } from '../harness/otlp-collector.ts'
import { act, finish, playModel, type Script } from '../harness/played-model.ts'
import { freePort } from '../harness/redis.ts'
import { endsWithin, question } from '../harness/stores.ts'

const [INTERNAL, SERVER, CLIENT] = [1, 2, 3]
const ERROR = 2
const ends = fileEnds()

interface TracedBot extends TestBot {
  collector: Collector
}

async function tracedBot(t: Ends, model: Script, options: Omit<TestBotOptions, 'model'> = {}): Promise<TracedBot> {
  const collector = await startCollector(t)
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...options.env }
  return { ...(await startBot(t, { ...options, model, env })), collector }
}

/** Returns the only span with this name, after the bot has stopped and sent its spans. */
function only(collector: Collector, name: string): CollectedSpan {
  const found = collector.named(name)
  if (found.length !== 1)
    throw new Error(`${found.length} spans "${name}" among ${collector.spans.map((span) => span.name).join(', ')}`)
  return found[0]!
}

describe('an answered question', () => {
  let collector: Collector
  let conversation: string
  let modelUrl: string

  beforeAll(async () => {
    const bot = await tracedBot(ends, [act('A sum.', 'calculator', '2+3'), finish('It is 5.')])
    const thread = await bot.mention('What is 2+3?')
    await thread.ended()
    await bot.stop()
    collector = bot.collector
    modelUrl = bot.model.url
    conversation = `T0LOCAL0001:${thread.channel}:${thread.ts}`
  })

  test('one trace: a delivery is received, the agent is invoked, and it calls models, tools and Slack', () => {
    const [received, agent] = [only(collector, 'receive mention'), only(collector, 'invoke_agent thinkaloud')]
    expect(new Set(collector.spans.map((span) => span.traceId)).size).toBe(1)
    expect(received).toMatchObject({ parentSpanId: undefined, kind: SERVER })
    expect(agent).toMatchObject({ parentSpanId: received.spanId, kind: INTERNAL })
    // The asker is looked up before the agent starts.
    const asker = collector.spans.find(
      ({ name, parentSpanId }) => name === 'slack users.info' && parentSpanId === received.spanId,
    )!
    expect(asker).toMatchObject({ parentSpanId: received.spanId, kind: CLIENT })
    const calls = collector.spans.filter((span) => ![received, agent, asker].includes(span))
    expect(calls.filter((span) => span.parentSpanId !== agent.spanId)).toEqual([])
    // A status is set while a question takes its time, and a step is updated if the calculator does.
    const always = calls.filter(({ name }) => !/setStatus|chat\.update/.test(name))
    expect(always.map((span) => `${span.kind} ${span.name}`).sort()).toEqual([
      `${INTERNAL} execute_tool calculator`,
      `${CLIENT} chat played-model`,
      `${CLIENT} chat played-model`,
      `${CLIENT} slack chat.postMessage`,
      `${CLIENT} slack chat.postMessage`,
      `${CLIENT} slack conversations.info`,
      `${CLIENT} slack users.info`,
    ])
  })

  test('spans carry what the GenAI conventions ask for', () => {
    expect(only(collector, 'invoke_agent thinkaloud').attributes).toMatchObject({
      'gen_ai.operation.name': 'invoke_agent',
      'gen_ai.provider.name': 'openai',
      'gen_ai.agent.name': 'thinkaloud',
      'gen_ai.conversation.id': conversation,
      'thinkaloud.outcome': 'answered',
      'thinkaloud.steps': 1,
      'thinkaloud.attempt': 1,
    })
    const [chat, last] = collector.named('chat played-model')
    expect(chat?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'played-model',
      'gen_ai.request.stream': true,
      'gen_ai.request.stop_sequences': expect.arrayContaining(['\nObservation:']),
      'gen_ai.response.time_to_first_chunk': expect.any(Number),
      'gen_ai.usage.input_tokens': expect.any(Number),
      'gen_ai.usage.output_tokens': expect.any(Number),
      'gen_ai.conversation.id': conversation,
      'server.address': '127.0.0.1',
      'server.port': Number(new URL(modelUrl).port),
    })
    expect(only(collector, 'execute_tool calculator').attributes).toEqual({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'calculator',
      'gen_ai.tool.type': 'function',
      'gen_ai.agent.name': 'thinkaloud',
    })
    const total = only(collector, 'invoke_agent thinkaloud').attributes['gen_ai.usage.input_tokens']
    const parts = [chat, last].map((span) => Number(span?.attributes['gen_ai.usage.input_tokens']))
    expect(total).toBe(parts[0]! + parts[1]!)
  })

  test('calls are within the agent’s span, each after its predecessor', () => {
    const agent = only(collector, 'invoke_agent thinkaloud')
    const [first, second] = collector.named('chat played-model')
    const tool = only(collector, 'execute_tool calculator')
    const times = [agent.from, first!.from, first!.to, tool.from, tool.to, second!.from, second!.to, agent.to]
    expect(times).toEqual([...times].sort((a, b) => a - b))
    expect(only(collector, 'receive mention').from).toBeLessThanOrEqual(agent.from)
  })
})

const SECRET = 'xylophone'

/** Asks a question in which people, the model and a tool all write the secret word. */
async function secretive(t: Ends, env: TestBotOptions['env'] = {}): Promise<TracedBot> {
  const pages = [{ id: 1, title: 'Xylophone', redirects: [], disambiguation: false, text: `A ${SECRET} has bars.` }]
  const bot = await tracedBot(
    t,
    [act(`About the ${SECRET}.`, 'wikipedia', SECRET), finish(`The ${SECRET} has bars.`)],
    { env, pages },
  )
  const thread = await bot.mention(`What is a ${SECRET}?`)
  expect(await thread.ended()).toContain(SECRET)
  bot.model.condenses('bars', `How many bars has a ${SECRET}?`)
  bot.model.on('How many', finish(`A ${SECRET} has thirty.`))
  await thread.reply('How many bars?')
  await thread.ended()
  await bot.stop()
  return bot
}

describe('a conversation', () => {
  let bot: TracedBot

  beforeAll(async () => {
    bot = await secretive(ends)
  })

  test('no text of people, models or tools is in a trace or the log', () => {
    const { collector, logs } = bot
    expect(collector.named('chat played-model')).toHaveLength(4)
    expect(collector.requests.map(({ body }) => body).join('\n')).not.toMatch(new RegExp(SECRET, 'i'))
    expect(logs.join('\n')).not.toMatch(new RegExp(SECRET, 'i'))
  })

  test('a follow-up has its own trace in the same conversation, including condensing', () => {
    const { collector } = bot
    const [first, second] = collector.named('invoke_agent thinkaloud')
    expect(second!.traceId).not.toBe(first!.traceId)
    expect(second!.attributes['gen_ai.conversation.id']).toBe(first!.attributes['gen_ai.conversation.id'])
    const chats = collector.named('chat played-model').filter((span) => span.traceId === second!.traceId)
    expect(chats.map((span) => span.parentSpanId)).toEqual([second!.spanId, second!.spanId])
    expect(collector.named('receive thread')).toHaveLength(1)
  })
})

test('OTEL_CAPTURE_CONTENT=true adds texts in the conventions’ formats', async (t) => {
  const { collector } = await secretive(t, { OTEL_CAPTURE_CONTENT: 'true' })
  const agent = collector.named('invoke_agent thinkaloud')[0]!
  expect(messagesIn(agent, 'gen_ai.input.messages')).toEqual([
    { role: 'user', parts: [{ type: 'text', content: `What is a ${SECRET}?` }] },
  ])
  const answer = { type: 'text', content: `The ${SECRET} has bars.` }
  expect(messagesIn(agent, 'gen_ai.output.messages')).toEqual([
    { role: 'assistant', parts: [answer], finish_reason: 'stop' },
  ])
  const chat = collector.named('chat played-model')[0]!
  expect(messagesIn(chat, 'gen_ai.input.messages').at(-1)).toMatchObject({ role: 'user' })
  expect(JSON.stringify(messagesIn(chat, 'gen_ai.output.messages'))).toContain('Action: wikipedia')
  expect(collector.named('execute_tool wikipedia')[0]!.attributes).toMatchObject({
    'gen_ai.tool.call.arguments': SECRET,
    'gen_ai.tool.call.result': expect.stringContaining('has bars'),
  })
})

test('a trace contains a picture’s name, type and size', () => {
  const images = [{ name: 'chart.png', mime: 'image/png', base64: 'Y2hhcnRjaGFydA==' }]
  expect(JSON.parse(inputMessages([{ role: 'user', content: 'What?', images, unseen: 'Unseen.' }]))).toEqual([
    {
      role: 'user',
      parts: [
        { type: 'text', content: 'What?' },
        { type: 'image', name: 'chart.png', mime_type: 'image/png', bytes: 10 },
      ],
    },
  ])
})

function messagesIn(span: CollectedSpan, name: string): unknown[] {
  return JSON.parse(String(span.attributes[name])) as unknown[]
}

test('parallel tool calls are distinguished by call id', async (t) => {
  const toolCalls = ['1+1', '2+2'].map((expression, i) => ({
    name: 'calculator',
    arguments: JSON.stringify({ expression }),
    id: `call_${i}`,
  }))
  const env = { AGENT_DIALECT: 'native', OTEL_CAPTURE_CONTENT: 'true' }
  const { collector, ...bot } = await tracedBot(t, [{ toolCalls }, 'Two and four.'], { env })
  await (await bot.mention('Two sums?')).ended()
  await bot.stop()
  const tools = collector.named('execute_tool calculator')
  expect(tools.map((span) => span.attributes['gen_ai.tool.call.id'])).toEqual(['call_0', 'call_1'])
  const chats = collector.named('chat played-model')
  expect(messagesIn(chats[0]!, 'gen_ai.output.messages')).toMatchObject([
    {
      parts: [
        { type: 'tool_call', id: 'call_0', name: 'calculator' },
        { type: 'tool_call', id: 'call_1' },
      ],
      finish_reason: 'tool_call',
    },
  ])
  expect(messagesIn(chats[1]!, 'gen_ai.input.messages').slice(-2)).toMatchObject([
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_0', response: expect.stringContaining('2') }] },
    { role: 'tool', parts: [{ type: 'tool_call_response', id: 'call_1', response: expect.stringContaining('4') }] },
  ])
})

test('an error is recorded by class, never by message', async (t) => {
  const body = { error: { message: 'No such key: sk-something', type: 'invalid_request_error' } }
  const { collector, ...bot } = await tracedBot(t, [act('Hm.', 'no_such_tool', 'x'), { status: 401, body }])
  await (await bot.mention('Anybody there?')).ended()
  await bot.stop()
  const [, chat] = collector.named('chat played-model')
  expect(chat).toMatchObject({ status: ERROR, attributes: { 'error.type': '401' } })
  expect(only(collector, 'execute_tool unknown')).toMatchObject({
    status: ERROR,
    attributes: { 'error.type': 'tool_error' },
  })
  expect(only(collector, 'invoke_agent thinkaloud')).toMatchObject({
    status: ERROR,
    attributes: { 'error.type': '401' },
  })
  expect(collector.requests.map((request) => request.body).join()).not.toContain('sk-something')
})

test('an answer that Slack refuses is an error of the agent’s span and of the call', async (t) => {
  const { collector, ...bot } = await tracedBot(t, [finish('Yes.')])
  bot.slack.fault({ method: 'chat.postMessage', error: 'is_archived' })
  await bot.mention('Is it noon?')
  await bot.slack.until(() => bot.slack.calls.some(({ error }) => error === 'is_archived'), 'the refusal')
  await bot.slack.settle()
  await bot.stop()
  expect(only(collector, 'slack chat.postMessage').attributes['error.type']).toBe('is_archived')
  expect(only(collector, 'invoke_agent thinkaloud')).toMatchObject({
    status: ERROR,
    attributes: { 'error.type': 'undelivered' },
  })
})

test('/ask is one trace, from the command to the answer in the thread that it opens', async (t) => {
  const { collector, ...bot } = await tracedBot(t, [finish('Yes.')])
  await (await bot.ask('Is it noon?')).ended()
  await bot.stop()
  expect(new Set(collector.spans.map((span) => span.traceId)).size).toBe(1)
  const received = only(collector, 'receive ask')
  expect(only(collector, 'invoke_agent thinkaloud').parentSpanId).toBe(received.spanId)
  const posts = collector.named('slack chat.postMessage').map((span) => span.parentSpanId)
  expect(posts).toEqual([received.spanId, only(collector, 'invoke_agent thinkaloud').spanId])
})

test('ignored events and repeated deliveries have no trace', async (t) => {
  const { collector, ...bot } = await tracedBot(t, [finish('Yes.')])
  const stranger = await bot.slack.say({ text: 'Lunch, anybody?' })
  await bot.slack.say({ text: 'Me!', thread_ts: stranger.ts })
  await (await bot.mention('Is it noon?')).ended()
  await bot.slack.settle()
  await bot.stop()
  expect(collector.spans.filter((span) => span.name.startsWith('receive')).map((span) => span.name)).toEqual([
    'receive mention',
  ])
})

test('the collector is reached with path, headers and service name from the SDK’s variables, also in .env', async (t) => {
  const [collector, slack] = [await startCollector(t), await startLocalSlack()]
  t.onTestFinished(() => slack.close())
  const model = await playModel(t, [finish('Yes.')])
  const env = {
    ...envFor({ slack, model }, 'socket'),
    OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-team=search',
  }
  const cwd = await temporaryFolder(t)
  await writeFile(join(cwd, '.env'), 'OTEL_SERVICE_NAME=bot-of-ours\nOTEL_EXPORTER_OTLP_HEADERS=x-team=none\n')
  const bot = startCommand(t, 'src/main.ts', { env, cwd })
  await bot.shows(/is ready/)
  await (await peopleOf(slack).mention('Is it noon?')).ended()
  bot.signal('SIGTERM')
  expect((await bot.ended).code).toBe(0)
  expect(new Set(collector.requests.map(({ path }) => path))).toEqual(new Set(['/v1/traces']))
  expect(collector.requests[0]?.headers).toMatchObject({ authorization: 'Bearer abc', 'x-team': 'search' })
  expect(collector.spans[0]?.resource).toMatchObject({
    'service.name': 'bot-of-ours',
    'service.instance.id': expect.any(String),
  })
})

test('an unreachable collector delays neither answers nor the shutdown', async (t) => {
  const env = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}` }
  const bot = await startBot(t, { model: [finish('Yes.')], env })
  expect(await (await bot.mention('Is it noon?')).lastAnswer()).toBe('Yes.')
  // Its default timeout of 10 s would exceed this limit.
  expect(await endsWithin(bot.stop(), 8_000)).toBe(true)
})

test('an unreadable trace context begins a new trace', async (t) => {
  const collector = await startCollector(t)
  const config = loadConfig({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url })
  const log = createLog('silent')
  const telemetry = (await createTelemetry(config, log, Date.now))!
  const queue = telemetry.queue(memoryQueue({ now: Date.now, log }))
  const parents = [
    'rubbish',
    '00-00000000000000000000000000000000-0000000000000000-01',
    '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
  ]
  for (const [i, traceparent] of parents.entries())
    await queue.accept(question(`${i}.0`, { thread: `${i}.0`, traceparent }))
  await telemetry.stop(5_000)
  const [rubbish, empty, known] = collector.named('receive mention')
  expect(rubbish).toMatchObject({ parentSpanId: undefined })
  expect(empty).toMatchObject({ parentSpanId: undefined })
  expect(known).toMatchObject({ traceId: '0af7651916cd43dd8448eb211c80319c', parentSpanId: 'b7ad6b7169203331' })
})
