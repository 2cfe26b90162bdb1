/** The messages about failures: what happened, what to do, and a reference that is also in the log. */
import { expect, test } from 'vitest'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { REFERENCE, startBot, type TestBot } from '../harness/bot.ts'
import { act, finish, type Turn } from '../harness/played-model.ts'

interface Case {
  happened: RegExp
  toDo: RegExp
  /** The place of the message: the thread, an ephemeral message in the channel, or a direct message. */
  where: 'thread' | 'ephemeral' | 'dm'
  model?: Turn[]
  env?: Record<string, string>
  before?(bot: TestBot): Promise<unknown> | void
}

const LATER = /Please ask again (?:in a few minutes|later)/
const ANSWERED = finish('Answered.')
const slackRefuses =
  (error: string) =>
  ({ slack }: TestBot) =>
    slack.fault({ method: 'chat.postMessage', error })
const DOWN = Array.from({ length: 9 }, () => ({ status: 503 }))
const lengthBody = { error: { code: 'context_length_exceeded', message: 'too many tokens' } }

const CASES: Record<string, Case> = {
  'no model reachable': {
    happened: /The model cannot be reached right now/,
    toDo: LATER,
    where: 'thread',
    model: DOWN,
  },
  'a model that is overloaded': {
    happened: /The model is overloaded/,
    toDo: LATER,
    where: 'thread',
    model: DOWN.map(() => ({ status: 429 })),
  },
  'a key that is refused': {
    happened: /The model refused my key/,
    toDo: /The person who runs me should check OPENAI_API_KEY/,
    where: 'thread',
    model: [{ status: 401 }],
  },
  'a conversation that is too long': {
    happened: /This conversation has become too long for the model/,
    toDo: /Please ask in a new thread, or ask something shorter/,
    where: 'thread',
    model: [{ status: 400, body: lengthBody }],
  },
  'a budget that is used up': {
    happened: /You have reached the limit here: 1,000 tokens a day for one person/,
    toDo: /Please ask again in \d+ (?:minutes?|hours)/,
    where: 'ephemeral',
    model: [{ text: ANSWERED, usage: { prompt_tokens: 4000, completion_tokens: 10, total_tokens: 4010 } }],
    env: { BUDGET_USER_DAY_TOKENS: '1000' },
    before: async (bot) => (await bot.mention('Just this?')).ended(),
  },
  'a limit that is reached': {
    happened: /You have reached the limit here: 1 question an hour for one person/,
    toDo: /Please ask again in 60 minutes/,
    where: 'ephemeral',
    model: [ANSWERED],
    env: { LIMIT_USER_HOUR: '1' },
    before: async (bot) => (await bot.mention('Just this?')).ended(),
  },
  'a tool that is down': {
    happened: /Wikipedia is down, so this answer may be incomplete/,
    toDo: /Please ask again later\. If it keeps happening, tell the person who runs me/,
    where: 'thread',
    model: [act('Look it up.', 'wikipedia', 'Dune'), ANSWERED],
    env: { STEPS: 'hidden' },
    before: ({ wiki }) => wiki.fault({ status: 503, times: 99 }),
  },
  'a channel that is archived': {
    happened: /This channel is archived, so I cannot answer here/,
    toDo: /Please ask in another channel/,
    where: 'dm',
    model: [ANSWERED],
    before({ slack }) {
      slack.fault({ method: 'chat.postMessage', channel: GENERAL, error: 'is_archived', times: 9 })
      slack.fault({ method: 'chat.postEphemeral', error: 'is_archived', times: 9 })
    },
  },
  'a channel that it may not post in': {
    happened: /I am not allowed to post in this channel/,
    toDo: /Please ask in another channel/,
    where: 'ephemeral',
    model: [ANSWERED],
    before: slackRefuses('restricted_action'),
  },
  'a channel that it is not in': {
    happened: /I am not a member of this conversation/,
    toDo: /Invite me with .*and ask again/,
    where: 'ephemeral',
    model: [ANSWERED],
    before: slackRefuses('not_in_channel'),
  },
}

test.for(Object.entries(CASES))('%s', async ([, { happened, toDo, where, model, env, before }], t) => {
  const bot = await startBot(t, { model: model ?? [], env: env ?? {} })
  await before?.(bot)
  const thread = await bot.mention('How old is the author?')
  const direct = () => bot.slack.messages(`D${ALICE.slice(1)}`).map((message) => bot.slack.shown(message))
  const read = { thread: () => thread.shown(), ephemeral: () => bot.slack.ephemerals(GENERAL, ALICE), dm: direct }[
    where
  ]
  const said = await bot.slack.until(() => read().find((text) => happened.test(text)), 'the sentence', 60_000)
  expect(said).toMatch(toDo)
  const reference = REFERENCE.exec(said)?.[1]
  const lines = bot.logs.filter((line) => line.includes(`"reference":"${reference}"`))
  expect(lines).toHaveLength(1)
  if (where !== 'thread') expect(thread.shown()).toEqual([])
})
