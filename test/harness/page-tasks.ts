import type { CDPSession, Page } from 'playwright-core'
import { expect } from 'vitest'

/**
 * Returns the longest task of the page's process during `act`, from Chromium's tracing, in ms of its thread's time.
 * Other processes and pauses of the machine do not count.
 */
export async function longestTask(page: Page, act: () => Promise<unknown>): Promise<number> {
  const client: CDPSession = await page.context().newCDPSession(page)
  const tasks: number[] = []
  client.on('Tracing.dataCollected', ({ value }) => {
    for (const event of value as { name?: string; tdur?: number }[])
      if (event.name === 'RunTask' && event.tdur !== undefined) tasks.push(event.tdur / 1000)
  })
  const categories = ['disabled-by-default-devtools.timeline', 'devtools.timeline']
  await client.send('Tracing.start', { traceConfig: { includedCategories: categories }, transferMode: 'ReportEvents' })
  await act()
  const done = new Promise((resolve) => client.once('Tracing.tracingComplete', resolve))
  await client.send('Tracing.end')
  await done
  expect(tasks.length).toBeGreaterThan(10)
  return Math.max(...tasks)
}
