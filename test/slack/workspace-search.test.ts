/** What a question may find in the workspace, and what is said where it may not. */
import { expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, RANDOM, type LocalSlackOptions } from '../../src/playground/slack.ts'
import type { Env } from '../../src/config.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const ends = fileEnds()
const PRIVATE = 'G0PRIVATE01'
const TOOL = 'workspace_search'

/** A bot that knows whether its workspace has search. */
async function searchingBot(t: Ends, { slack = {}, env = {} }: { slack?: LocalSlackOptions; env?: Env } = {}) {
  const bot = await startBot(t, { slack: { search: 'meaning', ...slack }, env })
  await bot.slack.until(() => told(bot), 'what Slack says of search')
  return bot
}

const told = ({ logs }: TestBot) => logs.find((line) => line.includes('workspace search is'))
const searches = ({ slack }: TestBot) => slack.calls.filter(({ method }) => method === 'assistant.search.context')
const lastPrompt = ({ model }: TestBot, key: string) => model.about(key).at(-1)?.prompt ?? ''

const bot = await searchingBot(ends)
const { slack, model } = bot

test('what people wrote is found, with who, where and when, and its link opens from the answer', async () => {
  const said = await slack.say({ user: BOB, channel: RANDOM, text: `The launch codename is Zephyr, <@${ALICE}>.` })
  const link = `${slack.apiUrl.replace('/api/', '')}/archives/${RANDOM}/p${said.ts.replace('.', '')}`
  model.on('launch codename', act('I search.', TOOL, 'codename Zephyr'), finish(`It is Zephyr: [he said so](${link}).`))
  const thread = await bot.mention('What is our launch codename?')
  const answer = await thread.ended()
  expect(answer).toContain('Zephyr')
  const day = new Date(Number(said.ts) * 1000).toISOString().slice(0, 10)
  const prompt = lastPrompt(bot, 'launch codename')
  expect(prompt).toMatch(
    new RegExp(`@Bob in #random, ${day} \\d\\d:\\d\\d UTC: The launch codename is Zephyr, @Alice\\.`),
  )
  expect(prompt).toContain(link)
  expect(slack.links()).toContain(link)
  expect(slack.refusals).toEqual([])
})
