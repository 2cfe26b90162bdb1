import type { Page } from 'playwright-core'
import { ask, ended, type Scene } from './page-scene.ts'

/** Two pages of Wikipedia, a lookup and two sums. */
const LONG_QUESTION = 'Who is Olivia Wilde’s boyfriend? What is his current age raised to the 0.23 power?'

/** The run of a question, on a page that is high enough for all of it. */
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

/** What a run exchanged, as the panel Run draws it. */
export const RUN_SCENES: Record<string, Scene> = {
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
