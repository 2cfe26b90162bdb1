import { expect, test } from 'vitest'
import { TEAM, type Json, type LocalSlack } from '../../playground/slack/slack.ts'
import { startBot, type TestBot, type Thread } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'

const TABLE = '| Name | Born |\n|---|---|\n| Frank <!channel> | 1920 |\n\nThat is all.'
const CODE = '```\nName             | Born\n-----------------|-----\nFrank <!channel> | 1920\n```'

async function ask({ model, mention }: TestBot, question: string, answer = TABLE): Promise<Thread> {
  model.on(question, finish(answer))
  const thread = await mention(question)
  await thread.ended()
  return thread
}

const typesOf = (thread: Thread) => (thread.messages().at(-1)?.blocks ?? []).map((block: Json) => block['type'])
const posts = (slack: LocalSlack) => slack.calls.filter(({ method }) => method === 'chat.postMessage').length

test('thumbs and buttons are below the last message of an answer, and carry its question', async (t) => {
  const { mention, model } = await startBot(t)
  model.on('buttons', act('Look.', 'calculator', '1+1'), finish(`${'word '.repeat(4000)}`))
  const thread = await mention('buttons')
  await thread.ended()
  const id = `${TEAM}:${thread.channel}:${thread.ts}`
  const [thumbs, buttons] = (thread.messages().at(-1)?.blocks ?? []).slice(-2)
  expect(thumbs).toMatchObject({
    elements: [
      {
        action_id: 'thinkaloud_feedback',
        positive_button: { value: `up:${id}` },
        negative_button: { value: `down:${id}` },
      },
    ],
  })
  expect(buttons).toMatchObject({
    elements: [
      { action_id: 'thinkaloud_show_work', value: id },
      { action_id: 'thinkaloud_ask_again', value: id },
    ],
  })
  const others = JSON.stringify(
    thread
      .messages()
      .slice(0, -1)
      .map(({ blocks }) => blocks),
  )
  expect(others).not.toMatch(/context_actions|thinkaloud_/)
})

test('a table is sent as a table block, and pings nobody', async (t) => {
  const bot = await startBot(t)
  const thread = await ask(bot, 'a table')
  expect(typesOf(thread).slice(0, 2)).toEqual(['data_table', 'section'])
  expect(bot.slack.pings()).toEqual([])
})

test('a workspace that refuses kinds of blocks gets the next simpler form, and the kind is not tried again', async (t) => {
  const bot = await startBot(t)
  const { slack } = bot
  slack.refuseBlocks('data_table')
  expect(typesOf(await ask(bot, 'first table'))[0]).toBe('table')
  slack.refuseBlocks('data_table', 'table', 'context_actions')
  const before = posts(slack)
  const second = await ask(bot, 'second table')
  expect(slack.shown(second.messages().at(-1)!)).toContain(`${CODE}\nThat is all.`)
  expect(typesOf(second)).not.toContain('context_actions')
  expect(typesOf(second)).toContain('actions')
  // One try for each kind that was not known to be refused, and the successful one.
  expect(posts(slack) - before).toBe(3)
  const between = posts(slack)
  await ask(bot, 'third table')
  expect(posts(slack) - between).toBe(1)
})

test('an error of one message does not count as a refusal of a kind of block', async (t) => {
  const bot = await startBot(t)
  const { slack } = bot
  slack.fault({ method: 'chat.postMessage', error: 'msg_blocks_too_long' })
  const thread = await ask(bot, 'too long')
  expect(thread.messages().at(-1)?.blocks ?? []).toEqual([])
  expect(slack.shown(thread.messages().at(-1)!)).toContain(CODE)
  expect(typesOf(await ask(bot, 'the next'))[0]).toBe('data_table')
})

test('a tool’s series is drawn below the answer', async (t) => {
  const bot = await startBot(t, { env: { TOOLS: 'invoices' } })
  bot.model.on('all invoices', act('All of them.', 'GetInvoice', 'all'), finish('C is the largest.'))
  const thread = await bot.mention('all invoices')
  await thread.ended()
  expect(thread.steps().join()).toContain('A: 2000')
  const chart = (thread.messages().at(-1)?.blocks ?? []).find((block: Json) => block['type'] === 'data_visualization')
  expect(chart).toMatchObject({ title: 'Invoice amounts by company', chart: { type: 'bar' } })
})
