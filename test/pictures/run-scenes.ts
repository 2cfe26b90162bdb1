import type { Page } from 'playwright-core'
import { playModel, type TurnParts } from '../harness/played-model.ts'
import { ask, ended, thread, type Scene } from './page-scene.ts'

/** Needs two pages of Wikipedia, a lookup and two sums. */
const LONG_QUESTION = 'Who is Olivia Wilde’s boyfriend? What is his current age raised to the 0.23 power?'

/** The output of a reasoning model for the default question, over the Responses API. */
const REASONED: TurnParts[] = [
  {
    reasoning: '**Finding his dates**\n\nI need the years of his birth and death before I can take a power of his age.',
    toolCalls: [{ name: 'wikipedia', arguments: '{"query": "Frank Herbert"}' }],
    usage: tokens(1_840, 0, 96),
  },
  {
    reasoning:
      '**Working out the age**\n\nHe was born in October 1920 and died in February 1986, before his birthday: 65.',
    toolCalls: [{ name: 'calculator', arguments: '{"expression": "65 ^ 0.23"}' }],
    usage: tokens(2_410, 1_792, 128),
  },
  { text: 'Frank Herbert lived to 65, and 65 to the power of 0.23 is about **2.61**.', usage: tokens(2_520, 2_304, 0) },
]

function tokens(input_tokens: number, cached_tokens: number, reasoning_tokens: number) {
  const details = { input_tokens_details: { cached_tokens }, output_tokens_details: { reasoning_tokens } }
  return { input_tokens, output_tokens: 60 + reasoning_tokens, ...details }
}

/** Opens the run of a question, on a page that is high enough for all of it. */
async function openRun(page: Page): Promise<void> {
  await page.setViewportSize({ width: 1560, height: 2_600 })
  await ask(page, LONG_QUESTION)
  await ended(page)
  await page.getByRole('button', { name: 'Run', exact: true }).click()
  await page
    .getByRole('list', { name: 'Timings' })
    .getByRole('button', { name: /^Answer/ })
    .waitFor()
}

/** Pictures of a run's exchanges in the panel Run. */
export const RUN_SCENES: Record<string, Scene> = {
  reasoning: {
    env: { OPENAI_API: 'responses', OPENAI_MODEL: 'gpt-5-mini', AGENT_DIALECT: 'native' },
    prepare: async (ends) => ({ OPENAI_BASE_URL: (await playModel(ends, REASONED)).url }),
    play: async (page) => (await ask(page), await ended(page), thread(page)),
  },
  'run-flow': {
    isWide: true,
    paceMs: 12,
    async play(page) {
      await openRun(page)
      return page.locator('.flow')
    },
  },
  'run-timings': {
    isWide: true,
    paceMs: 12,
    async play(page) {
      await openRun(page)
      return page.locator('.waterfall')
    },
  },
}
