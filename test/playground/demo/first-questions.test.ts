/** Ordinary first questions of people at work, each in its own thread of the whole playground. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startPlayground, type Playground } from '../../../playground/main.ts'
import { EXAMPLES } from '../../../src/slack/views/home.ts'
import { ROOT } from '../../../src/base/package-root.ts'
import { ALICE, GENERAL, RANDOM } from '../../../playground/slack/slack.ts'
import { toolsOn } from '../../../tools/index.ts'

/** Nobody listens there, so services of the internet do not answer. */
const NOWHERE = 'http://127.0.0.1:9/'

let playground: Playground
let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'thinkaloud-'))
  const [, weekday = ''] = /```js\n([^]*?)```/.exec(await readFile(join(ROOT, 'README.md'), 'utf8')) ?? []
  await writeFile(join(folder, 'weekday.js'), weekday)
  const services = { GITHUB_API_URL: NOWHERE, ARXIV_API_URL: NOWHERE, DUCKDUCKGO_URL: NOWHERE }
  playground = await startPlayground({ PLAYGROUND_PORT: '0', CUSTOM_TOOLS_DIR: folder, ...services }, { paceMs: 0 })
})
afterAll(async () => {
  await playground.stop()
  await rm(folder, { recursive: true })
})

const ONLY_DEMO = 'I am only the demo'

/** Asks by a mention, allows tool calls, and returns all that the bot wrote in the thread. */
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
  ['What does our handbook say about holidays?', 'Search this workspace'],
  ['Note down: buy milk', 'Noted: “buy milk”'],
  ['What notes do we have?', 'buy milk'],
  ['What is 15% of 240?', '*36*'],
  ['How old is the author of Dune?', '*Frank Herbert* lived to be *65*'],
  ['What is Redis?', 'in-memory data store'],
  ['Summarise this thread', 'Nothing was said here before'],
  ['What day is it today?', /Today is \*\w+,? \d{1,2} \w+ \d{4}\*/],
  ['How many days until Christmas?', /Days until Christmas: \*\d{1,3}\*/],
  ['What did we decide about the launch?', 'Search this workspace'],
  ['Can you read PDFs?', 'Attach'],
  ['How do I change your settings?', '/ask settings'],
  ['Translate “good morning” into German', ONLY_DEMO],
  ['Write an email to a customer about a delay', ONLY_DEMO],
]

test.each(QUESTIONS)('%s', async (question, expected) => {
  const answer = await ask(question)
  expect(answer).toMatch(expected)
  if (expected !== ONLY_DEMO) expect(answer).not.toContain(ONLY_DEMO)
  else expect(answer.match(/^• .*“.+”/gm)).toHaveLength(3)
})

test('Remind me tomorrow to call Anna: its asker is told that the hour is missing', async () => {
  const { slack } = playground
  await slack.mention('Remind me tomorrow to call Anna')
  const told = () => JSON.stringify(slack.store.channel(GENERAL).ephemerals)
  await slack.until(() => told().includes('The hour is missing.'), 'the sentence')
})

/** Presses nothing: returns what the asker alone was shown for it. */
async function cardFor(question: string): Promise<string> {
  const { slack } = playground
  const before = slack.ephemerals(GENERAL, ALICE).length
  const { thread } = await slack.mention(question)
  await slack.until(
    () => slack.replies(GENERAL, thread).some((one) => slack.shown(one).includes('Show work')),
    question,
  )
  expect(
    slack
      .replies(RANDOM, thread)
      .map((one) => slack.shown(one))
      .join('\n'),
  ).not.toContain(ONLY_DEMO)
  return slack.ephemerals(GENERAL, ALICE).slice(before).join('\n')
}

test.each([
  ['Please remember that our fiscal year starts in May', /Should I remember this[^]*fiscal year starts in May/],
  ['Can you send me a summary of #random every weekday at 8:30?', /Your schedule, not saved yet[^]*weekday at 08:30/],
  ['What do you remember?', /I remember nothing for this channel yet/],
  ['Forget that our fiscal year starts in May', /I remember nothing for this channel yet/],
  ['What reminders do I have?', /You have no schedules here/],
])('%s: a card', async (question, card) => {
  expect(await cardFor(question)).toMatch(card)
})

test('what is remembered is recalled, and nothing else', async () => {
  const { slack } = playground
  await slack.mention('remember: our fiscal year starts in May', { channel: GENERAL })
  await slack.until(() => slack.ephemerals(GENERAL, ALICE).some((text) => text.includes('Remembered')), 'the word')
  expect(await ask('When does our fiscal year start?')).toContain('our fiscal year starts in May')
  expect(await ask('What is 15% of 240?')).toContain('*36*')
  expect(await ask('What is Redis?')).toContain('in-memory data store')
})

test.each([
  ['What time is it?', /It is \*\d\d:\d\d\* \([A-Z]\w+\/\w+\)/],
  ['what is the time in Tokyo?', /It is \*\d\d:\d\d\* there \(Asia\/Tokyo\)/],
  ['Who am I?', 'You are *Alice*.'],
  ['which channel is this?', 'This is the public channel #general.'],
  ['How do I ask something privately?', '/ask private:'],
  ['How do I turn you off here?', 'mute'],
  ['send me the news every morning', 'The hour is missing.'],
  ['Who is the CEO of Slack?', /Could not find[^]*You can ask me:\n\n?• /],
  ['What time is it in New York right now?', /there \(America\/New_York\)/],
])('%s', async (question, expected) => {
  expect(await ask(question)).toMatch(expected)
})

test('what the page suggests is answered, one of it by reading a page', async () => {
  const { examples } = (await (await fetch(new URL('/state', playground.url))).json()) as {
    examples: { message: string; file?: string }[]
  }
  const page = examples.find(({ message }) => /^Summarise http/.test(message))?.message ?? ''
  const answer = await ask(page)
  expect(answer).toContain('🔧 *Read a page*')
  expect(answer).toMatch(/Ada[^]*mathematician/)
})

test.each(['What is this?', 'How is it?', 'What does the handbook say?'])(
  'common words are not searched for: %s',
  async (question) => {
    const bytes = await readFile(join(ROOT, 'playground/samples/handbook.pdf'))
    expect(await ask(question, [{ name: 'handbook.pdf', bytes }])).not.toMatch(/search the file for/)
  },
)

test('a row of headings answers nothing', async () => {
  const bytes = await readFile(join(ROOT, 'playground/samples/sales.csv'))
  const [head = ''] = bytes.toString().split('\n')
  const word = head.split(/[,;]/).at(-1)!.trim()
  expect(await ask(`What is the ${word}?`, [{ name: 'sales.csv', bytes }])).not.toMatch(`> ${head.trim()}`)
})

test.each(EXAMPLES)('answers what Home suggests: %s', async (question) => {
  expect(await ask(question)).not.toContain(ONLY_DEMO)
})

test('at most two of nineteen first questions end with what the demo cannot do', () => {
  expect(QUESTIONS).toHaveLength(19)
  expect(QUESTIONS.filter(([, expected]) => expected === ONLY_DEMO).length).toBeLessThanOrEqual(2)
})

/**
 * Each tool's title and a plain question, with the expected call and answer. The link is that of a message in #random.
 */
const TOOLS: [string, string, string, string | RegExp][] = [
  ['calculator', 'Calculator', 'What is 15% of 240?', '*36*'],
  ['wikipedia', 'Wikipedia', 'Who founded Slack?', 'Stewart Butterfield'],
  ['wikipedia_lookup', 'Wikipedia lookup', 'How old is the author of Dune?', '*65*'],
  ['duckduckgo', 'DuckDuckGo', 'Search the web for Redis', 'connection'],
  ['arxiv', 'arXiv', 'Find papers about transformers', 'connection'],
  ['github_user', 'GitHub users', 'How many followers does torvalds have on GitHub?', 'connection'],
  ['make_file', 'Make a file', 'Write "Buy milk" into list.txt', 'Here is *list.txt*'],
  ['workspace_search', 'Search this workspace', 'What did we decide about lunch?', ''],
  ['read_channel', 'Read a channel', `What happened in <#${RANDOM}|random> today?`, /1 message, [^]*Lunch is at noon/],
  ['read_channel', 'Read a channel', `What did I miss in <#${RANDOM}|random> since yesterday?`, 'Lunch is at noon'],
  ['read_thread', 'Read a thread', 'Summarise LINK', 'Lunch is at noon'],
  ['notes__add', 'Add a note', 'Note down: call Anna', 'Noted: “call Anna”'],
  ['notes__list', 'List notes', 'What notes do we have?', /🔧 \*List notes\*\n[^]*call Anna/],
  ['read_skill', 'Read a skill', 'Write an incident summary', 'Our skill “incident-summary”'],
  ['weekday', 'Weekday', 'Which weekday is 2026-11-21?', /👁 Saturday\nSaturday/],
]

test('each tool is called by a typical question, and a custom tool by its name', async () => {
  const { slack } = playground
  const { ts } = await slack.say({ channel: RANDOM, text: 'Lunch is at noon' })
  const link = `${slack.apiUrl.replace(/\/api\/$/, '')}/archives/${RANDOM}/p${ts.replace('.', '')}`
  for (const [, title, question, expected] of TOOLS) {
    const answer = await ask(question.replace('LINK', link))
    expect(answer).toContain(`🔧 *${title}*`)
    expect(answer).toMatch(expected)
    expect(answer).not.toContain(ONLY_DEMO)
  }
  // The question about a page has its address.
  const tools = toolsOn({ hasWorkspace: true }).filter((tool) => tool !== 'read_page')
  expect(TOOLS.map(([tool]) => tool)).toEqual(expect.arrayContaining(tools))
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
