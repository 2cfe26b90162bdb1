/** Ordinary first questions of people at work, each asked in a thread of its own of the whole playground. */
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../../playground/main.ts'
import { EXAMPLES } from '../../../src/slack/views/home-view.ts'
import { ROOT } from '../../../src/base/package-root.ts'
import { GENERAL } from '../../../playground/slack/slack.ts'

let playground: Playground
beforeAll(async () => {
  playground = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0 })
})
afterAll(() => playground.stop())

const ONLY_DEMO = 'I am only the demo'

/** Asks by a mention, allows what a tool asks for, and returns everything that the bot wrote in the thread. */
async function ask(question: string, files?: { name: string; bytes: Uint8Array }[]): Promise<string> {
  const { slack } = playground
  const { thread } = await slack.mention(question, files && { files })
  const replies = () => slack.replies(GENERAL, thread)
  const written = () => replies().map((one) => slack.shown(one))
  const isDone = () => written().some((text) => text.includes('Show work'))
  const card = () => replies().find((one) => slack.shown(one).startsWith('🔐'))
  const shown = await slack.until(() => isDone() || card(), `an answer to “${question}”`)
  if (shown !== true) await slack.press({ channel: GENERAL, ts: shown.ts }, { action_id: 'thinkaloud_allow_once' })
  await slack.until(isDone, `the answer to “${question}”`)
  return written().join('\n')
}

const QUESTIONS: [string, string | RegExp][] = [
  ['hi', /^Hello!/],
  ['thanks', /^You’re welcome!/],
  ['What can you do?', /• .*15% of 240/],
  ['Who are you?', 'I’m Thinkaloud'],
  ['Are you a real AI?', 'no language model'],
  ['What does our handbook say about holidays?', 'workspace_search'],
  ['Note down: buy milk', 'Noted: “buy milk”'],
  ['What notes do we have?', 'buy milk'],
  ['What is 15% of 240?', '*36*'],
  ['How old is the author of Dune?', '*Frank Herbert* lived to be *65*'],
  ['What is Redis?', 'in-memory data store'],
  ['Summarise this thread', 'Nothing was said here before'],
  ['What day is it today?', /Today is \*\w+,? \d{1,2} \w+ \d{4}\*/],
  ['How many days until Christmas?', /Days until Christmas: \*\d{1,3}\*/],
  ['What did we decide about the launch?', 'workspace_search'],
  ['Can you read PDFs?', 'Attach'],
  ['How do I change your settings?', '/ask settings'],
  ['Remind me tomorrow to call Anna', 'Note down: '],
  ['Translate “good morning” into German', ONLY_DEMO],
  ['Write an email to a customer about a delay', ONLY_DEMO],
]

test.each(QUESTIONS)('%s', async (question, expected) => {
  const answer = await ask(question)
  expect(answer).toMatch(expected)
  if (expected !== ONLY_DEMO) expect(answer).not.toContain(ONLY_DEMO)
  else expect(answer.match(/^• .*“.+”/gm)).toHaveLength(3)
})

test.each(EXAMPLES)('answers what Home suggests: %s', async (question) => {
  expect(await ask(question)).not.toContain(ONLY_DEMO)
})

test('of twenty first questions at most two end in what the demo cannot do', () => {
  expect(QUESTIONS).toHaveLength(20)
  expect(QUESTIONS.filter(([, expected]) => expected === ONLY_DEMO).length).toBeLessThanOrEqual(2)
})

test.each([
  [
    'handbook.pdf',
    'What does our handbook say about holidays?',
    'Everyone has 30 days a year, not counting December 24.',
  ],
  ['handbook.pdf', 'Who leads support?', 'Support Zoë Åström'],
  ['handbook.pdf', 'How much can a hotel cost?', 'Hotels: up to 140 € a night'],
  ['handbook.pdf', 'What does it say about parking?', 'I found nothing about that'],
  ['handbook.pdf', 'Summarise the file', /Welcome to Müller &(?:amp;)? Söhne/],
  ['sales.csv', 'What did we sell in March?', /March.*1,?980/],
])('with %s attached: %s', async (name, question, expected) => {
  const bytes = await readFile(join(ROOT, 'playground/samples', name))
  expect(await ask(question, [{ name, bytes }])).toMatch(expected)
})

test('a follow-up in the thread of a file searches that file', async () => {
  const bytes = await readFile(join(ROOT, 'playground/samples/handbook.pdf'))
  const { slack } = playground
  const { thread } = await slack.mention('What does it say about holidays?', {
    files: [{ name: 'handbook.pdf', bytes }],
  })
  const answers = () => slack.replies(GENERAL, thread).map((one) => slack.shown(one))
  await slack.until(() => answers().some((text) => text.includes('Show work')), 'the first answer')
  await slack.say({ channel: GENERAL, thread_ts: thread, text: 'And about trains?' })
  await slack.until(() => answers().some((text) => text.includes('first class over 3 hours')), 'the second answer')
})
