/** Files that come with a question. */
import { expect, test } from 'vitest'
import { BOT_USER, GENERAL } from '../../src/playground/slack.ts'
import { startBot, Thread, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const bot = await startBot(fileEnds())
const { model, slack } = bot
const ASK = `<@${BOT_USER}>`

const promptOf = ({ model }: TestBot, key: string) => model.about(key).at(-1)?.prompt ?? ''
const file = (name: string) => ({ id: 'F1', name, mimetype: 'application/pdf' })
const NOT_READ = '📎 report.pdf was not read: I read text only. Please paste what matters.'

test('a file is named in the thread as not read, and the model knows that it has not seen it', async () => {
  model.on('sum up the report', finish('I cannot see it.'))
  const thread = await bot.mention('sum up the report', { subtype: 'file_share', files: [file('report.pdf')] })
  await thread.ended()
  expect(thread.shown()).toEqual([NOT_READ, expect.stringMatching(/^I cannot see it\./)])
  expect(promptOf(bot, 'sum up the report')).toContain('cannot be read: report.pdf)')
})

test('many are counted, and a name is data: it pings nobody and formats nothing', async () => {
  model.on('many files', finish('No.'))
  const names = ['<!channel> *a*.pdf', 'b.pdf', 'c.pdf', 'd.pdf', 'e.pdf', 'f.pdf', 'g.pdf']
  const thread = await bot.dm('many files', { subtype: 'file_share', files: names.map(file) })
  await thread.ended()
  expect(thread.shown()[0]).toMatch(/^📎 channel a .pdf, b.pdf, c.pdf, d.pdf, e.pdf and 2 more files were not read: /)
  expect(slack.pings()).toEqual([])
})

test('a file without a word is said not to be read, and costs no model call', async () => {
  const before = model.requests.length
  const thread = await bot.dm('', { subtype: 'file_share', files: [file('report.pdf')] })
  await slack.until(() => thread.shown().length > 0, 'a reply')
  expect(thread.shown()[0]).toContain('report.pdf was not read')
  expect(model.requests).toHaveLength(before)
})

test('a reply’s files are found in the thread where the event names none', async () => {
  model.on('what of the reply', finish('Unseen.'))
  const root = await slack.say({ text: 'Look.' })
  const said = await slack.say({ thread_ts: root.thread, text: `${ASK} what of the reply?`, files: [file('late.pdf')] })
  const thread = new Thread(slack, said)
  await thread.ended()
  expect(thread.shown()[0]).toContain('late.pdf was not read')
})

test('the files of a mention that came without them are told as soon as the message names them', async () => {
  model.decide('comes bare', async (_, n) => {
    if (n > 0) return finish('Told.')
    await slack.until(() => told, 'the second event')
    return act('I look.', 'calculator', '1+1')
  })
  let told = false
  const channel = slack.store.channels.get(GENERAL)
  if (!channel) throw new Error('There is no #general.')
  const message = slack.store.post(channel, {
    user: 'U0ALICE0001',
    text: `${ASK} comes bare`,
    files: [file('bare.pdf')],
  })
  const { files, ...bare } = message
  const event = { ...bare, channel: GENERAL, event_ts: message.ts }
  await slack.people.event({ ...event, type: 'app_mention' })?.first
  await slack.until(() => model.about('comes bare').length === 1, 'the first thought')
  await slack.people.event({ ...event, type: 'message', channel_type: 'channel', subtype: 'file_share', files })?.first
  told = true
  const thread = new Thread(slack, { ts: message.ts, thread: message.ts, channel: GENERAL, deliveries: [] })
  await thread.ended()
  expect(thread.shown().join('\n')).toContain('cannot be read: bare.pdf')
  expect(promptOf(bot, 'comes bare')).toContain('cannot be read: bare.pdf')
})
