/** A person's place on the page, and new messages: addresses, Back, reload, unread marks, days, panels. */
import type { Page } from 'playwright-core'
import { expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { pagesInChromium, servedPage, setLook, type OpenOptions } from '../harness/open-page.ts'

const DAY = 86_400_000
const hash = (page: Page) => new URL(page.url()).hash
const lines = (page: Page) => page.locator('#messages > .divider').allInnerTexts()

/** Two panels, as modules of the page. */
const PANEL = `[
  ...['first', 'second'].map((id) => ({
    id, title: 'The ' + id,
    async open(box, tools, item) {
      if (item === 'late') await new Promise((go) => (window.comes = go))
      box.textContent = 'Item ' + item
      const button = document.createElement('button')
      button.textContent = 'Next item'
      button.onclick = () => { box.firstChild.data = 'Item next'; tools.showItem('a/b') }
      box.append(button)
    },
    onChange(change) { if (change.type === 'played') document.getElementById('panel-box').append('Told ' + change.words) },
  })),`

const withPanels = (page: Page) =>
  page.route('**/app.js', async (route) => {
    const body = await (await route.fetch()).text()
    await route.fulfill({
      contentType: 'text/javascript',
      body: body.replace('PANELS=[', `PANELS=${PANEL}`),
    })
  })

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  async function open(options: OpenOptions & { now?: () => number } = {}) {
    const { now, ...rest } = options
    const served = await servedPage({ parts: [{ panel: 'first' }, { panel: 'second' }], ...(now && { now }) })
    return { ...served, ...(await openPage(served.url, rest)) }
  }

  test('many tabs of one browser get changes, and each keeps working', async () => {
    const { slack, url, page, complaints } = await open()
    const tabs = [page]
    for (let n = 0; n < 6; n++) {
      const tab = await page.context().newPage()
      tab.on('pageerror', (error) => complaints.push(error.message))
      await tab.goto(`${url}/?as=bob`)
      tabs.push(tab)
    }
    const last = tabs.at(-1) ?? page
    await last.getByRole('textbox', { name: /^Message/ }).fill('from the last tab')
    await last.keyboard.press('Enter')
    for (const tab of tabs) await tab.getByRole('log').getByText('from the last tab').waitFor()
    expect(slack.messages(GENERAL).at(-1)).toMatchObject({ user: BOB, text: 'from the last tab' })
  })

  test('Back and Forward move between places, and a reload stays there, with the drafts', async () => {
    const { page, slack, box, reply, main, thread } = await open()
    const { ts } = await slack.say({ text: 'a root' })
    await main.getByRole('button', { name: 'Reply in thread' }).click()
    await expect.poll(() => hash(page)).toBe(`#general/${ts}`)
    await box.fill('begun here')
    await reply.fill('begun in the thread')
    await page.reload()
    await thread.getByText('a root').waitFor()
    expect([await box.inputValue(), await reply.inputValue()]).toEqual(['begun here', 'begun in the thread'])
    await thread.getByRole('button', { name: 'Close thread' }).click()
    await page.getByRole('button', { name: 'random' }).click()
    await page.getByRole('button', { name: 'Thinkaloud', exact: true }).click()
    await page.getByRole('button', { name: 'Home', exact: true }).click()
    await expect.poll(() => hash(page)).toBe('#dm/home')
    await page.reload()
    await page.getByRole('region', { name: 'Home of the app' }).waitFor()
    await page.goBack()
    await box.waitFor()
    await expect.poll(() => hash(page)).toBe('#dm')
    await page.goBack()
    await page.getByRole('heading', { name: '# random' }).waitFor()
    await page.goBack()
    await page.goBack()
    await thread.getByText('a root').waitFor()
    await page.goForward()
    await thread.waitFor({ state: 'hidden' })
    await expect.poll(() => hash(page)).toBe('#general')
  })

  test('a shared address shows the thread, as the person it names; its unknown parts are ignored', async () => {
    const { slack, url, page, thread, main } = await open({ at: '#nowhere/1.000001/no-panel/%E0%A4' })
    await expect.poll(() => hash(page)).toBe('#general')
    await page.goto(`${url}/#random`)
    await page.getByRole('heading', { name: '# random' }).waitFor()
    const { ts } = await slack.say({ channel: RANDOM, text: 'shared with you' })
    await page.goto(`${url}/?as=bob#random/${ts}`)
    await thread.getByText('shared with you').waitFor()
    await main.getByRole('heading', { name: '# random' }).waitFor()
    await expect.poll(() => page.url()).toBe(`${url}/?as=bob#random/${ts}`)
    await thread.getByRole('textbox', { name: 'Reply in thread' }).fill('of Bob')
    await page.keyboard.press('Enter')
    await thread.getByText('of Bob').waitFor()
    expect(slack.messages(RANDOM).at(-1)).toMatchObject({ user: BOB, thread_ts: ts })
  })

  test('a channel and a thread show what is new, and who is mentioned, but not what opens by itself', async () => {
    const { page, slack, box, call, main, thread } = await open()
    await slack.say({ channel: RANDOM, user: BOB, text: 'for all' })
    await page.getByRole('button', { name: 'random, unread', exact: true }).waitFor()
    const { ts } = await slack.say({ channel: RANDOM, user: BOB, text: `for <@${ALICE}>` })
    await page.getByRole('button', { name: 'random, unread, 1 for you' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'random, unread, 1 for you' }).click()
    await expect.poll(() => lines(page)).toEqual(['Today', 'New'])
    await main.getByText('for all').waitFor()
    await page.getByRole('button', { name: 'random', exact: true }).waitFor()
    await box.fill('read')
    await box.press('Enter')
    await main.getByText('read', { exact: true }).waitFor()
    await expect.poll(() => lines(page)).toEqual(['Today'])
    await slack.say({ channel: RANDOM, text: 'mine', thread_ts: ts })
    await main.getByRole('button', { name: /^1 reply/ }).waitFor()
    await slack.say({ channel: RANDOM, user: BOB, text: 'theirs', thread_ts: ts })
    await main.getByRole('button', { name: /^2 replies · 1 new/ }).click()
    await main.getByRole('button', { name: '2 replies · Last reply just now' }).waitFor()
    await page.getByRole('button', { name: 'general' }).click()
    const { ts: thread_ts } = await slack.say({ text: 'Who?' })
    await call('chat.postMessage', { text: 'the first answer', thread_ts })
    await thread.getByText('the first answer').waitFor()
    await expect.poll(() => thread.getByText('New', { exact: true }).count()).toBe(0)
    await thread.getByRole('button', { name: 'Close thread' }).click()
    await call('chat.postMessage', { text: 'the second answer', thread_ts })
    await main.getByRole('button', { name: /^2 replies · 1 new/ }).click()
    await thread.getByText('New', { exact: true }).waitFor()
  })

  test('separators show the days, and a root the time of its last reply; a message without a mention gets a hint, once', async () => {
    let now = Date.now() - 40 * DAY
    const { page, slack, box, main } = await open({ now: () => now })
    const { ts } = await slack.say({ text: 'long ago' })
    now = Date.now() - DAY
    await slack.say({ user: BOB, text: 'yesterday' })
    now = Date.now() - 2 * 3_600_000
    await slack.say({ user: BOB, text: 'late', thread_ts: ts })
    now = Date.now()
    await slack.say({ text: 'now' })
    await main.getByText('now', { exact: true }).waitFor()
    const days = async () => (await lines(page)).filter((one) => one !== 'New')
    await expect
      .poll(days)
      .toEqual([
        expect.stringMatching(/^[A-Z][a-z]+day, [A-Z][a-z]+ \d+(?:st|nd|rd|th)(?:, \d{4})?$/),
        'Yesterday',
        'Today',
      ])
    await main.getByRole('button', { name: /^1 reply · .*Last reply 2 hours ago/ }).waitFor()
    const sent = slack.messages(GENERAL).length
    await box.fill('Who wrote Dune?')
    await box.press('Enter')
    const hint = page.getByText('because it does not mention @thinkaloud')
    await hint.waitFor()
    await page.getByRole('button', { name: 'Close notice' }).click()
    await box.fill('And who else?')
    await box.press('Enter')
    await expect.poll(() => slack.messages(GENERAL).length).toBe(sent + 2)
    await page.getByRole('log', { name: 'Messages' }).getByText('And who else?').waitFor()
    expect(await hint.isVisible()).toBe(false)
  })

  test('a panel opens, is part of the address with its item, and is not drawn over another one', async () => {
    const { page, axe } = await open({ before: withPanels, at: '#random/first/7' })
    const panel = page.getByRole('complementary', { name: 'The first' })
    await panel.getByText('Item 7').waitFor()
    await panel.getByRole('button', { name: 'Next item' }).click()
    await expect.poll(() => hash(page)).toBe('#random/first/a%2Fb')
    await page.reload()
    await panel.getByText('Item a/b').waitFor()
    expect(await axe()).toEqual([])
    await page.getByRole('button', { name: 'The second' }).click()
    await page.getByRole('complementary', { name: 'The second' }).waitFor()
    await page.goBack()
    await panel.getByText('Item a/b').waitFor()
    await page.getByRole('button', { name: 'Close panel' }).click()
    await panel.waitFor({ state: 'hidden' })
    await expect.poll(() => hash(page)).toBe('#random')
    await page.goto(`${page.url().split('#')[0]}#random/first/late`)
    await panel.waitFor()
    await page.getByRole('button', { name: 'The second' }).click()
    const second = page.getByRole('complementary', { name: 'The second' })
    await second.getByText('Item').waitFor()
    await page.evaluate('comes()')
    // Lets the page finish its pending work before the next event.
    await page.evaluate('new Promise((done) => setTimeout(done))')
    await expect.poll(() => second.getByText('Item late').count()).toBe(0)
    await expect.poll(() => second.getByText('Item').count()).toBe(1)
  })

  test('the focus stays at a message whose button disappears, and moves on from a message that disappears', async () => {
    const { page, main, call } = await open()
    const text = { type: 'plain_text', text: 'Go' }
    const blocks = [{ type: 'actions', elements: [{ type: 'button', action_id: 'go', text, style: 'primary' }] }]
    await call('chat.postMessage', { text: 'stays' })
    const { ts } = await call('chat.postMessage', { text: 'x', blocks })
    await main.getByRole('button', { name: 'Go' }).focus()
    await call('chat.update', { ts, text: 'gone through', blocks: [{ type: 'section', text }] })
    await expect.poll(() => page.locator('.message:focus').getAttribute('data-ts')).toBe(ts)
    await call('chat.delete', { ts })
    await page.locator('.message:focus').getByText('stays').waitFor()
  })

  test('Escape closes a panel and restores the focus; on a small phone a panel is behind a button and covers all', async () => {
    const { page, box, axe } = await open({ before: withPanels })
    const button = page.getByRole('button', { name: 'The first' })
    const panel = page.getByRole('complementary', { name: 'The first' })
    await button.press('Enter')
    await panel.getByRole('button', { name: 'Next item' }).focus()
    await page.keyboard.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await expect.poll(() => page.locator(':focus').innerText()).toBe('The first')
    await button.press('Enter')
    await panel.waitFor()
    await box.press('Escape')
    await expect.poll(() => panel.isVisible()).toBe(true)
    await button.press('Escape')
    await panel.waitFor({ state: 'hidden' })
    await setLook(page, { viewport: { width: 320, height: 640 } })
    const menu = page.getByRole('button', { name: 'Panels' })
    await expect.poll(() => page.getByRole('button', { name: 'The first' }).isVisible()).toBe(false)
    await menu.press('Enter')
    await page.getByRole('button', { name: 'The first' }).waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('Escape')
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('false')
    await menu.press('Enter')
    for (let presses = 0; presses < 3; presses++) await page.keyboard.press('Tab')
    await expect.poll(() => menu.getAttribute('aria-expanded')).toBe('false')
    await menu.click()
    await page.getByRole('button', { name: 'The first' }).click()
    await page.getByRole('main', { name: 'The first' }).waitFor()
    await expect.poll(() => page.getByRole('main').count()).toBe(1)
    expect(await axe()).toEqual([])
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await page.getByRole('button', { name: 'Close panel' }).click()
    await page.getByRole('main', { name: '# general' }).waitFor()
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Panels')
  })
})
