/** What a run has changed before it ended without an answer is named, and not repeated when its question is asked again. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { ASK_AGAIN, ASK_EDITED } from '../../src/slack/format/action-ids.ts'
import { ALWAYS, approvalBot, cards, note, ONCE, press, waitingCard } from '../harness/approvals.ts'
import { REFERENCE, type TestBot, type Thread } from '../harness/bot.ts'
import type { Env } from '../../src/config.ts'
import type { Ends } from '../harness/ends.ts'
import { finish, type Turn } from '../harness/played-model.ts'
import { describeWithRedis, suiteRedis } from '../harness/redis.ts'
import type { Way } from '../harness/steered-bot.ts'

const ASK = `<@${BOT_USER}>`
const BROKEN: Turn = { status: 400, body: { error: { message: 'no' } } }
const HANGING: Turn = { hang: true }
const TOOK_EFFECT = 'do not know whether it took effect'

/** Asks; lets a note be written; then the model does `then`. */
async function noted(bot: TestBot, title: string, { then, action = ONCE }: { then: Turn; action?: string }) {
  bot.model.on(title, note(title), then)
  const thread = await bot.mention(`Write down ${title}`)
  const card = await waitingCard(bot, thread)
  await press(bot, { ...thread, ts: card.ts }, { action })
  await bot.slack.until(() => bot.model.about(title).length === 2, 'the second thought')
  return thread
}

const buttonsOf = (thread: Thread) => JSON.stringify(thread.messages().map(({ blocks }) => blocks))

function endings(way: () => Way): void {
  test.for(['hidden', 'replies', 'card', 'stream'])('a failure names it, with STEPS=%s', async (STEPS, t) => {
    const bot = await approvalBot(t, way(), { env: { STEPS, STEPS_STREAM_CHANNELS: 'true' } })
    const thread = await noted(bot, 'Apricot', { then: BROKEN })
    await bot.slack.until(() => thread.shown().some((text) => REFERENCE.test(text)), 'the failure')
    const failure = thread.shown().find((text) => REFERENCE.test(text))
    expect(failure).toContain('Before that, I had already done what is listed below. I will not repeat it.')
    expect(failure).toContain('Changed: Apricot (Notebook), allowed by Alice')
    expect(buttonsOf(thread)).not.toContain(ASK_AGAIN)
    bot.model.condenses('for the pantry', 'Write down Apricot for the pantry')
    bot.model.on('for the pantry', finish('It is written down already.'))
    await thread.reply('and for the pantry')
    await bot.slack.until(() => thread.shown().some((text) => text.includes('already.')), 'the second answer')
    const condensed = bot.model.requests.find(({ kind }) => kind === 'condense')
    expect(condensed?.prompt).toContain('Changed: Apricot (Notebook)')
    expect(bot.slack.refusals).toEqual([])
  })

  test('an edit tells the next run, which asks before it does it again, even where it was always allowed', async (t) => {
    const bot = await approvalBot(t, way(), {})
    const thread = await noted(bot, 'Banana', { then: HANGING, action: ALWAYS })
    bot.model.on('Banana bread', note('Banana bread'), finish('It is noted.'))
    await thread.edit(`${ASK} Write down Banana bread`)
    const card = await waitingCard(bot, thread)
    expect(bot.model.requests.at(-1)?.prompt).toMatch(
      /already made for it[^]*Changed by an earlier try: Banana \(Notebook\)/,
    )
    expect(bot.slack.shown(card)).toContain(TOOK_EFFECT)
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    const answer = await thread.ended()
    expect(answer).toContain('Changed by an earlier try: Banana (Notebook)')
    expect(answer).toContain('Changed: Banana bread (Notebook), allowed by Alice')
  })

  test('further edits pass it on, and an answer without a write of its own names it', async (t) => {
    const bot = await approvalBot(t, way(), {})
    const thread = await noted(bot, 'Cherry', { then: HANGING })
    bot.model.on('version two', HANGING)
    await thread.edit(`${ASK} version two`)
    await bot.slack.until(() => bot.model.about('version two').length === 1, 'the second version')
    bot.model.on('version three', finish('I have done nothing.'))
    await thread.edit(`${ASK} version three`)
    expect(await thread.ended()).toContain('Changed by an earlier try: Cherry (Notebook)')
    expect(bot.model.about('version three').at(-1)?.prompt).toContain('Changed by an earlier try: Cherry')
  })

  test.for<[string, string, Env]>([
    ['a limit refuses', `${ASK} Write down Quince now`, { LIMIT_USER_HOUR: '1' }],
    ['needs no model', `${ASK} help`, {}],
    ['asks nothing', ASK, {}],
    ['makes a schedule', `${ASK} every day at 9 what of Quince?`, {}],
    ['needs no answer', 'Write down Quince', {}],
  ])('an edit to a question that %s tells the asker alone', async ([, text, env], t) => {
    const bot = await approvalBot(t, way(), { env })
    const thread = await noted(bot, 'Quince', { then: HANGING })
    await thread.edit(text)
    const told = () => bot.slack.ephemerals(GENERAL, ALICE).find((one) => one.includes('already done what is listed'))
    expect(await bot.slack.until(told, 'a private word')).toMatch(/Changed[^\n]*: Quince \(Notebook\)/)
    expect(bot.slack.ephemerals(GENERAL, BOB)).toEqual([])
  })

  test('deleting the question tells the asker alone', async (t) => {
    const bot = await approvalBot(t, way(), {})
    const thread = await noted(bot, 'Damson', { then: HANGING })
    await thread.delete()
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).length > 0, 'a private word')
    const told = bot.slack.ephemerals(GENERAL, ALICE).at(-1)
    expect(told).toContain('You took your question back')
    expect(told).toContain('Changed: Damson (Notebook), allowed by Alice')
    expect(bot.slack.ephemerals(GENERAL, BOB)).toEqual([])
  })

  test('a stop names it too', async (t) => {
    const bot = await approvalBot(t, way(), {})
    const thread = await noted(bot, 'Elderberry', { then: HANGING })
    await thread.react('x')
    await bot.slack.until(() => thread.endings().length === 1, 'the end')
    expect(thread.endings()[0]).toContain('Changed: Elderberry (Notebook), allowed by Alice')
  })
}

describe('in memory', () => {
  endings(() => ({}))

  test.for([
    ['Ask again', ASK_AGAIN],
    ['the offer to ask an edited question', ASK_EDITED],
  ] as const)('%s tells the next run what the answer had changed', async ([, button], t) => {
    const bot = await approvalBot(t, {})
    const thread = await noted(bot, 'Fig', { then: finish('Noted.') })
    await thread.ended()
    bot.model.on('Fig', note('Fig'), finish('Noted again.'))
    if (button === ASK_EDITED) {
      await thread.edit(`${ASK} Please write down Fig`)
      const offers = () => bot.slack.store.channels.get(GENERAL)?.ephemerals ?? []
      await bot.slack.until(() => offers().some(({ blocks }) => JSON.stringify(blocks).includes(button)), 'the offer')
      await bot.slack.press({ ...thread, ts: offers().at(-1)?.ts ?? '', user: ALICE }, { action_id: button })
    } else await thread.press(button)
    const card = await waitingCard(bot, thread)
    expect(bot.slack.shown(card)).toContain(TOOK_EFFECT)
    expect(bot.model.about('Fig').at(-1)?.prompt).toContain('Changed by an earlier try: Fig')
    await press(bot, { ...thread, ts: card.ts }, { action: ONCE })
    await bot.slack.until(() => thread.shown().some((text) => text.includes('Noted again.')), 'the second answer')
    expect(cards(thread)).toHaveLength(2)
  })

  test.for([12, 45])('none of %i writes is left out of the answer', async (count, t) => {
    const bot = await manyNotes(t, count, 'Grape')
    const answer = await bot.thread.ended()
    for (let n = 1; n <= count; n++) expect(answer).toContain(`Changed: Grape-${n}-`)
    expect(answer).not.toContain('more')
    expect(bot.slack.refusals).toEqual([])
  })
})

/** A run that writes many notes with long titles, and then answers. */
async function manyNotes(t: Ends, count: number, title: string) {
  const env = { STEPS: 'hidden', AGENT_MAX_STEPS: String(count + 2) }
  const bot = await approvalBot(t, {}, { env })
  const nth = (n: number) => note(`${title}-${n}-${'x'.repeat(70)}`)
  bot.model.decide(title, (_, n) => (n < count ? nth(n + 1) : finish('All is noted.')))
  const thread = await bot.mention(`Write down every ${title}`)
  const card = await waitingCard(bot, thread)
  await press(bot, { ...thread, ts: card.ts }, { action: ALWAYS })
  return { ...bot, thread }
}

describeWithRedis('with Redis', () => {
  const server = suiteRedis()
  endings(() => ({ redisUrl: server.url }))
})
