import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Env } from '../../../src/config.ts'
import { startPlayground } from '../../../playground/main.ts'
import { createJournal } from '../../../playground/journal/journal.ts'
import { readConversation } from '../../../playground/recording/conversation-file.ts'
import { createRecorder } from '../../../playground/recording/recorder.ts'
import { ALICE, GENERAL } from '../../../playground/slack/slack.ts'
import { startWorkspace } from '../../../playground/bot/example-slack.ts'
import { startWiki } from '../../../playground/wiki/wiki.ts'
import { temporaryFolder } from '../../harness/command.ts'
import { fileEnds, type Ends } from '../../harness/ends.ts'
import { playModel } from '../../harness/played-model.ts'

/** Starts a playground that saves conversations into a new folder. */
async function opened(t: Ends, env: Env = {}, paceMs = 0) {
  const conversations = await temporaryFolder(t)
  const { url, slack, stop } = await startPlayground({ PLAYGROUND_PORT: '0', ...env }, { paceMs, conversations })
  t.onTestFinished(stop)
  const post = async (path: string, body: object) => {
    const headers = { 'content-type': 'application/json' }
    const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
    return (await response.json()) as Record<string, unknown>
  }
  const messages = () => slack.store.channels.get(GENERAL)?.messages ?? []
  /** Asks in #general, or in a thread there. Returns the thread. */
  const ask = async (text: string, more: object = {}): Promise<string> => {
    const before = messages().length
    await post('say', { channel: GENERAL, text, ...more })
    // The bot may be writing about another question.
    const question = () =>
      messages()
        .slice(before)
        .find(({ user }) => user === ALICE)
    return (await slack.until(question, 'the question')).ts
  }
  const answers = (thread: string, count: number) =>
    slack.until(
      () =>
        messages().filter((one) => one.thread_ts === thread && JSON.stringify(one).includes('Good answer')).length >=
        count,
      `${count} answers`,
    )
  const save = (name: string, thread: string) => post('record/save', { name, scope: { channel: GENERAL, thread } })
  const saved = async (name: string) => readConversation(await readFile(join(conversations, `${name}.json`), 'utf8'))
  return { url, slack, post, ask, answers, save, saved, conversations }
}

const SECRET = 'in-the-settings-1'
const ends = fileEnds()
/** For tests that need no settings of their own. Each asks in its own thread. */
let playground: Awaited<ReturnType<typeof opened>>
beforeAll(async () => {
  playground = await opened(ends, { GITHUB_TOKEN: SECRET })
})

test('a thread is saved without the questions of other threads, and does not wait for them', async () => {
  const { ask, answers, save, saved } = playground
  const other = await ask('@thinkaloud What is 29 to the power 0.23, and half of it?')
  const thread = await ask('@thinkaloud What is 6*7?')
  await answers(thread, 1)
  await answers(other, 1)
  await ask('And half of it?', { thread_ts: other })
  await answers(other, 2)
  await ask('What is 3*7?', { thread_ts: thread })
  await answers(thread, 2)
  expect(await save('own', thread)).toEqual({ ok: true, saved: 'test/conversations/own.json' })
  const { acts, models, tools } = await saved('own')
  expect(tools.map(({ output }) => output)).toEqual(['42', '21'])
  expect(models.map(({ question }) => question).join()).not.toContain('29')
  expect(acts.map(({ after }) => after)).toEqual([
    { models: 0, tools: 0, messages: 0 },
    { models: 2, tools: 1, messages: 3 },
  ])
})

test('a thread is saved with the modal that it opened, and without acts on the Home', async () => {
  const { slack, post, ask, answers, save, saved } = await opened({ onTestFinished })
  const thread = await ask('@thinkaloud What is 6*7?')
  await answers(thread, 1)
  await post('home', { tab: 'home' })
  await slack.until(() => slack.home(ALICE), 'the Home of Alice')
  expect(await save('at-home', thread)).toEqual({ ok: true, saved: 'test/conversations/at-home.json' })
  const answer = slack.replies(GENERAL, thread).find((one) => JSON.stringify(one).includes('thinkaloud_show_work'))
  await post('press', { channel: GENERAL, ts: answer?.ts, action_id: 'thinkaloud_show_work' })
  await slack.until(() => slack.modal(ALICE), 'how it was found')
  expect(await save('shown', thread)).toEqual({ ok: true, saved: 'test/conversations/shown.json' })
  const { acts, after } = await saved('shown')
  expect(acts.map(({ act }) => act)).toEqual(['say', 'press'])
  expect(after.views).toMatchObject({ alice: { modals: [{ type: 'modal' }] } })
  expect(after.views['alice']).not.toHaveProperty('home')
})

test('an act in one thread does not wait for the bot’s work in another', async () => {
  const { ask, answers, save, saved } = await opened({ onTestFinished }, {}, 20)
  const thread = await ask('@thinkaloud What is 6*7?')
  await answers(thread, 1)
  const other = await ask('@thinkaloud What is 29 to the power 0.23, and half of it?')
  await ask('What is 3*7?', { thread_ts: thread })
  await answers(thread, 2)
  await answers(other, 1)
  expect(await save('beside', thread)).toEqual({ ok: true, saved: 'test/conversations/beside.json' })
  expect((await saved('beside')).acts.map(({ during }) => during)).toEqual([undefined, undefined])
})

test('an act during a tool call waits for that call', async () => {
  const wiki = await startWiki()
  onTestFinished(wiki.close)
  let release = () => {}
  wiki.fault({ times: 1, hold: new Promise<void>((resolve) => (release = resolve)) })
  const { slack, post, ask, answers, save, saved } = await opened({ onTestFinished }, { WIKIPEDIA_API_URL: wiki.url })
  const thread = await ask('@thinkaloud Who was Ada Lovelace?')
  await slack.until(() => wiki.requests.length === 1, 'the tool at work')
  await post('react', { channel: GENERAL, ts: thread, name: 'eyes' })
  release()
  await answers(thread, 1)
  expect(await save('at-a-tool', thread)).toEqual({ ok: true, saved: 'test/conversations/at-a-tool.json' })
  expect((await saved('at-a-tool')).acts.map(({ act, during }) => ({ act, during }))).toEqual([
    { act: 'say', during: undefined },
    { act: 'react', during: [{ tool: 0 }] },
  ])
})

test('place-name characters, times and secrets in people’s texts are replayed as written', async () => {
  const { ask, answers, save, saved } = playground
  const said = `@thinkaloud What is ⟦#general/9⟧ ⟦⟦⟧, 1712345678.123456, V0123456789, also what I call a secret, ${SECRET} or xoxb-1234567890-ab?`
  const long = `${said} ${'and '.repeat(30)}${SECRET.repeat(20)}`
  for (const [name, text] of Object.entries({ said, long })) {
    const thread = await ask(text)
    await answers(thread, 1)
    expect(await save(name, thread)).toEqual({ ok: true, saved: `test/conversations/${name}.json` })
  }
  expect((await saved('said')).acts[0]?.with['text']).toContain('1712345678.123456, V0123456789')
  for (const name of ['said', 'long']) expect(JSON.stringify(await saved(name))).not.toMatch(/in-the-s|xoxb-/)
})

test('unfinished work is not saved', async () => {
  // The model never answers.
  const model = await playModel({ onTestFinished }, [{ hang: true }])
  const env = { OPENAI_BASE_URL: model.url, OPENAI_API_KEY: 'sk-test', OPENAI_MODEL: 'played' }
  const { ask, save, slack, conversations } = await opened({ onTestFinished }, env)
  const thread = await ask('@thinkaloud What is 29 to the power 0.23, and half of it?')
  await slack.until(() => model.requests.length === 1, 'the bot at work')
  expect(JSON.stringify(await save('half', thread))).toContain('The bot is at work here.')
  expect(readdirSync(conversations)).toEqual([])
})

test('a conversation that is too long to be read is not saved', async () => {
  const { slack, ask, answers, save, conversations } = await opened({ onTestFinished })
  const { id } = slack.upload({ name: 'noise.bin', bytes: Buffer.alloc(6_100_000, 0xff) }, ALICE)
  const thread = await ask('@thinkaloud What is 6*7?', { files: [id] })
  await answers(thread, 1)
  expect(JSON.stringify(await save('long', thread))).toContain('This is too long for a test')
  expect(readdirSync(conversations)).toEqual([])
})

test('calls of the panel “Prompts” are not recorded', async () => {
  const { url, post, ask, answers, save, saved } = playground
  const thread = await ask('@thinkaloud What is 6*7?')
  await answers(thread, 1)
  const { files } = (await (await fetch(`${url}/prompts`)).json()) as { files: { name: string; text: string }[] }
  const text = files.find(({ name }) => name === 'text')?.text
  const { now } = await post('prompts/try', { name: 'text', text, channel: GENERAL, thread })
  expect(JSON.stringify(now)).toContain('42')
  expect(await save('untried', thread)).toEqual({ ok: true, saved: 'test/conversations/untried.json' })
  expect((await saved('untried')).models).toHaveLength(2)
})

test('nothing is saved if there were more tool calls than are kept', async () => {
  const slack = await startWorkspace()
  onTestFinished(() => slack.close())
  const recorder = createRecorder(slack, { journal: createJournal(), settings: {} })
  onTestFinished(recorder.end)
  for (let n = 0; n < 5_000; n++) recorder.onTool({ tool: 'calculator', input: n, output: n, at: n })
  expect(() => recorder.conversation('one')).toThrow('There is too much to record.')
})
