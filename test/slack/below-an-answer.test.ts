/** What stands below an answer: warnings and contradictions, and statistics only where an operator wants them. */
import { describe, expect, test } from 'vitest'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const NOT_KEPT = 'No reminder or schedule was set, and nothing was remembered or forgotten'
const NOTHING = 'Nothing was changed.'
const CUSTOM_TOOLS_DIR = 'test/fixtures/approval-tools'

/** The last message of the bot below a question, once there are buttons. */
async function answered(bot: TestBot, text: string): Promise<string> {
  const thread = await bot.mention(text)
  return bot.slack.until(() => thread.shown().find((shown) => shown.includes('Show work')), 'the answer')
}

describe('FOOTER=short', async () => {
  const bot = await startBot(fileEnds(), { env: { FOOTER: 'short' } })

  test('an answer without a step has no statistics, and Show work has them', async () => {
    bot.model.on('Hello', finish('Hi.'))
    const thread = await bot.mention('Hello?', { user: ALICE })
    const shown = await bot.slack.until(() => thread.shown().find((one) => one.includes('Show work')), 'the answer')
    expect(shown).toMatch(/^Hi\.\nReply to follow up · `mute`[^\n]*\nGood answer/)
    await thread.press('thinkaloud_show_work')
    const work = await bot.modal()
    await bot.slack.until(() => work.shown().includes('tokens'), 'the statistics')
  })

  test('nor has one with steps; below a second answer stands nothing', async () => {
    bot.model.on('the sum', act('Add.', 'calculator', '1+1'), finish('Two.'))
    expect(await answered(bot, 'the sum?')).not.toMatch(/\d steps?|tokens|\d\.\d s/)
    expect(bot.slack.refusals).toEqual([])
  })

  test('what is remembered is named where the answer uses it', async () => {
    await bot.slack.slash('remember our fiscal year starts in May', { channel: GENERAL })
    await bot.slack.until(() => bot.slack.ephemerals(GENERAL, ALICE).join().includes('Remembered'), 'that it is kept')
    bot.model.on('fiscal year', finish('It starts in May.'))
    bot.model.on('bananas', finish('They are yellow.'))
    expect(await answered(bot, 'When does our fiscal year start?')).toContain(
      'Uses 1 thing that I was asked to remember here',
    )
    expect(await answered(bot, 'Which colour have bananas?')).not.toContain('told me')
  })

  test.each([
    'Sure, I will remind you tomorrow at 8!',
    'Done. I have scheduled a summary every weekday at 8:30.',
    'I’ll remember that.',
    'I have forgotten that.',
    'Reminder set for 5 pm.',
    'I will let you know when the build is green.',
    'Ich werde dich morgen daran erinnern.',
    'Ich habe mir das gemerkt.',
    'Je te rappellerai demain à 8 h.',
    'Te recordaré mañana.',
    'Vou te lembrar amanhã.',
    'Ti ricorderò domani.',
    'Ik zal je morgen herinneren.',
    '明日リマインドします。',
    '我会在明天提醒你。',
  ])('%j without a card is contradicted', async (claim) => {
    bot.model.on(claim, finish(claim))
    expect(await answered(bot, `Say: ${claim}`)).toContain(NOT_KEPT)
  })

  test.each([
    'I cannot remind you, but `/ask tomorrow at 8` can.',
    'Bob wrote: “I will remind you tomorrow.”',
    'You can schedule it with /ask.',
    'The launch was scheduled for 1969.',
    '6 times 7 is 42.',
  ])('%j is not', async (words) => {
    bot.model.on(words, finish(words))
    expect(await answered(bot, `Say: ${words}`)).not.toMatch(/was set|was changed/)
  })

  test('with a card it is not', async () => {
    const input = '{"when": "tomorrow at 8", "question": "the release"}'
    bot.model.on(
      'the release',
      act('A card.', 'propose_schedule', input),
      finish('I will remind you once you press Save.'),
    )
    expect(await answered(bot, 'Help me not to forget the release, tomorrow at 8.')).not.toContain(NOT_KEPT)
  })
})

describe('with a tool that writes', async () => {
  const bot = await startBot(fileEnds(), { env: { CUSTOM_TOOLS_DIR, FOOTER: 'short' } })

  test.each([
    ['Write down Milk', 'It is in your notes.', true],
    ['What is new?', 'I have created a ticket for it.', true],
    ['Ist das erledigt?', 'Ich habe das Ticket gelöscht.', true],
    ['What is 6 times 7?', '6 times 7 is 42.', false],
    ['Add up the cones', 'The column adds up to 1434.', false],
    ['Please add 3 and 5', 'That makes 8.', false],
    ['Add Dana to the list', 'It is on the list.', true],
    ['Write down Honey', 'I cannot do that: the notebook is locked.', false],
    ['How big is Berlin?', 'Berlin has 3.7 million people.', false],
  ])('%j, answered by %j: “Nothing was changed.” is %s', async (question, answer, isSaid) => {
    bot.model.on(question, finish(answer))
    expect((await answered(bot, question)).includes(NOTHING)).toBe(isSaid)
  })
})
