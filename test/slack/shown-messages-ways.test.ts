/** Alerts, forwards, tables and previews over each transport and store. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOT_USER, GENERAL, RANDOM, type Json } from '../../playground/slack/slack.ts'
import { SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { Thread, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { textFile } from '../harness/said-files.ts'
import { ALERTS, forward, MONITOR, ORIGIN, table } from '../harness/shown-messages.ts'
import { steeredBot } from '../harness/steered-bot.ts'

const ASK = `<@${BOT_USER}>`
const MODES = ['http', 'socket'] as const
const ends = fileEnds()
const inMemory = new Map<string, Promise<TestBot>>()

describe.each(MODES)('in memory, over %s', (mode) => {
  stories(() => {
    const bot = inMemory.get(mode) ?? steeredBot(ends, {}, { mode })
    inMemory.set(mode, bot)
    return bot
  })
})

describeWithRedis('with a worker of its own on Redis', () => {
  const server = suiteRedis()
  const onRedis = new Map<string, Promise<TestBot>>()

  describe.each(MODES)('over %s', (mode) => {
    stories(() => {
      const bot = onRedis.get(mode) ?? steeredBot(ends, { redisUrl: server.url }, { mode })
      onRedis.set(mode, bot)
      return bot
    })
  })
})

const promptOf = ({ model }: TestBot, key: string) => model.about(key).at(-1)?.prompt ?? ''

function stories(started: () => Promise<TestBot>): void {
  test('asked below an alert in each form, the model has the alert, and people its source', async () => {
    const bot = await started()
    const { model, slack } = bot
    for (const [form, extra] of ALERTS) {
      const key = `what is this ${form}`
      model.on(key, finish('Load.'))
      const root = await slack.say({ text: '', extra: { ...MONITOR, ...extra } })
      const thread = new Thread(slack, await slack.say({ text: `${ASK} ${key}?`, thread_ts: root.thread }))
      expect(await thread.lastAnswer()).toContain('Monitor: CPU 97% on web-3')
      expect(promptOf(bot, key)).toMatch(/Monitor \(a bot\): CPU 97% on web-3[\s\S]*Threshold 90%/)
    }
  })

  test('a forward with a file is read in the question and as the root of its thread', async () => {
    const bot = await started()
    const { model, slack } = bot
    const known = slack.people.upload(textFile('inspection.txt', 'The SELVEDGEWORD is torn.'), ALICE)
    slack.store.files.get(known.id)?.channels.add(GENERAL)
    const stub = { id: known.id, mode: 'file_access', file_access: 'check_file_info', created: 0, user: '' }
    const extra = { attachments: [forward({ files: [stub] })] }
    model.on('is it bad', finish('It bleeds at 41 degrees.'))
    const asked = await bot.mention('is it bad?', { extra })
    expect(await asked.lastAnswer()).toContain('Forwarded from Dana')
    model.on('is it worse', finish('Yes.'))
    const root = await slack.say({ text: 'fyi', extra })
    const below = new Thread(slack, await slack.say({ text: `${ASK} is it worse?`, thread_ts: root.thread }))
    await below.ended()
    for (const key of ['is it bad', 'is it worse']) {
      expect(promptOf(bot, key)).toContain('Vat 6 bleeds at 41 degrees.')
      expect(promptOf(bot, key)).toContain('The SELVEDGEWORD is torn.')
    }
    for (const thread of [asked, below]) expect(JSON.stringify(thread.messages())).toContain(ORIGIN)
  })

  test('a pasted table is data of the question, whose row Show work names', async () => {
    const bot = await started()
    bot.model.on('how many cones', finish('There are 1417 cones.'))
    const thread = await bot.mention('how many cones?', { extra: { attachments: [table] } })
    await thread.ended()
    expect(promptOf(bot, 'how many cones')).toMatch(/Yarn \| Cones\n {2}Merino \| 1417/)
    await thread.press(SHOW_WORK)
    const modal = await bot.modal()
    await bot.slack.until(() => modal.shown().includes('1417: the table, row 1 (Merino)'), 'the row')
  })

  test('a forward alone in a direct message is a question', async () => {
    const bot = await started()
    bot.model.on('What about this', finish('A vat that bleeds.'))
    const thread = await bot.dm('', { extra: { attachments: [forward()], blocks: [] } })
    expect(await thread.lastAnswer()).toContain('A vat that bleeds.')
  })

  test('a day of alerts is read by read_channel, and one by "Ask about this message"', async () => {
    const bot = await started()
    const { model, slack } = bot
    const sent = []
    for (const [, extra] of ALERTS)
      sent.push(await slack.say({ text: '', channel: RANDOM, extra: { ...MONITOR, ...extra } }))
    model.on('what happened', act('I read.', 'read_channel', '{"channel": "#random"}'), finish('Load.'))
    await (await bot.mention('what happened there?', { channel: RANDOM })).ended()
    const seen = promptOf(bot, 'what happened').split('Observation').at(-1) ?? ''
    expect(seen.match(/CPU 97% on web-3/g)).toHaveLength(ALERTS.length)
    model.on('What does this mean', finish('Load.'))
    await slack.shortcut({ channel: RANDOM, ts: sent[0]?.ts ?? '', user: ALICE }, 'thinkaloud_ask_about')
    await (await bot.modal(ALICE)).submit({})
    await slack.until(() => promptOf(bot, 'What does this mean') !== '', 'the question')
    expect(promptOf(bot, 'What does this mean')).toContain('Monitor (a bot): CPU 97% on web-3')
  })

  test('a preview that Slack adds starts nothing; an edit of the words does', async () => {
    const bot = await started()
    const { model, slack } = bot
    model.on('see the guide', finish('I saw it.'))
    const thread = await bot.mention('see the guide at <https://guide.example/weld>')
    await thread.ended()
    const before = model.requests.length
    const message = slack.store.channels.get(GENERAL)?.messages.find(({ ts }) => ts === thread.ts)
    const attachments: Json[] = [{ from_url: 'https://guide.example/weld', title: 'Weld', text: 'Subscribe now' }]
    slack.people.event({
      type: 'message',
      subtype: 'message_changed',
      channel: GENERAL,
      channel_type: 'channel',
      message: { ...message, attachments },
      previous_message: { ...message },
      ts: `${Number(thread.ts) + 2}`,
    })
    await slack.settle(100)
    expect(model.requests.length).toBe(before)
    expect(slack.ephemerals(GENERAL, ALICE).join()).not.toContain('You edited')
    await thread.edit(`${ASK} see the other guide`)
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).join().includes('You edited this question'), 'the offer')
  })
}
