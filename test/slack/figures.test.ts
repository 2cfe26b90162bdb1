/** The sources of an answer's figures: below the answer, in Show work, in a shared answer, and turned off. */
import { describe, expect, test } from 'vitest'
import { ALICE, GENERAL } from '../../playground/slack/slack.ts'
import { SHOW_WORK } from '../../src/slack/format/action-ids.ts'
import { startBot, type TestBot } from '../harness/bot.ts'
import { fileEnds } from '../harness/ends.ts'
import { act, finish } from '../harness/played-model.ts'

const PAGES = [
  {
    id: 1,
    title: 'Dune',
    redirects: [],
    disambiguation: false,
    text: 'Dune is a novel of 1965, first published on 1 August 1965. It sold 12,345,678 copies. “The slow blade penetrates the shield,” it says.',
  },
]
const RIGHT = 'Dune came out on 1965-08-01 and sold about 12.3 million copies: “the slow blade penetrates the shield”.'
const WRONG = `${RIGHT} It has 412 pages.`

function play({ model }: TestBot): void {
  model.on('right', act('Look.', 'wikipedia', 'Dune'), finish(RIGHT))
  model.on('wrong', act('Look.', 'wikipedia', 'Dune'), finish(WRONG))
  model.on('unread', finish('Dune has 412 pages.'))
}

describe('the footer and Show work', async () => {
  const bot = await startBot(fileEnds(), { pages: PAGES })
  play(bot)

  test('name the figure without a source; a figure in another form has one', async () => {
    const right = await bot.mention('The right facts?')
    expect(await right.ended()).toMatch(/Sources: \[1\] Dune/)
    expect(await right.ended()).not.toContain('⚠')
    const wrong = await bot.mention('The wrong facts?')
    expect(await wrong.ended()).toMatch(/^⚠ 1 of 4 figures is not in any source\nSources: /m)
    await wrong.press(SHOW_WORK)
    const modal = await bot.modal()
    await bot.slack.until(() => modal.shown().includes('Where the figures'), 'the figures')
    expect(modal.shown()).toContain(
      [
        'Where the figures come from',
        '• 1965-08-01: step 1 [1]',
        '• 12.3 million: step 1 [1]',
        '• the slow blade penetrates the shield: step 1 [1]',
        '• 412: not in any source',
        '[1] Dune',
      ].join('\n'),
    )
    expect(bot.slack.refusals).toEqual([])
  })

  test('say nothing if nothing was read', async () => {
    const thread = await bot.mention('The unread facts?')
    expect(await thread.ended()).not.toContain('from a source')
  })

  test('are in a private answer too', async () => {
    play(bot)
    await bot.slack.slash('private: the wrong facts?', { user: ALICE, channel: GENERAL })
    const words = () => bot.slack.ephemerals(GENERAL, ALICE).join('\n')
    await bot.slack.until(() => words().includes('⚠ 1 of 4 figures is not in any source'), 'the private answer')
  })
})

test('FIGURES=off removes them from the footer', async (t) => {
  const bot = await startBot(t, { pages: PAGES, env: { FIGURES: 'off', STEPS: 'hidden' } })
  play(bot)
  const thread = await bot.mention('The wrong facts?')
  expect(await thread.ended()).toContain('412 pages')
  expect(await thread.ended()).not.toContain('from a source')
})
