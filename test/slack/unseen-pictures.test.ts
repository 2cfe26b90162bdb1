/** Returns the footer of an answer whose model accepts no pictures. */
import { expect, test } from 'vitest'
import type { Model, Picture } from '../../src/agent/contracts/model.ts'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { modelAt } from '../harness/agent-run.ts'
import { startBot } from '../harness/bot.ts'
import { act, finish } from '../harness/played-model.ts'

const UNSEEN = '🙈 My model cannot see pictures, so this answer does not use them.'
const CHART: Picture = { name: 'chart.png', mime: 'image/png', base64: 'Y2hhcnRjaGFydA==' }

/** The model at this address. Each question has a picture. */
function withPicture(url: string): Model {
  const model = modelAt(url)
  return {
    name: model.name,
    stream: (request) =>
      model.stream({
        ...request,
        messages: request.messages.map((message) =>
          message === request.messages.findLast(({ role }) => role === 'user')
            ? { ...message, images: [CHART], unseen: 'Unseen. ' }
            : message,
        ),
      }),
  }
}

test('an answer by a model without vision says so below it, in the thread and in a direct message', async (t) => {
  const bot = await startBot(t, { model: [finish('It is a chart.')], modelAt: withPicture })
  bot.model.takesNoPictures()
  expect(await (await bot.mention('What is it?')).ended()).toMatch(new RegExp(`${UNSEEN}\\n\\d+\\.\\d s`))
  expect(await (await bot.dm('What is it?')).ended()).toContain(`${UNSEEN}\n`)
  expect(bot.model.requests.map(({ images }) => images.length)).toEqual([1, 0, 0])
  expect(bot.logs.join('')).not.toContain(CHART.base64)
})

test('an answer by a model with vision does not mention it', async (t) => {
  const bot = await startBot(t, { model: [finish('It is a chart.')], modelAt: withPicture })
  expect(await (await bot.mention('What is it?')).ended()).not.toContain('🙈')
})

test('a shared private answer still says so', async (t) => {
  const bot = await startBot(t, { model: [finish('It is a chart.')], modelAt: withPicture })
  bot.model.takesNoPictures()
  const { slack } = bot
  await slack.slash('private: What is it?', { user: ALICE, channel: GENERAL })
  const shareable = () =>
    slack.store.channel(GENERAL).ephemerals.findLast((one) => JSON.stringify(one.blocks).includes('thinkaloud_share'))
  const { ts } = await slack.until(shareable, 'the private answer')
  expect(slack.ephemerals(GENERAL, ALICE).join('\n')).toMatch(new RegExp(`${UNSEEN}\\n\\d+\\.\\d s`))
  await slack.press({ channel: GENERAL, ts, user: ALICE }, { action_id: 'thinkaloud_share' })
  const shared = () => slack.messages(GENERAL).find((message) => slack.shown(message).includes('It is a chart.'))
  expect(slack.shown(await slack.until(shared, 'the answer for all'))).toMatch(new RegExp(`${UNSEEN}\\n\\d+\\.\\d s`))
})

test('the title of the streamed work stays the number of its steps', async (t) => {
  const model = [act('a', 'calculator', '1+1'), finish('It is a chart.')]
  const bot = await startBot(t, { model, modelAt: withPicture, env: { STEPS: 'stream' } })
  bot.model.takesNoPictures()
  const thread = await bot.dm('What is it?')
  expect(await thread.ended()).toContain(UNSEEN)
  const sent = JSON.stringify(bot.slack.calls.map(({ args }) => args)).replaceAll('\\', '')
  const titles = [...sent.matchAll(/"type":"plan_update","title":"([^"]*)"/g)].map(([, title]) => title)
  expect(titles.at(-1)).toMatch(/^1 step, [\d.]+ s$/)
})
