/** Recordings without Slack's transcript: TRANSCRIBE_MODEL transcribes them, and a clip alone is the question. */
import { describe, expect, test } from 'vitest'
import type { UploadedFile } from '../../playground/slack/slack.ts'
import { SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { startBot, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { playTranscriber, type PlayedTranscriber } from '../harness/played-transcriber.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { clip } from '../harness/said-files.ts'

/** A voice message whose sound is these bytes. */
const voice = (bytes: string, more: Partial<UploadedFile> = {}): UploadedFile => ({ name: 'memo.m4a', bytes, ...more })

async function hearing(t: Ends, { env, ...options }: TestBotOptions = {}) {
  const bots: TestBot[] = []
  const transcriber = await playTranscriber(t, () => bots[0]!.model)
  const bot = await startBot(t, {
    ...options,
    env: { TRANSCRIBE_MODEL: 'whisper-1', OPENAI_BASE_URL: transcriber.url, ...env },
  })
  bots.push(bot)
  return { bot, transcriber }
}

describe('with TRANSCRIBE_MODEL', () => {
  test('a clip alone in a direct message is the question, shown as it was understood', async (t) => {
    const { bot, transcriber } = await hearing(t)
    transcriber.answers = ['How high is <!channel> the tower?']
    bot.model.on('How high is', finish('300 m.'))
    const thread = await bot.dm('', { files: [voice('hum')] })
    expect(await thread.ended()).toContain('300 m.')
    expect(thread.shown().join('\n')).toContain('🎙️ I understood: “How high is <!channel> the tower?”')
    expect(
      thread
        .messages()
        .map(({ text }) => text)
        .join(),
    ).not.toContain('<!channel>')
    expect(transcriber.requests).toMatchObject([{ model: 'whisper-1', name: 'memo.m4a', bytes: 'hum' }])
    expect(transcriber.requests[0]?.headers.authorization).toBe('Bearer sk-played-key')
    expect(bot.model.requests[0]?.question).toContain('the tower?')
  })

  test('a clip alone as a reply in a followed thread is the question; elsewhere it is not', async (t) => {
    const { bot, transcriber } = await hearing(t)
    bot.model.on('first', finish('One.'))
    bot.model.condenses('And the second', 'What is the second?')
    bot.model.on('What is the second', finish('Two.'))
    const thread = await bot.mention('the first?')
    await thread.ended()
    transcriber.answers = ['And the second one?']
    await thread.reply('', { files: [voice('hm')] })
    expect(await thread.ended()).toContain('Two.')
    const other = await bot.slack.say({ text: 'Nobody asks the bot here.' })
    await bot.slack.say({ text: '', thread_ts: other.ts, files: [voice('psst')] })
    await bot.slack.settle()
    expect(transcriber.requests.map(({ bytes }) => bytes)).toEqual(['hm'])
  })

  test('a clip with words is read with them, and Slack’s own transcript is taken if there is one', async (t) => {
    const { bot, transcriber } = await hearing(t)
    bot.model.on('what was said', finish('That it rains.'))
    const files = [voice('hum'), clip('own.m4a', 'It snows in Ulm.')]
    const thread = await bot.mention('what was said?', { files })
    await thread.ended()
    expect(bot.model.requests[0]?.prompt).toMatch(/It rains\.[^]*It snows in Ulm\./)
    expect(transcriber.requests).toHaveLength(1)
  })

  test('a clip of ten minutes is heard, and one whose length Slack does not say', async (t) => {
    const { bot, transcriber } = await hearing(t)
    bot.model.on('what was said', finish('That it rains.'))
    const thread = await bot.mention('what was said?', { files: [voice('a', { durationMs: 600_000 }), voice('b')] })
    await thread.ended()
    expect(transcriber.requests.map(({ bytes }) => bytes).sort()).toEqual(['a', 'b'])
    expect(thread.shown()).toHaveLength(1)
  })

  test('a clip alone over Slack Connect, whose event says nothing about it, is the question too', async (t) => {
    const { bot, transcriber } = await hearing(t)
    transcriber.answers = ['How deep is the vat?']
    bot.model.on('How deep', finish('2 m.'))
    const thread = await bot.dm('', { files: [voice('hum', { access: 'check_file_info' })] })
    expect(await thread.ended()).toContain('2 m.')
    expect(thread.shown().join('\n')).toContain('I understood: “How deep is the vat?”')
  })

  test.for(['dm', 'mention'] as const)(
    'a %s’s recording is not transcribed further once it is stopped',
    async (how, t) => {
      const { bot, transcriber } = await hearing(t)
      transcriber.isSilent = true
      const thread = await bot[how](how === 'dm' ? '' : 'what was said?', { files: [voice('hum')] })
      await bot.slack.until(() => transcriber.requests.length === 1, 'the request')
      await thread.reply('stop')
      await bot.slack.until(() => thread.endings().length === 1, 'the end')
      expect(thread.endings()[0]).toContain('I was asked to stop.')
      await bot.slack.until(() => transcriber.gone === 1, 'the end of the request')
      expect(bot.model.requests).toEqual([])
    },
  )

  test('a recording is given up with the question’s time', async (t) => {
    const { bot, transcriber } = await hearing(t, { env: { AGENT_TIMEOUT_MS: '400' } })
    transcriber.isSilent = true
    const thread = await bot.dm('', { files: [voice('hum')] })
    await bot.slack.until(() => thread.shown().length === 1, 'the sentence')
    expect(thread.shown()[0]).toMatch(/memo\.m4a was not read: there was no time left to read it/)
  })

  test('what was understood is the question in Show work, in the Home’s list and as the session’s title', async (t) => {
    const { bot, transcriber } = await hearing(t, { slack: { agent: true } })
    transcriber.answers = ['How tall is the mast?']
    bot.model.on('How tall', finish('30 m.'))
    const thread = await bot.dm('', { files: [voice('hum')] })
    await thread.ended()
    await bot.slack.until(() => thread.session()?.title === 'How tall is the mast?', 'the title')
    await thread.press(SHOW_WORK)
    const modal = await bot.modal()
    await bot.slack.until(() => modal.shown().includes('❓ How tall is the mast?'), 'the question')
    const listed = async () => /Your latest questions\n.*How tall is the mast\?/.test((await bot.openHome()).shown())
    await bot.slack.until(listed, 'the question in the list')
  })

  test('over Socket Mode a clip alone is the question', async (t) => {
    const { bot, transcriber } = await hearing(t, { mode: 'socket' })
    await asksAlone(bot, transcriber)
  })

  test.for<[string, UploadedFile, (string | number)[], RegExp, number]>([
    ['too large', voice('hum', { size: 26 * 2 ** 20 }), ['x'], /recordings of at most 25 MB/, 0],
    ['too long', voice('hum', { durationMs: 600_001 }), ['x'], /recordings of at most 10 minutes/, 0],
    [
      'refused',
      voice('hum'),
      [400],
      /it could not be transcribed\. Please type what you said\. The person who runs me can find the reason/,
      1,
    ],
    ['too large for the endpoint', voice('hum'), [413], /recordings of at most 25 MB/, 1],
    ['not heard now', voice('hum'), [503], /it could not be transcribed\. Please try again in a while/, 1],
    ['without words', voice('hum'), [' '], /there are no words in it/, 1],
  ])('a clip that is %s gets one sentence', async ([, file, answers, sentence, asked], t) => {
    const { bot, transcriber } = await hearing(t)
    transcriber.answers = answers
    const thread = await bot.dm('', { files: [file] })
    await bot.slack.until(() => thread.shown().length === 1, 'the sentence')
    expect(thread.shown()[0]).toMatch(sentence)
    expect([transcriber.requests.length, bot.model.requests.length]).toEqual([asked, 0])
  })
})

async function asksAlone(bot: TestBot, transcriber: PlayedTranscriber) {
  transcriber.answers = ['How wide is the loom?']
  bot.model.on('How wide', finish('1.6 m.'))
  const thread = await bot.dm('', { files: [voice('hum')] })
  expect(await thread.ended()).toContain('1.6 m.')
  expect(bot.model.requests[0]?.question).toContain('How wide is the loom?')
}

describeWithRedis('with Redis', async () => {
  const server = await startRedis()
  const ends = fileEnds()
  ends.onTestFinished(() => server.stop())

  test('a clip alone is the question, and is listed as it was understood', async (t) => {
    const { bot, transcriber } = await hearing(t, { env: { REDIS_URL: server.url } })
    await asksAlone(bot, transcriber)
    // A part of the Home that takes too long on a busy machine is left out until it is opened again.
    const isListed = async () => (await bot.openHome()).shown().includes('How wide is the loom?')
    await bot.slack.until(isListed, 'the question in the list')
  })
})

test('without it, one sentence says so', async (t) => {
  const bot = await startBot(t)
  const thread = await bot.dm('', { files: [voice('hum')] })
  await bot.slack.until(() => thread.shown().length === 1, 'the sentence')
  expect(thread.shown()[0]).toMatch(/memo\.m4a was not read: Slack has no transcript of it yet, .* TRANSCRIBE_MODEL/)
  expect(bot.model.requests).toEqual([])
})
