import { expect, test } from 'vitest'
import type { Fault, LocalSlackOptions } from '../../playground/slack/slack.ts'
import { startBot, type TestBot, type Thread } from '../harness/bot.ts'
import type { Ends } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'

const PARAGRAPHS = Array.from({ length: 420 }, (_, i) => `Paragraph ${i}: ${'words & <so> on '.repeat(12)}end.`)
const CUT = /✂️ _This answer is too long for Slack. About [\d,]+ more characters are not shown\._/
const IN_FILE = /✂️ _This answer is too long for messages. About [\d,]+ more characters are in the file below\._/

async function answered(t: Ends, faults: Fault[], slack: LocalSlackOptions = {}) {
  const bot = await startBot(t, { slack })
  for (const fault of faults) bot.slack.fault(fault)
  return { ...bot, thread: await ask(bot, 'long one') }
}

async function ask({ model, mention, slack }: TestBot, question: string): Promise<Thread> {
  model.on(question, { text: finish(PARAGRAPHS.join('\n\n')), chunkChars: 10_000 })
  const thread = await mention(question)
  await slack.until(() => thread.messages().some((message) => /^\d+\.\d s ·/m.test(slack.shown(message))), 'the answer')
  await slack.until(() => thread.isAtRest(), 'the end')
  return thread
}

/** Returns the texts of the messages, and the number of files in the thread. */
function parts(thread: Thread): { posts: string[]; files: number } {
  const isFile = (i: number) => thread.messages()[i]?.files !== undefined
  return {
    posts: thread.shown().filter((_, i) => !isFile(i)),
    files: thread.shown().filter((_, i) => isFile(i)).length,
  }
}

test('the rest of an answer that is too long comes as a file below it', async (t) => {
  const { thread, slack } = await answered(t, [])
  await slack.until(() => parts(thread).files > 0, 'the file, which comes after the answer')
  const { posts, files } = parts(thread)
  expect(posts).toHaveLength(5)
  expect(posts.at(-1)).toMatch(IN_FILE)
  expect(files).toBe(1)
  expect(thread.messages().at(-1)?.files).toMatchObject([{ title: 'The rest of the answer' }])
  const text = [...posts, ...slack.files().map(({ content }) => content)].join('\n')
  expect(text.match(/Paragraph \d+: (words & <so> on ){12}end\./g)).toEqual(PARAGRAPHS)
  expect(slack.refusals).toEqual([])
})

test('without the scope for files it is cut with a note, and the upload is tried once', async (t) => {
  const scopes = [
    'app_mentions:read',
    'chat:write',
    'channels:history',
    'reactions:write',
    'users:read',
    'channels:read',
  ]
  const bot = await startBot(t, { slack: { scopes } })
  for (const question of ['first long one', 'second long one']) {
    const thread = await ask(bot, question)
    await bot.slack.until(() => CUT.test(parts(thread).posts.at(-1) ?? ''), 'the word')
    const { posts, files } = parts(thread)
    expect(posts).toHaveLength(5)
    expect(files).toBe(0)
  }
  expect(bot.slack.calls.filter(({ method }) => method === 'files.getUploadURLExternal')).toHaveLength(1)
})

test.for<[string, Fault]>([
  ['the bytes are not taken', { method: 'upload', status: 500, times: 9 }],
  ['the file may not be shared', { method: 'files.completeUploadExternal', error: 'channel_not_found' }],
])('where %s, the answer is cut with a word after all', async ([, fault], t) => {
  const { thread, slack } = await answered(t, [fault])
  await slack.until(() => CUT.test(parts(thread).posts.at(-1) ?? ''), 'the word')
  expect(parts(thread)).toMatchObject({ files: 0 })
  expect(thread.shown().join()).not.toMatch(IN_FILE)
})

test('a file whose sharing was not confirmed is looked up, and not shared again', async (t) => {
  const { thread, slack } = await answered(t, [{ method: 'files.completeUploadExternal', dropAfter: true }])
  await slack.until(() => parts(thread).files > 0, 'the file')
  await slack.settle()
  expect(parts(thread)).toMatchObject({ files: 1 })
  expect(parts(thread).posts.at(-1)).toMatch(IN_FILE)
})
