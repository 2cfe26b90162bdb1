/** Search with the asker's own grant: where it is used, and whose eyes see what it finds. */
import { expect, test } from 'vitest'
import type { Json } from '../../playground/slack/slack.ts'
import { grantSlack } from '../harness/connecting-bot.ts'
import { startManyBot } from '../harness/many-bot.ts'
import { manySlacks } from '../harness/many-slacks.ts'
import { act, finish } from '../harness/played-model.ts'
import { FOR_ASKER } from '../../src/slack/format/messages.ts'
import { eventually } from '../harness/stores.ts'

const ACME = { id: 'T0ACME00001' }
const ALICE = 'U0ALICE0001'
const CANARY = 'the merger is called Narwhal'
const DM = 'D0ALICE0001'

test('what the asker can see is found for their eyes alone, and no grant touches the installation', async (t) => {
  const slack = await manySlacks(t)
  slack.state.finds = (args, home) => {
    const isTheirs = home.startsWith(ALICE) && String(args['channel_types']).includes('private_channel')
    const find = {
      author_user_id: 'U0BOB000001',
      channel_id: 'G0SECRET001',
      channel_name: 'deals',
      message_ts: '1700000001.000100',
    }
    if (args['query'] === 'lunch')
      return [
        { ...find, channel_id: 'C0GENERAL01', content: 'Lunch is at noon.', permalink: 'https://acme.slack.com/x' },
      ]
    return isTheirs
      ? [{ ...find, content: CANARY, permalink: 'https://acme.slack.com/archives/G0SECRET001/p1700000001000100' }]
      : []
  }
  const bot = await startManyBot(t, { slack, env: () => ({ TOOLS: 'workspace_search', STEPS: 'replies' }) })
  await bot.install(ACME)
  const person = bot.browser()
  const other = await grantSlack(bot, ACME, { person, as: 'U0MALLORY01' })
  expect(other.asked.searchParams.get('user_scope')).toBe(
    'search:read.public,search:read.private,search:read.im,search:read.mpim,search:read.files,search:read.users',
  )
  expect(other.asked.searchParams.has('scope')).toBe(false)
  expect(other.page.status).toBe(502)
  expect(await other.page.text()).toContain('signed in to Slack as somebody else')
  expect((await grantSlack(bot, ACME, { person })).page.status).toBe(200)

  const search = [act('I search.', 'workspace_search', 'merger'), finish('Here.')]
  bot.model.on('in the channel', ...search)
  await slack.mention(ACME, 'What merger, in the channel?')
  // Others read in the channel: the answer is for the asker alone.
  const alone = () => slack.calls.filter(({ method }) => method === 'chat.postEphemeral')
  await eventually(() => expect(JSON.stringify(alone())).toContain('Here.'))
  expect(slack.posts().map(({ text }) => text)).toEqual([expect.stringContaining('I search.'), FOR_ASKER])
  // What stands in that very channel is for all who read there.
  bot.model.on('lunch, here', act('I search.', 'workspace_search', 'lunch'), finish('At noon.'))
  await slack.mention(ACME, 'When is lunch, here?')
  await eventually(() => expect(slack.posts().some(({ text }) => text.includes('At noon.'))).toBe(true))
  expect(JSON.stringify(alone())).not.toContain('At noon.')
  bot.model.on('for me', ...search)
  const ts = '1900000001.000100'
  const message: Json = {
    type: 'message',
    channel_type: 'im',
    user: ALICE,
    channel: DM,
    ts,
    event_ts: ts,
    text: 'What merger, for me?',
  }
  await slack.event(ACME, message)
  await eventually(() => expect(slack.posts().filter(({ channel }) => channel === DM).length).toBeGreaterThan(0))
  await eventually(() => expect(JSON.stringify(bot.model.about('for me'))).toContain(CANARY))
  expect(JSON.stringify(slack.posts().filter(({ channel }) => channel !== DM))).not.toContain(CANARY)
  expect(bot.logs.join('\n')).not.toContain('Narwhal')
  expect(slack.posts().every(({ home }) => home === ACME.id)).toBe(true)

  const revoked = { type: 'tokens_revoked', tokens: { oauth: [ALICE] } }
  await slack.event(ACME, revoked, { event_time: Math.floor(slack.clock.now / 1000) - 60 })
  bot.model.on('after a late event', ...search)
  await slack.mention(ACME, 'What merger, after a late event?')
  await eventually(() => expect(JSON.stringify(bot.model.about('after a late event').at(-1) ?? '')).toContain(CANARY))
  await slack.event(ACME, revoked)
  bot.model.on('once more', ...search)
  await slack.mention(ACME, 'What merger, once more?')
  await eventually(() =>
    expect(JSON.stringify(bot.model.about('once more').at(-1) ?? '')).toContain('no permission to search'),
  )
})
