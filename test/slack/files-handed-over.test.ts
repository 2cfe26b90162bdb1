/**
 * A question with files whose worker ends in the middle. Another one continues with the stored files. With a key, none
 * of them is readable in Redis.
 */
import { Redis } from 'ioredis'
import { expect, test } from 'vitest'
import type { Bot } from '../../src/bot.ts'
import { BOT_USER } from '../../playground/slack/slack.ts'
import { type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { hungryPdf, pdfOf } from '../harness/file-corpus.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import { picture, textFile } from '../harness/said-files.ts'
import { steeredBot } from '../harness/steered-bot.ts'

fileEnds()

describeWithRedis('over Redis', () => {
  const server = suiteRedis()
  const SECRETS_KEY = 'a key that is long enough for this: 0123456789abcdef'
  const downloads = ({ slack }: TestBot) => slack.calls.filter(({ method }) => method === 'download').length
  const twoPages = { name: 'plan.pdf', bytes: pdfOf([['The cellar door is GREENISH.', ...filler()], filler()]) }

  function filler(): string[] {
    return Array.from({ length: 60 }, (_, i) => `Line ${i + 1} says nothing about it at all, whatever one reads in it.`)
  }

  /** Returns everything in Redis, as anybody can read it. */
  async function allOf(prefix: string): Promise<string> {
    const redis = new Redis(server.url)
    const keys = await redis.keys(`${prefix}:*`)
    const dumped = await Promise.all(
      keys.map(async (key) => `${key}${(await redis.dumpBuffer(key))?.toString('latin1') ?? ''}`),
    )
    redis.disconnect()
    return dumped.join('\n')
  }

  async function handOver(bot: TestBot & { worker?: Bot; startWorker(): Promise<Bot> }): Promise<void> {
    await bot.worker?.stop()
    await bot.startWorker()
  }

  test('the next worker has the same files and pictures without downloading them again', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url }, { env: { SECRETS_KEY } })
    const { model, slack, prefix } = bot
    model.on('what of the door', act('I look.', 'calculator', '1+1'), { hang: true })
    const files = [twoPages, picture('door.png'), textFile('note.txt', 'The key is under the MATWORD.')]
    const thread = await bot.mention('what of the door?', { files })
    await slack.until(() => model.about('what of the door').length === 2, 'the second thought')
    const [first] = model.about('what of the door')
    expect(await allOf(prefix)).not.toMatch(/MATWORD|GREENISH|files-pri|xoxb-/)
    const before = downloads(bot)
    model.on(
      'what of the door',
      act('I read.', 'read_file', '{"file": "plan.pdf", "pages": 1}'),
      finish('It is greenish.'),
    )
    await handOver(bot)
    expect(await thread.ended()).toContain('It is greenish.')
    expect(downloads(bot)).toBe(before)
    const last = model.about('what of the door').at(-1)
    expect(last?.images).toEqual(first?.images)
    expect(last?.images).toHaveLength(1)
    expect(last?.prompt).toContain('The key is under the MATWORD.')
    expect(last?.prompt).toContain('The cellar door is GREENISH.')
    expect(thread.endings()).toHaveLength(1)
    expect(bot.logs.join('')).not.toMatch(/MATWORD|GREENISH|files-pri/)
  })

  test('a worker that ends while files are loading leaves them to the next one, without an error message', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    bot.model.on('load it twice', finish('It says SLOWWORD.'))
    const slow = textFile('slow.txt', 'SLOWWORD', { fault: { times: 1, delayMs: 60_000 } })
    const thread = await bot.mention('load it twice', { files: [slow] })
    await bot.slack.until(() => downloads(bot) === 1, 'the first download')
    await handOver(bot)
    expect(await thread.ended()).toContain('SLOWWORD')
    expect(bot.model.about('load it twice').at(-1)?.prompt).toContain('File slow.txt, all of it: ')
    expect(thread.shown()).toHaveLength(1)
  })

  test('a file that crashed its reader is not read again by the next worker', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    bot.model.on('load the heavy one', finish('Done.'))
    const heavy = { name: 'heavy.pdf', bytes: hungryPdf() }
    const slow = textFile('slow.txt', 'SLOWWORD', { fault: { times: 1, delayMs: 60_000 } })
    const thread = await bot.mention('load the heavy one', { files: [heavy, slow] })
    const isNoted = async () => (await allOf(bot.prefix)).includes('ended-reader-')
    await bot.slack.until(isNoted, 'the note of the file that ended its reader', 150_000)
    const before = bot.slack.calls.filter(({ method }) => method === 'files.info').length
    await handOver(bot)
    await thread.ended()
    expect(bot.slack.calls.filter(({ method }) => method === 'files.info').length - before).toBe(1)
    expect(thread.shown()[0]).toBe(
      '📎 heavy.pdf was not read: it takes too much time or memory to read. Please attach a part of it.',
    )
    expect(bot.model.about('load the heavy one').at(-1)?.prompt).toContain('SLOWWORD')
  })

  test('a question deleted while its files are loading leaves none of them', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    const { slack, model, prefix } = bot
    model.on('Only files came', finish('Read.'))
    const quick = textFile('quick.txt', 'QUICKWORD')
    const slow = textFile('slow.txt', 'SLOWWORD', { fault: { times: 1, delayMs: 60_000 } })
    const thread = await bot.dm('', { files: [quick, slow] })
    const isKept = async () => /:files/.test(await allOf(prefix))
    await slack.until(isKept, 'what is kept of the first file')
    await bot.worker?.stop()
    await thread.delete()
    await bot.startWorker()
    await slack.until(async () => !(await isKept()), 'nothing kept')
    await slack.until(() => thread.messages().length === 0, 'an empty conversation')
  })
})

test('a question deleted while its files are loading leaves none of them in memory either', async (t) => {
  const bot = await steeredBot(t, {})
  const { slack, model } = bot
  const slow = textFile('slow.txt', 'SLOWWORD', { fault: { times: 1, delayMs: 60_000 } })
  const thread = await bot.mention('gone soon', { files: [textFile('quick.txt', 'QUICKWORD'), slow] })
  await slack.until(() => slack.calls.filter(({ method }) => method === 'download').length === 2, 'both downloads')
  await thread.delete()
  await slack.until(() => bot.logs.some((line) => line.includes('question taken back')), 'the taking back')
  expect(model.about('gone soon')).toEqual([])
  model.on('what is there', finish('Nothing.'))
  await thread.reply(`<@${BOT_USER}> what is there`)
  await slack.until(() => model.about('what is there').length > 0, 'the next question')
  expect(model.requests.map(({ prompt }) => prompt).join('')).not.toMatch(/QUICKWORD|SLOWWORD/)
})

test('a question stopped while its files are loading ends at once', async (t) => {
  const { slack, mention, model } = await steeredBot(t, {})
  const slow = textFile('slow.txt', 'SLOWWORD', { fault: { times: 1, delayMs: 60_000 } })
  const thread = await mention('what is in it', { files: [slow] })
  await slack.until(() => slack.calls.some(({ method }) => method === 'download'), 'the download')
  await thread.reply('stop')
  await slack.until(() => /asked to stop/.test(JSON.stringify(thread.messages())), 'the end')
  expect(model.about('what is in it')).toEqual([])
})
