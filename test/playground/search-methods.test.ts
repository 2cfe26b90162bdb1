/** The local Slack's search is as strict as Slack's. */
import { expect, test } from 'vitest'
import {
  ALICE,
  BOB,
  BOT_USER,
  GENERAL,
  RANDOM,
  type LocalSlack,
  type LocalSlackOptions,
} from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'
import { callSlack, type SlackAnswer } from '../harness/slack-calls.ts'

const CONTEXT = 'assistant.search.context'
const quiet = (options: LocalSlackOptions = {}) =>
  localSlack({ search: 'words', echo: false, ackMs: 10, retryMs: [], ...options })

/** Returns the token in an event. */
async function tokenOf(slack: LocalSlack, user: string = ALICE, channel = GENERAL): Promise<string> {
  const { deliveries } = await slack.say({ user, channel, text: `<@${BOT_USER}> hello` })
  const found = deliveries.map(({ payload }) => /"action_token":"([^"]+)"/.exec(JSON.stringify(payload))?.[1])
  return found.find((one) => one !== undefined) ?? ''
}

const search = (slack: LocalSlack, args: SlackAnswer) => callSlack(slack, CONTEXT, { query: 'heron', ...args })

test.for<[string, (token: string) => SlackAnswer, string]>([
  ['no token', () => ({}), 'invalid_action_token'],
  ['a token that was made up', () => ({ action_token: '1.2.3' }), 'invalid_action_token'],
  ['no query', (action_token) => ({ action_token, query: '' }), 'invalid_arguments'],
  ['a query that is too long', (action_token) => ({ action_token, query: 'x'.repeat(1_001) }), 'query_too_long'],
  ['more than twenty at once', (action_token) => ({ action_token, limit: 21 }), 'invalid_arguments'],
  ['a kind that is none', (action_token) => ({ action_token, content_types: 'emails' }), 'invalid_arguments'],
  ['what is private', (action_token) => ({ action_token, channel_types: 'private_channel' }), 'missing_scope'],
  ['a cursor that was made up', (action_token) => ({ action_token, cursor: 'x' }), 'invalid_cursor'],
])('a search with %s is refused', async ([, argsOf, error]) => {
  const slack = await quiet()
  expect(await search(slack, argsOf(await tokenOf(slack)))).toMatchObject({ ok: false, error })
})

test('a token expires, and each kind of result needs its scope', async () => {
  const clock = { now: 1_790_000_000_000 }
  const slack = await quiet({ now: () => clock.now, scopes: ['search:read.public'] })
  const action_token = await tokenOf(slack)
  expect(await search(slack, { action_token })).toMatchObject({ ok: true })
  expect(await search(slack, { action_token, content_types: 'files' })).toMatchObject({ error: 'missing_scope' })
  clock.now += 600_000
  expect(await search(slack, { action_token })).toMatchObject({ error: 'invalid_action_token' })
})

test('without search for apps, events carry no token', async () => {
  const slack = await localSlack({ echo: false, ackMs: 10, retryMs: [] })
  expect(await tokenOf(slack)).toBe('')
  for (const method of [CONTEXT, 'assistant.search.info'])
    expect(await callSlack(slack, method, { query: 'x' })).toMatchObject({ error: 'feature_not_enabled' })
})

test('a guest finds messages of their own channels, page by page', async () => {
  const slack = await quiet()
  slack.addUser('U0GUEST0001', { name: 'gus', is_restricted: true })
  slack.store.channels.get(GENERAL)?.members.add('U0GUEST0001')
  await slack.say({ user: BOB, channel: RANDOM, text: 'A heron, elsewhere.' })
  for (const n of [1, 2, 3]) await slack.say({ user: BOB, channel: GENERAL, text: `Heron ${n}.` })
  const texts = async (user: string) => {
    const action_token = await tokenOf(slack, user)
    const first = await search(slack, { action_token, limit: 2 })
    const { next_cursor: cursor } = first.response_metadata as { next_cursor: string }
    const second = await search(slack, { action_token, limit: 2, cursor })
    return [first, second].map(({ results }) =>
      (results as { messages: { content: string }[] }).messages.map((one) => one.content),
    )
  }
  expect(await texts('U0GUEST0001')).toEqual([['Heron 3.', 'Heron 2.'], ['Heron 1.']])
  expect((await texts(ALICE)).flat()).toContain('A heron, elsewhere.')
})
