/**
 * The floor: a bare Bolt app that makes the same model calls and posts and one Redis turn. It has no claims, order,
 * parser, budgets or checkpoints.
 */
import { App, HTTPReceiver, LogLevel } from '@slack/bolt'
import { Redis } from 'ioredis'
import OpenAI from 'openai'

const env = process.env
const redis = env.REDIS_URL ? new Redis(env.REDIS_URL) : undefined
const model = new OpenAI({ apiKey: 'bench', baseURL: env.OPENAI_BASE_URL ?? '' })
const receiver = new HTTPReceiver({
  signingSecret: env.SLACK_SIGNING_SECRET ?? '',
  endpoints: '/slack/events',
  logLevel: LogLevel.ERROR,
})
const app = new App({
  token: env.SLACK_BOT_TOKEN ?? '',
  receiver,
  clientOptions: { slackApiUrl: env.SLACK_API_URL ?? '' },
  logLevel: LogLevel.ERROR,
})

async function complete(prompt: string): Promise<string> {
  const messages = [
    { role: 'system' as const, content: 'Answer the question.' },
    { role: 'user' as const, content: prompt },
  ]
  const stream = await model.chat.completions.create({
    model: 'bench',
    messages,
    stream: true,
    stop: ['\nObservation:'],
    stream_options: { include_usage: true },
  })
  let text = ''
  for await (const chunk of stream) text += chunk.choices[0]?.delta.content ?? ''
  return text
}

app.event('app_mention', async ({ event, client }) => {
  const place = { channel: event.channel, thread_ts: event.thread_ts ?? event.ts }
  const blocksOf = (text: string) => [{ type: 'section' as const, text: { type: 'mrkdwn' as const, text } }]
  const post = (text: string) =>
    client.chat.postMessage({ ...place, text, blocks: blocksOf(text), unfurl_links: false, unfurl_media: false })
  let prompt = `Question: ${event.text}\nThought:`
  for (const observation of ['2.169459462491557', '1.0847297312457784']) {
    const said = await complete(prompt)
    const step = await post(said)
    const text = `${said}\n${observation}`
    await client.chat.update({ channel: event.channel, ts: step.ts ?? '', text, blocks: blocksOf(text) })
    prompt += ` ${said}\nObservation: ${observation}\nThought:`
  }
  const answer = await complete(prompt)
  const key = `floor:${event.channel}:${place.thread_ts}`
  await redis
    ?.multi()
    .rpush(key, JSON.stringify({ question: event.text, answer }))
    .ltrim(key, -20, -1)
    .expire(key, 86_400)
    .exec()
  await post(answer)
})

await app.start(Number(env.PORT))
console.log('ready')
