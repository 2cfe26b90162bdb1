/** What was found with a person's rights is in no trace or span, nor in those of later questions that build on it. */
import { expect, onTestFinished, test } from 'vitest'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { connect, connectingBot } from '../harness/connecting-bot.ts'
import { startCollector } from '../harness/otlp-collector.ts'
import { act, finish } from '../harness/played-model.ts'
import { DM, dms } from '../harness/schedules.ts'

/** The result, the answer, and what a model makes of them in a standalone question. */
const CANARY = /is open/

/** Ways to ask where only the asker reads. */
const PLACES = {
  'in direct messages': async (bot, text) => void (await bot.dm(text)),
  'in a thread of direct messages': async ({ slack, dm }, text) => {
    const root = slack.messages(DM).find(({ user }) => user === ALICE)
    if (root) await slack.say({ channel: DM, user: ALICE, thread_ts: root.ts, text })
    else await dm(text)
  },
  'in private': async ({ slack }, text) =>
    void (await slack.slash(`private: ${text}`, { channel: GENERAL, user: ALICE })),
} satisfies Record<string, (bot: Awaited<ReturnType<typeof connectingBot>>, text: string) => Promise<void>>

test.for(Object.entries(PLACES))('%s', async ([, ask]) => {
  const traces: string[] = []
  const collector = await startCollector({ onTestFinished })
  const bot = await connectingBot(
    { onTestFinished },
    {},
    {
      env: { RUN_TRACES: 'true', OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_CAPTURE_CONTENT: 'true' },
      onTrace: (trace) => void traces.push(JSON.stringify(trace)),
    },
  )
  const { slack, model } = bot
  await connect(bot.bot, ALICE, bot)
  const shown = (text: string) =>
    slack.until(() => [...dms(bot.bot), ...slack.ephemerals(GENERAL, ALICE)].some((one) => one.includes(text)), text)
  model.on('other', finish('There are 21.'))
  await ask(bot, 'What of the other?')
  await shown('There are 21.')
  model.condenses('the ticket', 'What of the ticket?')
  model.on('of the ticket', act('I look.', 'tickets__read_ticket', '{"id": "7"}'), finish('It is open.'))
  await ask(bot, 'What of the ticket?')
  await shown('It is open.')
  model.condenses('And so', 'What follows from that the ticket is open?')
  model.on('What follows', finish('Since it is open, it is not closed.'))
  await ask(bot, 'And so?')
  await shown('it is not closed')
  model.condenses('And then', 'What comes then, as the ticket is open?')
  model.on('What comes', finish('It is open, so wait.'))
  await ask(bot, 'And then?')
  await shown('so wait')
  await slack.settle()
  await bot.bot.bot.stop()
  const content = collector.requests.map(({ body }) => body).join('\n')
  expect(traces.join('\n')).toContain('And then?')
  expect(content + traces.join('\n')).not.toMatch(CANARY)
  expect(traces.join('\n')).toContain('There are 21.')
  expect(content).toContain('There are 21.')
})
