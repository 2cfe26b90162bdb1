import { describe, expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM, type LocalSlack } from '../../playground/slack/slack.ts'
import { parsePages } from '../../playground/wiki/wiki-pages.ts'
import { startBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'
import { deferred } from '../harness/stores.ts'

const ends = fileEnds()
const pages = parsePages(`# Slow page\n${'It is a long page about slowness. '.repeat(20)}`)

function expectNoneRefused(slack: LocalSlack): void {
  expect(slack.refusals).toEqual([])
  const posts = slack.calls.filter(({ method }) => method === 'chat.postMessage')
  expect(posts.filter(({ args }) => args['unfurl_links'] !== false || args['unfurl_media'] !== false)).toEqual([])
  expect(posts.filter(({ args }) => args['thread_ts'] === undefined)).toEqual([])
}

describe.each(['http', 'socket'] as const)('over %s', async (mode) => {
  const bot = await startBot(ends, { mode, pages })
  const { slack, model } = bot

  test('a mention becomes steps in its thread, then the answer with its footer', async () => {
    model.on(
      'the power 0.23',
      act('I need the power.', 'calculator', '29^0.23'),
      act('Half of it.', 'calculator', '2.169459462491557/2'),
      finish('It is **2.169**, half of it _1.0847_.'),
    )
    const thread = await bot.mention('What is 29 to the power 0.23, and half of it?')
    const ending = await thread.ended()
    expect(thread.shown()).toEqual([
      '💭 I need the power.\n🔧 *Calculator* `29^0.23`\n👁 2.169459462491557',
      '💭 Half of it.\n🔧 *Calculator* `2.169459462491557/2`\n👁 1.0847297312457784',
      ending,
    ])
    expect(ending).toMatch(
      /^It is \*2\.169\*, half of it _1\.0847_\.\n2 steps · \d+\.\d s · played-model · [\d,]+ tokens · Reply to follow up · .*\nGood answer\nBad answer\nShow work\nAsk again$/,
    )
    expect(model.about('the power 0.23').every(({ kind }) => kind === 'turn')).toBe(true)
  })

  test('follow-ups, with and without a mention, are condensed once and answered in the thread', async () => {
    model.on('wrote Dune', act('Who wrote it?', 'calculator', '1+1'), finish('Frank Herbert wrote it.'))
    model.condenses('and when was he born', 'When was Frank Herbert born?')
    model.on('When was Frank Herbert born', act('A year.', 'calculator', '1900+20'), finish('In 1920.'))
    model.condenses('and his brother', ' Standalone question: "Who was Frank Herbert’s brother?"')
    model.on('Who was Frank Herbert’s brother', finish('I do not know.'))
    const thread = await bot.mention('Who wrote Dune?')
    expect(await thread.lastAnswer()).toBe('Frank Herbert wrote it.')
    await thread.reply('and when was he born?', { user: BOB })
    expect(await thread.lastAnswer()).toBe('In 1920.')
    expect(thread.steps().at(-1)).toBe(
      '_Understood as:_ When was Frank Herbert born?\n💭 A year.\n🔧 *Calculator* `1900+20`\n👁 1920',
    )
    await thread.reply(`<@${BOT_USER}> and his brother?`)
    expect(await thread.lastAnswer()).toBe('_Understood as:_ Who was Frank Herbert’s brother?\nI do not know.')
    const condensing = model.requests.filter(({ kind, prompt }) => kind === 'condense' && prompt.includes('Dune'))
    expect(condensing).toHaveLength(2)
    expect(condensing[1]?.prompt).toContain(
      'Q: Who wrote Dune?\nA: Frank Herbert wrote it.\nQ: When was Frank Herbert born?\nA: In 1920.',
    )
  })

  test('Slack would have refused nothing, and nothing unfurls', () => expectNoneRefused(slack))
})

describe('in any thread', async () => {
  const bot = await startBot(ends, { pages })
  const { slack, model } = bot

  test('a sign of life is shown while the model thinks, and removed at the end', async () => {
    const seen = deferred()
    model.decide('sign of life', async () => seen.promise.then(() => finish('done')))
    const thread = await bot.mention('Is there a sign of life?')
    await slack.until(() => thread.status() !== '', 'a status')
    expect(thread.messages()).toEqual([])
    seen.resolve()
    expect(await thread.lastAnswer()).toBe('done')
    expect(thread.status()).toBe('')
    expect(slack.reactions(GENERAL, thread.ts)).toEqual([])
  })

  test('a step is shown before its slow tool returns, and completed in the same message', async () => {
    model.on('slow tool', act('Let me read.', 'wikipedia', 'Slow page'), finish('read'))
    const gate = deferred()
    bot.wiki.fault({ times: 1, hold: gate.promise })
    const thread = await bot.mention('What does the slow tool say?')
    const [early] = await slack.until(() => (thread.messages().length > 0 ? thread.messages() : undefined), 'the step')
    expect(slack.shown(early!)).toBe('💭 Let me read.\n🔧 *Wikipedia* `Slow page`\n⏳ running …')
    gate.resolve()
    expect(await thread.lastAnswer()).toBe(
      `read\nSources: [1] Slow page (${bot.wiki.url.replace('/w/api.php', '/wiki/Slow_page')})`,
    )
    const [late] = thread.messages()
    expect(late?.ts).toBe(early?.ts)
    expect(slack.shown(late!)).toMatch(/👁 It is a long page about slowness\./)
  })

  test('a standalone follow-up is not shown twice', async () => {
    model.on('capital of France', finish('Paris.'))
    model.condenses('capital of Italy', 'What is the capital of Italy?')
    model.on('capital of Italy', finish('Rome.'))
    const thread = await bot.mention('What is the capital of France?')
    await thread.ended()
    await thread.reply('What is the capital of Italy?')
    expect(await thread.lastAnswer()).toBe('Rome.')
  })

  test('a reply shared with the channel and one with a file count by their text', async () => {
    model.on('subtypes', finish('first'))
    for (const key of ['broadcast reply', 'file reply']) {
      model.condenses(key, `standalone ${key}`)
      model.on(`standalone ${key}`, finish(`to the ${key}`))
    }
    const thread = await bot.mention('What of subtypes?')
    await thread.ended()
    await thread.reply('a broadcast reply', { subtype: 'thread_broadcast' })
    expect(await thread.lastAnswer()).toMatch(/to the broadcast reply/)
    await thread.reply('a file reply', { subtype: 'file_share', files: [{ id: 'F1', name: 'x.png' }] })
    expect(await thread.lastAnswer()).toMatch(/to the file reply/)
  })

  test('a direct message is answered in its own thread, and its replies are follow-ups', async () => {
    model.on('direct question', finish('direct answer'))
    model.condenses('direct follow-up', 'The whole direct follow-up?')
    model.on('The whole direct follow-up', finish('another direct answer'))
    const thread = await bot.dm('A direct question?')
    expect(await thread.lastAnswer()).toBe('direct answer')
    await thread.reply('direct follow-up')
    expect(await thread.lastAnswer()).toBe('_Understood as:_ The whole direct follow-up?\nanother direct answer')
    model.condenses('A second direct question', 'A second direct question?')
    const fresh = await bot.dm('A second direct question?')
    await fresh.ended()
    expect(model.about('A second direct question')).toMatchObject([{ kind: 'condense' }, { kind: 'turn' }])
    expect(fresh.ts).not.toBe(thread.ts)
  })

  test('private channels and group messages work like channels', async () => {
    for (const [id, kind] of [
      ['G0PRIVATE01', 'group'],
      ['G0PEOPLE001', 'mpim'],
    ] as const) {
      const channel = slack.addChannel(id, { kind }).id
      model.on(`asked in ${kind}`, finish(`answered in ${kind}`))
      model.condenses(`more in ${kind}`, `Yet more in ${kind}?`)
      model.on(`Yet more in ${kind}`, finish('more'))
      await slack.say({ channel, text: 'not for the bot' })
      const thread = await bot.mention(`asked in ${kind}`, { channel })
      expect(await thread.lastAnswer()).toBe(`answered in ${kind}`)
      await thread.reply(`more in ${kind}`)
      expect(await thread.lastAnswer()).toMatch(/\nmore$/)
      expect(slack.messages(channel)).toHaveLength(5)
    }
  })

  test('two questions in a thread are answered in order', async () => {
    model.on('order zero', finish('zero'))
    model.condenses('order one', 'order one!')
    model.condenses('order two', 'order two!')
    model.on('order one!', { text: finish('one'), delayMs: 300 })
    model.on('order two!', finish('two'))
    const thread = await bot.mention('order zero')
    await thread.ended()
    // A busy machine may reorder deliveries, so each is awaited.
    for (const [text, user] of [
      ['order one', ALICE],
      ['order two', BOB],
    ] as const) {
      const { deliveries } = await thread.reply(text, { user })
      await Promise.all(deliveries.map(({ done }) => done))
    }
    await thread.ended()
    expect(thread.endings().map((text) => /(zero|one|two)\n\d/.exec(text)?.[1])).toEqual(['zero', 'one', 'two'])
  })

  test('threads run side by side, and no step of one shows in another', async () => {
    const names = Array.from({ length: 6 }, (_, i) => `side-${i}`)
    for (const [i, name] of names.entries()) {
      model.on(
        name,
        { text: act(`Thinking of ${name}.`, 'calculator', `${i}+100`), delayMs: 150 },
        finish(`${name} is done`),
      )
    }
    const threads = await Promise.all(
      names.map((name, i) =>
        bot.mention(`Work on ${name}`, { channel: i % 2 ? RANDOM : GENERAL, user: i % 3 ? ALICE : BOB }),
      ),
    )
    await Promise.all(threads.map((thread) => thread.ended()))
    for (const [i, thread] of threads.entries()) {
      expect(thread.shown()).toEqual([
        `💭 Thinking of side-${i}.\n🔧 *Calculator* \`${i}+100\`\n👁 ${i + 100}`,
        expect.stringMatching(`^side-${i} is done\n`),
      ])
    }
    const first = names.map((name) => model.about(name)[0])
    expect(first.every((request) => request !== undefined)).toBe(true)
  })

  test('an empty question gets a message', async () => {
    const thread = await bot.mention('')
    await slack.until(() => thread.shown().some((text) => /I found no question/.test(text)), 'a word')
    await slack.until(() => thread.isAtRest(), 'rest')
  })

  test('unrelated messages cost nothing', async () => {
    model.on('known thread', finish('known'))
    const known = await bot.mention('a known thread')
    await known.ended()
    const asked = model.requests.length
    const strange = await slack.say({ text: 'two people talk' })
    await slack.say({ text: 'indeed they do', thread_ts: strange.ts, user: BOB })
    await slack.say({ text: `<@${BOT_USER}> beep`, user: BOB, extra: { bot_id: 'B0OTHER0001', app_id: 'A0OTHER0001' } })
    await slack.say({ text: 'a bot in the thread', thread_ts: known.ts, extra: { bot_id: 'B0OTHER0001' } })
    await slack.say({ text: 'topic', thread_ts: known.ts, subtype: 'channel_topic' })
    await slack.say({ text: `<@${BOT_USER}1> is somebody else` })
    await slack.people.edit({ channel: GENERAL, ts: known.ts }, `<@${BOT_USER}> a known thread, corrected`)
    await slack.people.edit({ channel: GENERAL, ts: strange.ts }, `<@${BOT_USER}> two people talk`)
    const posted = known.messages()[0]
    await slack.people.remove({ channel: GENERAL, ts: posted!.ts })
    await slack.people.join({ channel: GENERAL, user: 'U0CAROL0001' })
    await slack.people.react({ channel: GENERAL, ts: known.ts, name: 'eyes' })
    await slack.people.openHome()
    await slack.settle(200)
    expect(model.requests.length).toBe(asked)
    expect(slack.replies(GENERAL, strange.ts)).toEqual([])
    expect(known.messages()).toEqual([])
  })

  test('Slack would have refused nothing, and nothing unfurls', () => expectNoneRefused(slack))
})
