/** The stored text of files is deleted with their question, thread or person, and read again after an edit. */
import { expect, test } from 'vitest'
import { ALICE, BOB, BOT_USER, GENERAL } from '../../playground/slack/slack.ts'
import { ASK_EDITED } from '../../src/slack/format/action-ids.ts'
import { forget } from '../harness/answer-buttons.ts'
import { startBot, type Thread } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { finish } from '../harness/played-model.ts'
import { textFile } from '../harness/said-files.ts'

const bot = await startBot(fileEnds())
const { model, slack } = bot

/** Returns the model's prompt for a follow-up in the thread. */
async function promptOfFollowUp(thread: Thread, key: string): Promise<string> {
  model.condenses(key, key)
  model.on(key, finish('Done.'))
  await thread.reply(key)
  await slack.until(() => model.about(key).some(({ kind }) => kind === 'turn'), 'the follow-up')
  return model.about(key).find(({ kind }) => kind === 'turn')?.prompt ?? ''
}

test('a question that is edited is asked again with its files', async () => {
  model.on('which colour is it', finish('Blue.'))
  const thread = await bot.mention('which colour is it', { files: [textFile('a.txt', 'It is BLUEISH.')] })
  await thread.ended()
  await thread.edit(`<@${BOT_USER}> which hue has it`)
  const offers = () => slack.store.channel(GENERAL).ephemerals
  const offer = () => offers().findLast((one) => JSON.stringify(one.blocks ?? []).includes(ASK_EDITED))
  const { ts } = await slack.until(offer, 'the offer to ask again')
  model.on('which hue has it', finish('Blueish.'))
  await slack.press({ channel: GENERAL, ts, user: ALICE }, { action_id: ASK_EDITED })
  await slack.until(() => model.about('which hue has it').length > 0, 'the question as it reads now')
  expect(model.about('which hue has it').at(-1)?.prompt).toContain('It is BLUEISH.')
})

test('a deleted question’s files are deleted', async () => {
  model.on('sum up the first', finish('One.'))
  const thread = await bot.mention('sum up the first', { files: [textFile('first.txt', 'x '.repeat(4_000))] })
  await thread.ended()
  model.on('sum up the second', finish('Two.'))
  await thread.reply('sum up the second', { files: [textFile('second.txt', 'x')] })
  await thread.ended()
  expect(await promptOfFollowUp(thread, 'what of the first now')).toContain('first.txt')
  await slack.people.remove({ channel: GENERAL, ts: thread.ts })
  await slack.until(() => bot.logs.some((line) => line.includes('a deleted question is forgotten')), 'the forgetting')
  const prompt = await promptOfFollowUp(thread, 'what of the first after that')
  expect(prompt).toContain('Earlier files, not shown here: second.txt')
  expect(prompt).not.toContain('first.txt')
})

test('forgetting a person deletes their files, and nobody else’s', async () => {
  model.on('keep this', finish('Kept.'))
  const thread = await bot.mention('keep this', { files: [textFile('mine.txt', 'x')] })
  await thread.ended()
  model.on('keep that', finish('Kept.'))
  await thread.reply('keep that', { user: BOB, files: [textFile('bobs.txt', 'x')] })
  await thread.ended()
  expect(await promptOfFollowUp(thread, 'what is there')).toContain('bobs.txt (A text of 1 line), mine.txt')
  const { channel } = await bot.dm('help')
  await forget(slack, { channel })
  await slack.until(() => slack.ephemerals(channel, ALICE).some((word) => /^Done/.test(word)), 'a word that it is done')
  const prompt = await promptOfFollowUp(thread, 'what is there after that')
  expect(prompt).toContain('bobs.txt')
  expect(prompt).not.toContain('mine.txt')
})
