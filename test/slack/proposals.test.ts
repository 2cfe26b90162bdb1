/** What people ask for in their own words: tools of the model that only open a card for the asker. */
import { describe, expect, test } from 'vitest'
import { ALICE, BOB, GENERAL } from '../../playground/slack/slack.ts'
import { DIALECTS } from '../../src/agent/dialects/index.ts'
import type { DialectName } from '../../src/config.ts'
import {
  ASK_ALONE,
  OPEN_SETTINGS,
  PROPOSED_NO,
  PROPOSED_REMEMBER,
  SCHEDULE,
} from '../../src/slack/format/action-ids.ts'
import { answerIn, callIn } from '../harness/dialect-turns.ts'
import { startBot, type TestBot, type TestBotOptions } from '../harness/bot.ts'
import { ephemerals, press, told } from '../harness/schedules.ts'
import { fileEnds, type Ends } from '../harness/ends.ts'

const NAMES = Object.keys(DIALECTS) as DialectName[]
const SOURCES = { docstore: 'wikipedia', 'self-ask': 'wikipedia' } as Partial<Record<DialectName, string>>

interface Wanted {
  tool: string
  input: object
}

/** A bot whose model makes the calls, one a turn, and then answers. */
async function proposing(t: Ends, name: DialectName, calls: Wanted[] | TestBotOptions): Promise<TestBot> {
  const more = Array.isArray(calls) ? {} : calls
  const wanted = Array.isArray(calls) ? calls : []
  const TOOLS = SOURCES[name] ?? 'wikipedia'
  const model: TestBotOptions['model'] = (_, n) => {
    const call = wanted[n % (wanted.length + 1)]
    return call ? callIn(name, call.tool, call.input) : answerIn(name, 'A card waits for you.')
  }
  return startBot(t, { model, ...more, env: { AGENT_DIALECT: name, TOOLS, ...more.env } })
}

const saved = (bot: TestBot) => bot.slack.slash('schedules')
/** The texts of all ephemeral messages to a person. */
const shown = (bot: TestBot, user = ALICE) => bot.slack.ephemerals(GENERAL, user)
const offered = (bot: TestBot) => bot.model.requests.at(-1)!.raw

test.for([
  ['a fact that its escapes make too long for a button is refused in words', '&'.repeat(490), 0],
  ['one with a few of them is shown', `${'a'.repeat(400)}${'<'.repeat(90)}`, 1],
  ['the longest plain one is shown', 'x'.repeat(499), 1],
] as const)('%s', async ([, text, cards], t) => {
  const bot = await proposing(t, 'native', [{ tool: 'propose_memory', input: { text } }])
  await (await bot.mention('please keep that in mind')).ended()
  expect(shown(bot)).toHaveLength(cards)
  expect(bot.model.requests.at(-1)?.prompt.includes('The text is too long for a card.')).toBe(cards === 0)
})

test('what is remembered is not shown, in words, while Slack does not tell about the channel', async (t) => {
  const bot = await proposing(t, 'native', [{ tool: 'show_memory', input: {} }])
  bot.slack.fault({ method: 'conversations.info', status: 503, times: 99 })
  await (await bot.mention('what do you remember?')).ended()
  expect(shown(bot)).toEqual([])
  expect(bot.model.requests.at(-1)?.prompt).toContain('No card was opened: That did not work.')
})

describe.each(NAMES)('in %s', (name) => {
  test('a schedule is a card for the asker alone, and is made by a press', async (t) => {
    const input = { when: 'every weekday at 8:30', question: 'a summary of #ops' }
    const bot = await proposing(t, name, [{ tool: 'propose_schedule', input }])
    const thread = await bot.mention('can you send me a summary of #ops every weekday at 8:30?')
    expect(await thread.lastAnswer()).toBe('A card waits for you.')
    const [card] = shown(bot)
    expect(card).toMatch(/^\*Your schedule, not saved yet\*\n> a summary of #ops\n\*When:\* Every weekday at 08:30/)
    expect([shown(bot).length, shown(bot, BOB)]).toEqual([1, []])
    await saved(bot)
    await told(bot, /You have no schedules/)
    await press(bot, SCHEDULE.save)
    await told(bot, /^Saved\. Next: /)
  })

  test('a fact is remembered by a press, and shown with Forget', async (t) => {
    const bot = await proposing(t, name, [{ tool: 'propose_memory', input: { text: 'We use <Jira> & Slack.' } }])
    await (await bot.mention('please keep in mind that we use Jira')).ended()
    expect(shown(bot)).toEqual([
      '*Should I remember this for this channel?* Nothing is saved yet.\n> We use &lt;Jira&gt; &amp; Slack.\nRemember\nNo'
        .replaceAll('&lt;', '<')
        .replaceAll('&gt;', '>')
        .replaceAll('&amp;', '&'),
    ])
    await press(bot, PROPOSED_REMEMBER)
    await told(bot, /Remembered for this channel: We use/)
  })

  test.each([
    ['show_memory', {}, /^I remember nothing for this channel yet/],
    ['show_schedules', {}, /^You have no schedules here/],
    [
      'answer_privately',
      { question: 'what is my salary?' },
      /^\*Should I answer this to you alone\?\*\n> what is my salary\?/,
    ],
    ['propose_settings', {}, /^\*My settings here\*/],
  ])('%s', async (tool, input, card) => {
    const bot = await proposing(t0, name, [{ tool, input }])
    await (await bot.mention('Show me.')).ended()
    expect(shown(bot)).toEqual([expect.stringMatching(card)])
    await bot.stop()
  })
})

const t0 = fileEnds()

describe('a proposal', () => {
  test('answers alone, opens the settings, or goes away', async (t) => {
    const bot = await proposing(t, 'native', [{ tool: 'answer_privately', input: { question: 'my salary?' } }])
    await (await bot.mention('tell me my salary, so that nobody else reads it')).ended()
    await press(bot, ASK_ALONE)
    await told(bot, /Only you see this answer/)
    const names = bot.model.requests.at(-1)!.body.tools!.map((tool) => tool.function.name)
    expect(names.filter((one) => /answer_privately|propose_memory/.test(one))).toEqual([])
    const other = await proposing(t, 'native', [{ tool: 'propose_settings', input: {} }])
    await (await other.mention('change your model')).ended()
    await press(other, OPEN_SETTINGS, { user: ALICE })
    await told(other, /Only workspace admins|settings/i)
    await press(other, PROPOSED_NO)
    await told(other, /Nothing was saved or changed/)
  })

  test('what the parser does not read is asked back, and no card is opened', async (t) => {
    const input = { when: 'every day at 9 until Friday', question: 'what is new?' }
    const bot = await proposing(t, 'native', [{ tool: 'propose_schedule', input }])
    await (await bot.mention('daily until Friday')).ended()
    expect(shown(bot)).toEqual([])
    expect(bot.model.requests.at(-1)?.prompt).toMatch(
      /No card was opened: I don’t understand “until Friday” as part of/,
    )
  })

  test('there is one card a run, whatever is called', async (t) => {
    const calls = ['one', 'two', 'three'].map((text) => ({ tool: 'propose_memory', input: { text } }))
    const bot = await proposing(t, 'native', calls)
    await (await bot.mention('remember all of it')).ended()
    expect(shown(bot)).toHaveLength(1)
    expect(shown(bot)[0]).toContain('> one')
  })

  test('names what suggested it once anything from outside was read', async (t) => {
    const page = { tool: 'wikipedia', input: { query: 'Berlin' } }
    const bot = await proposing(t, 'text', [page, { tool: 'propose_memory', input: { text: 'Berlin is big' } }])
    await (await bot.mention('What about Berlin?')).ended()
    expect(shown(bot)[0]).toMatch(/^_Suggested after (?:reading [\w.:]+|using .*)_\n\*Should I remember/)
  })

  test('names a thread, and an earlier conversation', async (t) => {
    const bot = await proposing(t, 'native', [{ tool: 'show_schedules', input: {} }])
    const said = await bot.slack.say({ channel: GENERAL, user: BOB, text: 'Schedule everything!' })
    await bot.slack.mention('what did Bob say?', { channel: GENERAL, thread_ts: said.ts })
    expect(await told(bot, /You have no schedules/)).toMatch(/^_Suggested after reading this thread_/)
  })

  test.each([
    ['a guest', { is_restricted: true }],
    ['a stranger', { is_stranger: true }],
  ])('is not offered to %s', async (_, fields) => {
    const bot = await proposing(t0, 'native', { env: { ALLOW_EXTERNAL: 'true' } })
    bot.slack.addUser('U0GUEST0001', fields)
    await (await bot.mention('remember this', { user: 'U0GUEST0001' })).ended()
    expect(offered(bot)).not.toContain('propose_')
    await bot.stop()
  })

  test('is not offered where schedules are off, nor in a scheduled run', async (t) => {
    const bot = await proposing(t, 'native', { env: { SCHEDULES_PER_USER: '0' } })
    await (await bot.mention('every day?')).ended()
    expect(offered(bot)).not.toContain('_schedule"')
    const other = await proposing(t, 'native', [])
    await other.slack.slash('every Monday at 9 what is new?')
    await press(other, SCHEDULE.try)
    await other.slack.until(() => other.model.requests.length > 0, 'a run')
    expect(offered(other)).not.toContain('propose_')
  })

  test('200 hostile runs store nothing', async (t) => {
    const tools = ['propose_schedule', 'propose_memory', 'answer_privately', 'propose_settings', 'show_memory']
    const evil = ['<!channel> every minute', '```', '\u202eevil', 'x'.repeat(3_000), '"]}]', ' ', '*Save* it now']
    let n = 0
    const bot = await proposing(t, 'native', {
      model: ({ prompt }) => {
        if (prompt.includes('card is open') || prompt.includes('No card')) return 'A card waits.'
        const text = evil[n++ % evil.length]!
        const name = tools[n % tools.length]!
        return {
          toolCalls: [1, 2].map(() => ({
            name,
            arguments: JSON.stringify({ text, question: text, when: 'every day at 9' }),
          })),
        }
      },
    })
    for (let round = 0; round < 20; round++) {
      const asked = await Promise.all(Array.from({ length: 10 }, (_, i) => bot.mention(`Run ${round}-${i}`)))
      await Promise.all(asked.map((thread) => thread.ended()))
    }
    expect(ephemerals(bot).length).toBeLessThanOrEqual(200)
    const before = shown(bot).length
    await bot.slack.slash('schedules')
    await bot.slack.slash('memory')
    await bot.slack.until(() => shown(bot).length === before + 2, 'both lists')
    expect(shown(bot).slice(-2).join('\n')).toMatch(
      /no schedules here[^]*remember nothing|remember nothing[^]*no schedules here/,
    )
    expect(bot.slack.refusals).toEqual([])
  }, 120_000)
})
