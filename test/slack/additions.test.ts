/** Messages while the bot works: the asker's go to the run, and all others wait. */
import { describe, expect, test } from 'vitest'
import { BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { BUTTON, FOOTER, type TestBot, type Thread } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { describeWithRedis, startRedis } from '../harness/redis.ts'
import { atSecondThought, steeredBot, type Way } from '../harness/steered-bot.ts'

const ends = fileEnds()
const ASK = `<@${BOT_USER}>`

/** Makes the model think a second time until `go` is called, and answer at its third thought. */
function thinksUntilTold({ model }: TestBot, key: string, answer: string): { go: () => void } {
  let go = () => {}
  const told = new Promise<void>((resolve) => (go = resolve))
  model.decide(key, async (_, n) => {
    if (n === 1) await told
    return n < 2 ? act(`Look ${n}.`, 'calculator', `${n}+1`) : finish(answer)
  })
  return { go }
}

const isThinking = ({ slack, model }: TestBot, key: string, n: number) =>
  slack.until(() => model.about(key).length === n, `call ${n} about ${key}`)
const marks = ({ slack }: TestBot, ts: string) => slack.reactions(GENERAL, ts).map(({ name }) => name)
const answers = (thread: Thread) =>
  thread.endings().map((text) => text.split('\n').filter((line) => !FOOTER.test(line) && !BUTTON.test(line)))

function adding(way: Way): void {
  test('the asker’s addition is in the next thought, is marked, and is known to later questions', async (t) => {
    const bot = await steeredBot(t, way)
    const thinking = thinksUntilTold(bot, 'Who made Dune', 'Villeneuve.')
    const thread = await bot.mention('Who made Dune?')
    await isThinking(bot, 'Who made Dune', 2)
    const { ts } = await thread.reply('I meant the 2021 film')
    await bot.slack.until(() => marks(bot, ts).join() === 'eyes', 'the first mark')
    expect(bot.model.about('Who made Dune').map(({ prompt }) => prompt.includes('2021 film'))).toEqual([false, false])
    thinking.go()
    await bot.slack.until(() => thread.endings().length === 1, 'the answer')
    expect(bot.model.about('Who made Dune').at(-1)?.body.messages.at(-1)?.content).toContain('I meant the 2021 film')
    await bot.slack.until(() => marks(bot, ts).join() === 'white_check_mark', 'the last mark')
    bot.model.condenses('and how long', 'How long is Dune?')
    bot.model.on('How long is Dune', finish('Long.'))
    await thread.reply('and how long is it?')
    await bot.slack.until(() => thread.endings().length === 2, 'the second answer')
    const condensing = bot.model.requests.find(({ kind }) => kind === 'condense')
    expect(condensing?.prompt).toContain('Q: Who made Dune?\nAdded: I meant the 2021 film\nA: Villeneuve.')
    expect(bot.model.requests).toHaveLength(5)
  })
}

describe('with the worker in the same process', () => {
  adding({})

  test('the asker’s correction of it is read too; other people’s edits are not', async (t) => {
    const bot = await steeredBot(t, {})
    const thinking = thinksUntilTold(bot, 'Who made Dune', 'Lynch.')
    const thread = await bot.mention('Who made Dune?')
    await isThinking(bot, 'Who made Dune', 2)
    await thread.reply('Nice, <@U0NOBODY001>', { user: BOB })
    await thread.edit('No bot is meant, <@U0NOBODY001>')
    const { ts } = await thread.reply('I meant the 2021 film')
    await bot.slack.until(() => marks(bot, ts).join() === 'eyes', 'the first mark')
    await thread.edit('I meant the 1984 film')
    await bot.slack.settle()
    thinking.go()
    await bot.slack.until(() => thread.endings().length === 1, 'the answer')
    const heard = bot.model.about('Who made Dune').at(-1)?.body.messages.at(-1)?.content
    expect(heard).toMatch(/I meant the 2021 film\n[^\n]*I corrected what I added\. It now says: I meant the 1984 film$/)
    expect(heard).not.toContain('No bot is meant')
    await bot.slack.settle()
    expect([thread.endings().length, thread.ephemerals().length]).toEqual([1, 0])
  })

  test('the model gets people in it by name', async (t) => {
    const bot = await steeredBot(t, {})
    const thinking = thinksUntilTold(bot, 'Whose', 'Bob’s.')
    const thread = await bot.dm('Whose?')
    await isThinking(bot, 'Whose', 2)
    await thread.reply(`<@${BOB}> has one too, if 1 &lt; 2`)
    thinking.go()
    await bot.slack.until(() => thread.endings().length === 1, 'the answer')
    expect(bot.model.about('Whose').at(-1)?.prompt).toContain('@Bob has one too, if 1 < 2')
  })

  test('FOLLOW_UPS=mention: it is read, and other messages without a mention are not', async (t) => {
    const bot = await steeredBot(t, {}, { env: { FOLLOW_UPS: 'mention' } })
    const thinking = thinksUntilTold(bot, 'Who made Dune', 'Villeneuve.')
    const thread = await bot.mention('Who made Dune?')
    await isThinking(bot, 'Who made Dune', 2)
    await thread.reply('I meant the book', { user: BOB })
    await thread.reply('I meant the 2021 film')
    thinking.go()
    await bot.slack.until(() => thread.endings().length === 1, 'the answer')
    await thread.reply('and how long is it?')
    await bot.slack.settle()
    const prompts = bot.model.requests.map(({ prompt }) => prompt).join()
    expect(prompts).toContain('I meant the 2021 film')
    expect(prompts).not.toMatch(/the book|how long/)
    expect(bot.model.requests).toHaveLength(3)
  })
})

describeWithRedis('with the worker in another process', async () => {
  const server = await startRedis()
  ends.onTestFinished(() => server.stop())
  adding({ redisUrl: server.url })

  test('a question with a mention and other people’s messages wait their turn', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    const thinking = thinksUntilTold(bot, 'slow', 'Slow it was.')
    for (const key of ['one', 'two']) {
      bot.model.condenses(`own ${key}`, `own ${key}?`)
      bot.model.on(`own ${key}`, finish(`To ${key}.`))
    }
    const thread = await bot.mention('slow?')
    await isThinking(bot, 'slow', 2)
    await thread.reply(`${ASK} own one?`)
    await thread.reply('own two?', { user: BOB })
    thinking.go()
    await bot.slack.until(() => thread.endings().length === 3, 'all answers')
    expect(answers(thread).map((lines) => lines.at(-1))).toEqual(['Slow it was.', 'To one.', 'To two.'])
    expect(bot.model.about('slow').at(-1)?.prompt).not.toMatch(/own one|own two/)
  })

  test('a message after the last turn is answered once as a question, and its mark is removed', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url }, { env: { AGENT_MAX_STEPS: '1' } })
    bot.model.condenses('the 2021 film', 'Who made the 2021 film?')
    bot.model.on('Who made the 2021 film', finish('Villeneuve.'))
    const thinking = thinksUntilTold(bot, 'Who made Dune', '')
    const thread = await bot.mention('Who made Dune?')
    await isThinking(bot, 'Who made Dune', 2)
    const { ts } = await thread.reply('I meant the 2021 film')
    await bot.slack.until(() => marks(bot, ts).join() === 'eyes', 'the first mark')
    thinking.go()
    await bot.slack.until(() => thread.endings().length === 2, 'both answers')
    await bot.slack.until(() => marks(bot, ts).length === 0, 'no mark')
    await bot.slack.settle()
    expect(answers(thread).at(-1)).toEqual(['_Understood as:_ Who made the 2021 film?', 'Villeneuve.'])
    expect(thread.endings()).toHaveLength(2)
  })

  test('an addition without a worker is read by the next one', async (t) => {
    const bot = await steeredBot(t, { redisUrl: server.url })
    const thread = await atSecondThought(bot, 'handed over', () => bot.mention('handed over?'))
    bot.model.on('handed over', finish('Done.'))
    await bot.worker?.stop()
    const { ts } = await thread.reply('and be quick')
    await bot.startWorker()
    await bot.slack.until(() => thread.endings().length === 1, 'the answer')
    expect(bot.model.about('handed over').at(-1)?.prompt).toContain('and be quick')
    await bot.slack.until(() => marks(bot, ts).join() === 'white_check_mark', 'the mark')
  })
})
