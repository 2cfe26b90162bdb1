import { expect, test } from 'vitest'
import { createNotices } from '../../playground/page-server/notices.ts'
import { startPage } from '../../playground/page-server/page-server.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { localSlack } from '../harness/local-slack.ts'
import { NOTES, pagesInChromium } from '../harness/open-page.ts'

describeWithChromium('a notice of npm run dev', () => {
  const openPage = pagesInChromium()

  test('is in the terminal and on the page; a fault is also on pages that open later', async (t) => {
    const printed: string[] = []
    const notices = createNotices((text) => void printed.push(text))
    const { url, close } = await startPage(await localSlack(), { port: 0, notes: NOTES, parts: [notices.part] })
    t.onTestFinished(close)
    notices.tell('tools/a.ts:1:3: Expected ")".', true)
    const { page } = await openPage(url, {
      // A notice disappears after four seconds, and a slow machine may miss it.
      before: (one) =>
        one.addInitScript('const set = setTimeout; setTimeout = (act, ms) => set(act, ms === 4_000 ? 3_600_000 : ms)'),
    })
    await page.getByRole('status').getByText('tools/a.ts:1:3').waitFor()
    notices.tell('The bot has been started anew.')
    await page.getByText('The bot has been started anew.').waitFor()
    await page.getByRole('button', { name: 'Close notice' }).click()
    await page.getByText('The bot has been started anew.').waitFor({ state: 'hidden' })
    expect(printed).toEqual(['tools/a.ts:1:3: Expected ")".', 'The bot has been started anew.'])
  })
})
