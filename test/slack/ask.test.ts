import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const ends = fileEnds()

describe.each(['http', 'socket'] as const)('/ask over %s', async (mode) => {
  const bot = await startBot(ends, { mode })
  const { slack, model } = bot

  test('/ask opens a thread with the asker and the question, and answers in it', async () => {
    model.on('the sum', act('A sum.', 'calculator', '2+2'), finish('Four.'))
    const thread = await bot.ask('What is the sum?', { user: BOB, channel: RANDOM })
    expect(await thread.lastAnswer()).toBe('Four.')
    const root = slack.messages(RANDOM).find(({ ts }) => ts === thread.ts)!
    expect(slack.shown(root)).toBe('@Bob asked:\n> What is the sum?')
    expect(slack.pings()).toEqual([`<@${BOB}>`, `<@${BOB}>`])
    expect(thread.shown()).toHaveLength(2)
    expect(thread.said.deliveries[0]?.attempts).toMatchObject([{ status: 200 }])
  })

  test.each(['', '  ', 'help', 'Help', `<@${BOT_USER}>`])('/ask %j helps, and only the asker sees it', async (text) => {
    const before = [
      slack.messages(GENERAL).length,
      model.requests.length,
      slack.ephemerals(GENERAL, ALICE).length,
    ] as const
    const done = await slack.slash(text)
    expect(done.ok).toBe(true)
    await slack.until(() => slack.ephemerals(GENERAL, ALICE).length > before[2], 'the help')
    await slack.settle(100)
    expect(slack.ephemerals(GENERAL, ALICE).slice(before[2])).toEqual([
      expect.stringMatching(/^I answer questions.*\/ask What is 15%/s),
    ])
    expect([slack.messages(GENERAL).length, model.requests.length]).toEqual([before[0], before[1]])
  })

  test('Slack would have refused nothing', () => {
    expect(slack.refusals).toEqual([])
  })
})

describe('/ask', async () => {
  const bot = await startBot(ends)
  const { slack, model } = bot

  test('a follow-up in its thread needs no mention', async () => {
    model.on('first by command', finish('one'))
    model.condenses('second by hand', 'The second, standing alone?')
    model.on('The second, standing alone', finish('two'))
    const thread = await bot.ask('first by command')
    await thread.ended()
    await thread.reply('second by hand')
    expect(await thread.lastAnswer()).toBe('_Understood as:_ The second, standing alone?\ntwo')
  })

  test.each(['constructor', 'Constructor?', 'toString'])('/ask %s is a question', async (word) => {
    model.on(word, finish(`about ${word}`))
    expect(await (await bot.ask(word)).lastAnswer()).toBe(`about ${word}`)
  })

  test('the same question twice is two questions', async () => {
    model.on('asked twice', finish('again'))
    const roots = () => slack.messages(GENERAL).filter((message) => /asked twice/.test(message.text))
    await Promise.all([slack.slash('asked twice'), slack.slash('asked twice', { user: BOB })])
    await slack.until(() => roots().length === 2, 'two roots')
    await slack.until(() => roots().every(({ ts }) => slack.replies(GENERAL, ts).length === 1), 'two answers')
  })

  test('names in the question arrive as names', async () => {
    model.on('names', finish('ok'))
    const thread = await bot.ask('names')
    await thread.ended()
    const text = `names: <@${BOB}|bob> in <#${RANDOM}|random> on <https://example.com/a?b=1&amp;c|a page> &lt;tag&gt;`
    await slack.slash(text)
    const asked = await slack.until(() => model.about('names: ')[0], 'the question')
    expect(asked.question.trim()).toBe('names: @bob in #random on a page (https://example.com/a?b=1&c) <tag>')
  })

  test('in a public channel that it is not in, it joins first', async () => {
    slack.addChannel('C0PUBLIC001', { members: new Set([ALICE]) })
    model.on('from outside', finish('inside now'))
    const thread = await bot.ask('from outside', { channel: 'C0PUBLIC001' })
    expect(await thread.lastAnswer()).toBe('inside now')
    expect(slack.store.channels.get('C0PUBLIC001')?.members.has(BOT_USER)).toBe(true)
  })

  test.each([
    {
      where: 'a private channel',
      id: 'G0PRIVATE01',
      extra: { members: new Set([ALICE]) },
      says: /not a member.*Invite me with `\/invite/,
    },
    { where: 'an archived channel', id: 'C0ARCHIVED1', extra: { archived: true }, says: /archived/ },
    {
      where: 'a direct message between others',
      id: 'D0OTHERS001',
      extra: { members: new Set([ALICE, BOB]) },
      says: /not a member/,
    },
  ])('in $where the asker is told so, privately, and what to do', async ({ id, extra, says }) => {
    slack.addChannel(id, extra)
    const asked = model.requests.length
    expect((await slack.slash('a question', { channel: id })).ok).toBe(true)
    const sendEphemeral = await slack.until(() => slack.ephemerals(id, ALICE)[0], 'a private word')
    expect(sendEphemeral).toMatch(says)
    // Schedules need a place to post in, and remembered texts a place to ask in.
    const others = ['every Monday at 9 what is new?', ...(id.startsWith('D') ? ['remember the owl'] : [])]
    for (const [i, text] of others.entries()) {
      await slack.slash(text, { channel: id })
      expect(await slack.until(() => slack.ephemerals(id, ALICE)[i + 1], 'a private word')).toMatch(says)
    }
    expect(slack.messages(id)).toEqual([])
    expect(model.requests.length).toBe(asked)
  })

  test('a root whose answer from Slack was lost is found again, not posted twice', async () => {
    model.on('lost root', finish('found'))
    slack.fault({ method: 'chat.postMessage', dropAfter: true })
    const thread = await bot.ask('lost root')
    await thread.ended()
    expect(slack.messages(GENERAL).filter(({ text }) => /lost root/.test(text))).toHaveLength(1)
    expect(thread.shown()).toHaveLength(1)
  })

  test('Slack would have refused nothing', () => {
    expect(slack.refusals).toEqual([])
  })
})
