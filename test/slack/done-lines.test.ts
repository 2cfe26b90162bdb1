/** The writes of a run are listed below the answer in a separate block, with each display and for each audience. */
import { expect, test } from 'vitest'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { STEPS } from '../../src/config.ts'
import { SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { startBot } from '../harness/bot.ts'
import { finish } from '../harness/played-model.ts'

const CUSTOM_TOOLS_DIR = 'test/fixtures/approval-tools'
const LIE = finish('I have noted Claimed.')
const LINE = 'Nothing was changed.'

test.for(STEPS)('STEPS=%s contradicts a claimed write', async (steps, t) => {
  const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR, STEPS: steps, STEPS_STREAM_CHANNELS: 'true' } })
  bot.model.on('Claimed', LIE)
  const thread = await bot.mention('Write down Claimed')
  await thread.ended()
  const blocks = thread
    .messages()
    .flatMap((message) => (message.blocks ?? []) as { type: string; elements?: { text?: unknown }[] }[])
  const own = blocks.filter(
    ({ type, elements }) => type === 'context' && elements?.length === 1 && elements[0]?.text === LINE,
  )
  expect(own).toHaveLength(1)
  expect(bot.slack.refusals).toEqual([])
})

test('so do a private answer and Show work', async (t) => {
  const bot = await startBot(t, { env: { CUSTOM_TOOLS_DIR } })
  bot.model.on('Claimed', LIE)
  await bot.slack.slash('private: write down Claimed', { user: ALICE, channel: GENERAL })
  await bot.slack.until(
    () => bot.slack.ephemerals(GENERAL, ALICE).some((text) => text.includes(LINE)),
    'the private answer',
  )
  const thread = await bot.mention('Write down Claimed')
  await thread.ended()
  await thread.press(SHOW_WORK)
  const modal = await bot.modal()
  await bot.slack.until(() => modal.shown().includes(`What was done\n${LINE}`), 'what was done')
})
