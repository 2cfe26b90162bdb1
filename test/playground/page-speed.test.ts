/**
 * A page with much content. The bounds are so wide that only a freeze breaks them, and everything is loaded from the
 * page's server.
 */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { BOB, GENERAL, type LocalSlack } from '../../playground/slack/slack.ts'
import { BLOCKS } from '../harness/block-samples.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { pagesInChromium, servedPage } from '../harness/open-page.ts'
import { longestTask } from '../harness/page-tasks.ts'

const MESSAGES = 1000
/** In ms of the thread's time. */
const LONGEST_FRAME = 1000
const LONGEST_LOAD = 3000
const LONGEST_CHANGE = 500

/** Every third message has blocks, and every fifth has a thread. */
function fill(slack: LocalSlack) {
  const channel = slack.store.channel(GENERAL)
  const samples = ['section', 'markdown', 'data_table', 'plan', 'rich_text'].map((type) => BLOCKS[type]?.blocks ?? [])
  for (let n = 1; n <= MESSAGES; n++) {
    const blocks =
      n % 3 === 0 ? { blocks: structuredClone(samples[n % samples.length] ?? []) as Record<string, unknown>[] } : {}
    const { ts } = slack.store.post(channel, {
      user: BOB,
      text: `Message ${n} of many :tada: https://example.org/${n}`,
      ...blocks,
    })
    if (n % 5 === 0) slack.store.post(channel, { user: BOB, text: `Reply ${n}`, thread_ts: ts })
  }
}

/** Playwright's own text search walks the whole page, which would be measured too. */
const lastSays = (words: string) => `messages.lastElementChild?.textContent.includes(${JSON.stringify(words)})`

/** Waits within the page's policy, which allows no eval. */
const until = (page: Page, isSo: string) =>
  page.evaluate(`new Promise((done) => { const look = () => (${isSo} ? done() : setTimeout(look, 20)); look() })`)

/** Scrolls to the top, three screens in each frame. */
const SCROLL = `new Promise((done) => {
  const step = () => (scroller.scrollBy(0, -3000), scroller.scrollTop === 0 ? done() : requestAnimationFrame(step))
  step()
})`

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  test('a channel of 1,000 messages is painted, scrolled and added to without a freeze', async () => {
    const { slack, url } = await servedPage()
    fill(slack)
    const { page } = await openPage(url, { at: '#random' })
    const atEnd = 'Math.abs(scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight) < 3'
    const loaded = await longestTask(page, async () => {
      await page.goto(`${url}/?as=alice#general`)
      await until(page, lastSays(`Message ${MESSAGES} of many`))
    })
    await until(page, atEnd)
    const added = await longestTask(page, async () => {
      await slack.say({ user: BOB, text: 'one more' })
      await until(page, lastSays('one more'))
    })
    await until(page, atEnd)
    const scrolled = await longestTask(page, async () => {
      await page.evaluate(SCROLL)
    })
    expect(loaded).toBeLessThan(LONGEST_LOAD)
    expect(added).toBeLessThan(LONGEST_CHANGE)
    expect(scrolled).toBeLessThan(LONGEST_FRAME)
    await slack.say({ user: BOB, text: 'while somebody reads above' })
    await until(page, lastSays('while somebody reads above'))
    await expect.poll(() => page.evaluate(atEnd)).toBe(false)
  })

  test('all that the page loads comes from its own server, pictures in messages included', async () => {
    const asked: string[] = []
    const { slack, url } = await servedPage()
    const { page, main } = await openPage(url, {
      before: (one) => {
        one.on('websocket', (socket) => asked.push(socket.url().replace(/^ws/, 'http')))
        return Promise.resolve(one.on('request', (request) => asked.push(request.url())))
      },
    })
    const channel = slack.store.channel(GENERAL)
    const blocks = Object.values(BLOCKS).flatMap((sample) => sample.blocks as Record<string, unknown>[])
    slack.store.post(channel, { user: BOB, text: 'x', blocks })
    const attachments = [
      { text: 'the last', image_url: 'https://example.org/i.png', thumb_url: 'https://example.org/t.png' },
    ]
    slack.store.post(channel, { user: BOB, text: '![](https://example.org/m.png)', attachments })
    await main.getByText('the last').waitFor()
    await page.reload()
    await main.getByText('the last').waitFor()
    expect(asked.filter((one) => !one.startsWith(`${url}/`))).toEqual([])
    const paths = asked.map((one) => new URL(one).pathname)
    for (const path of ['/', '/app.js', '/app.css', '/state', '/events', '/lib/emoji.json'])
      expect(paths).toContain(path)
  })

  test('a library is served only by its exact name', async () => {
    const { url } = await servedPage()
    const status = async (path: string) => (await fetch(`${url}/lib/${path}`)).status
    expect(await status('emoji.json')).toBe(200)
    for (const path of ['', 'marked.js', 'toString', '..%2Fpage-server.ts', 'emojibase-data/package.json'])
      expect(await status(path), path).toBe(404)
  })
})
