/**
 * People's actions on messages: editing and deleting their own, reacting, replying; by mouse, by keyboard and on a
 * phone.
 */
import { expect, test } from 'vitest'
import { ALICE, BOB, GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { pagesInChromium, servedPage, type OpenOptions } from '../harness/open-page.ts'

const post = async (url: string, path: string, body: object) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, ...((await response.json()) as { error?: string }) }
}

test('the page’s server changes and deletes only what the person wrote', async () => {
  const { slack, url } = await servedPage()
  const { ts } = await slack.say({ user: BOB, text: 'Bob’s' })
  const joined = await slack.people
    .join({ channel: GENERAL, user: ALICE })
    .then(() => slack.messages(GENERAL).at(-1)?.ts)
  const refused = { status: 400, error: expect.stringMatching(/^(Only your own|There is no such) message/) }
  for (const one of [ts, joined, '1.000001']) {
    expect(await post(url, 'edit', { channel: GENERAL, ts: one, text: 'mine' })).toEqual(refused)
    expect(await post(url, 'delete', { channel: GENERAL, ts: one })).toEqual(refused)
  }
  expect(await post(url, 'edit?as=bob', { channel: GENERAL, ts, text: 'still Bob’s' })).toMatchObject({ status: 200 })
  expect(slack.messages(GENERAL)[0]).toMatchObject({ text: 'still Bob’s', edited: { user: BOB } })
})

test('a typed address is sent in Slack’s form, but not inside code', async () => {
  const { slack, url } = await servedPage()
  const text =
    'See https://example.org/a?b=1&c=2, (http://x.example/y). `https://code.example` ```https://fence.example```'
  await post(url, 'say', { channel: GENERAL, text })
  const [message] = slack.messages(GENERAL)
  expect(message?.text).toBe(
    'See <https://example.org/a?b=1&amp;c=2>, (<http://x.example/y>). `https://code.example` ```https://fence.example```',
  )
  expect(JSON.stringify(message?.blocks)).toContain('{"type":"link","url":"https://example.org/a?b=1&c=2"}')
})

/** Returns a scroller's distance from its end. */
const fromEnd = (one: { scrollHeight: number; scrollTop: number; clientHeight: number }) =>
  one.scrollHeight - one.scrollTop - one.clientHeight

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  async function open(options?: OpenOptions) {
    const served = await servedPage()
    return { ...served, ...(await openPage(served.url, options)) }
  }

  test('arrow up in the empty box edits one’s own last message, which is marked, in the channel and in a thread', async () => {
    const { page, slack, box, reply, main, thread } = await open()
    const { ts } = await slack.say({ text: 'mine, with https://example.org/a' })
    await slack.say({ user: BOB, text: 'not mine' })
    await main.getByText('not mine').waitFor()
    await box.press('ArrowUp')
    const edit = page.getByRole('textbox', { name: 'Edit message' })
    await expect.poll(() => edit.inputValue()).toBe('mine, with https://example.org/a')
    await edit.fill('mine, changed')
    await edit.press('Enter')
    await main.getByText('mine, changed').waitFor()
    await expect.poll(() => main.getByText('(edited)').count()).toBe(1)
    await slack.say({ text: 'a reply of mine', thread_ts: ts })
    await main.getByRole('button', { name: /^1 reply/ }).click()
    await reply.press('ArrowUp')
    await expect.poll(() => edit.inputValue()).toBe('a reply of mine')
    await page.keyboard.press('Escape')
    await edit.waitFor({ state: 'hidden' })
    await reply.fill('not empty')
    await reply.press('ArrowUp')
    await expect.poll(() => page.getByRole('dialog').count()).toBe(0)
    await expect.poll(() => thread.getByText('(edited)').count()).toBe(1)
    // One that is grouped under the name of the one before is marked too.
    await slack.say({ text: 'the first' })
    await slack.say({ text: 'the second' })
    await main.getByText('the second').waitFor()
    await box.press('ArrowUp')
    await expect.poll(() => edit.inputValue()).toBe('the second')
    await edit.fill('the second, changed')
    await edit.press('Enter')
    const mark = main.getByRole('listitem').filter({ hasText: 'the second, changed' }).getByText('(edited)')
    await expect.poll(async () => (await mark.boundingBox())?.width).toBeGreaterThan(20)
  })

  test('only one’s own messages can be changed, and deleted after a confirmation; a root stays as one line', async () => {
    const { url, page, slack, main, thread, axe } = await open()
    await slack.say({ user: BOB, text: 'of Bob' })
    await slack.say({ text: 'of Alice' })
    const menu = async (words: string) => {
      const item = main.getByRole('listitem').filter({ hasText: words })
      await item.getByRole('button', { name: 'More actions' }).press('Enter')
      await page.locator('[role=menuitem]:focus').waitFor()
    }
    const offered = () => page.getByRole('menuitem').allInnerTexts()
    await menu('of Bob')
    await expect.poll(offered).toEqual(['Forward message', 'Ask about this message'])
    await page.keyboard.press('Escape')
    await menu('of Alice')
    await expect.poll(offered).toEqual(['Edit message', 'Delete message', 'Forward message', 'Ask about this message'])
    await page.getByRole('menuitem', { name: 'Delete message' }).click()
    const question = page.getByRole('dialog', { name: 'Delete message' })
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Cancel')
    expect(await axe()).toEqual([])
    await page.keyboard.press('Enter')
    await question.waitFor({ state: 'hidden' })
    expect(slack.messages(GENERAL)).toHaveLength(2)
    await menu('of Alice')
    await page.getByRole('menuitem', { name: 'Delete message' }).click()
    await question.getByRole('button', { name: 'Delete' }).click()
    await main.getByText('of Alice').waitFor({ state: 'detached' })
    const { ts } = await slack.say({ text: 'a root' })
    await slack.say({ text: 'a reply', thread_ts: ts })
    await post(url, 'delete', { channel: GENERAL, ts })
    const link = main.getByRole('button', { name: /^1 reply/ })
    const words = main.getByText('This message was deleted.')
    await words.waitFor()
    await expect.poll(async () => (await words.boundingBox())?.height).toBeLessThan(30)
    const between = async () => {
      const [above, below] = await Promise.all([words.boundingBox(), link.boundingBox()])
      return (below?.y ?? NaN) - ((above?.y ?? NaN) + (above?.height ?? NaN))
    }
    await expect.poll(between).toBeGreaterThanOrEqual(0)
    await link.click()
    const root = thread.getByText('This message was deleted.')
    await expect.poll(async () => (await root.boundingBox())?.height).toBeLessThan(30)
  })

  test('any emoji is picked as a reaction by search and keyboard, and removed by pressing it', async () => {
    const { page, slack, main, axe } = await open()
    const { ts } = await slack.say({ user: BOB, text: 'react to me' })
    await main.getByRole('button', { name: 'Find another reaction' }).press('Enter')
    const picker = page.getByRole('dialog', { name: 'Pick an emoji' })
    await picker.getByRole('searchbox', { name: 'Search emoji' }).fill('dango')
    await picker.getByRole('button', { name: 'dango', exact: true }).waitFor()
    expect(await axe()).toEqual([])
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('Enter')
    await main.getByRole('button', { name: 'dango, 1', pressed: true }).waitFor()
    await expect.poll(() => main.getByRole('button', { name: 'dango, 1' }).innerText()).toBe('🍡 1')
    expect(slack.messages(GENERAL).find((one) => one.ts === ts)?.reactions).toMatchObject([
      { name: 'dango', users: [ALICE] },
    ])
    await main.getByRole('button', { name: 'Add another reaction' }).click()
    await picker.waitFor()
    await page.keyboard.press('Escape')
    await picker.waitFor({ state: 'hidden' })
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Add another reaction')
    await main.getByRole('button', { name: 'dango, 1' }).click()
    await main.getByRole('button', { name: 'dango, 1' }).waitFor({ state: 'detached' })
  })

  test('an emoji’s name is completed, and every emoji of Slack is drawn', async () => {
    const { page, slack, box, main } = await open()
    await box.pressSequentially('Well done :clappi')
    await page.getByRole('option').first().waitFor({ state: 'hidden' })
    await box.fill('')
    await box.pressSequentially('Well done :thumbsu')
    await page.getByRole('option', { name: '👍 :thumbsup:' }).waitFor()
    await box.press('Tab')
    await expect.poll(() => box.inputValue()).toBe('Well done :thumbsup: ')
    await box.pressSequentially(':man-shrugging: :wave::skin-tone-4: :hearts: :flag-fr: :no_such_sign: 10:30:15')
    await box.press('Escape')
    await box.press('Enter')
    await main.getByText('Well done 👍 🤷‍♂️ 👋🏽 ♥️ 🇫🇷 :no_such_sign: 10:30:15').waitFor()
    expect(slack.messages(GENERAL).at(-1)?.text).toContain(':thumbsup: :man-shrugging:')
  })

  test('arrows move through channels and messages, and letters act on the focused message', async () => {
    const { page, slack, main, thread } = await open()
    for (const text of ['one', 'two', 'three']) await slack.say({ text })
    await main.getByText('three').waitFor()
    await page.getByRole('button', { name: 'general', exact: true }).focus()
    await page.keyboard.press('ArrowDown')
    await expect.poll(() => page.locator(':focus').innerText()).toContain('random')
    await page.locator('#scroller').focus()
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => page.locator(':focus').innerText()).toContain('three')
    await page.keyboard.press('ArrowUp')
    await expect.poll(() => page.locator(':focus').innerText()).toContain('two')
    await slack.people.react({ channel: GENERAL, ts: String(slack.messages(GENERAL)[1]?.ts), name: 'eyes', user: BOB })
    await main.getByRole('button', { name: 'eyes, 1' }).waitFor()
    await expect.poll(() => page.locator(':focus').innerText()).toContain('two')
    await page.keyboard.press('e')
    await expect.poll(() => page.getByRole('textbox', { name: 'Edit message' }).inputValue()).toBe('two')
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator(':focus').innerText()).toContain('two')
    await page.keyboard.press('t')
    await thread.getByText('two').waitFor()
  })

  test('one’s own message scrolls to the end, which is followed as it grows; others’ messages do not move a reader above', async () => {
    const { page, slack, box, main } = await open()
    const scroller = page.locator('#scroller')
    for (let i = 0; i < 12; i += 1) await slack.say({ user: BOB, text: `one\n\nmessage ${i}.` })
    await main.getByText('message 11.').waitFor()
    await expect.poll(() => scroller.evaluate(fromEnd)).toBeLessThan(2)
    await scroller.evaluate((one) => one.scrollTo(0, 0))
    await slack.say({ user: BOB, text: 'of another' })
    await main.getByText('of another').waitFor()
    expect(await scroller.evaluate((one) => one.scrollTop)).toBe(0)
    await box.fill('my own')
    await box.press('Enter')
    await main.getByText('my own').waitFor()
    await expect.poll(() => scroller.evaluate(fromEnd)).toBeLessThan(2)
    // Content may grow before the scroll event arrives.
    const toGo = await page.evaluate(`(async () => {
      const { followEnd } = await import('/scroll-end.js')
      const scroller = document.body.appendChild(document.createElement('div'))
      scroller.style = 'height: 200px; overflow: auto'
      const list = scroller.appendChild(document.createElement('div'))
      const grow = () => (list.appendChild(document.createElement('p')).style.height = '300px')
      const frame = () => new Promise((done) => requestAnimationFrame(done))
      const told = new Promise((done) => scroller.addEventListener('scroll', () => done(grow()), { once: true }))
      followEnd(scroller)
      grow()
      await told
      for (let i = 0; i < 4; i += 1) await frame()
      return scroller.scrollHeight - scroller.scrollTop - scroller.clientHeight
    })()`)
    expect(toGo).toBeLessThan(2)
  })

  test('a draft stays in its channel or thread, until it is the first reply; an input’s text stays while its message changes', async () => {
    const { page, slack, box, reply, main, thread, call } = await open()
    const { ts: root } = await slack.say({ user: BOB, text: 'a root' })
    await box.fill('for general')
    await main.getByRole('button', { name: 'Reply in thread' }).click()
    await reply.fill('for the thread')
    await page.getByRole('button', { name: 'random' }).click()
    await expect.poll(() => box.inputValue()).toBe('')
    await box.fill('for random')
    await page.getByRole('button', { name: 'general' }).click()
    await expect.poll(() => box.inputValue()).toBe('for general')
    await main.getByRole('button', { name: 'Reply in thread' }).click()
    await expect.poll(() => reply.inputValue()).toBe('for the thread')
    expect(slack.messages(RANDOM)).toEqual([])
    await reply.fill('the first reply')
    await reply.press('Enter')
    await thread.getByText('the first reply').waitFor()
    await main.getByRole('button', { name: '1 reply · Last reply just now' }).waitFor()
    expect(slack.messages(GENERAL).at(-1)).toMatchObject({ thread_ts: root, user: ALICE })
    const blocks = (words: string) => [
      { type: 'section', text: { type: 'mrkdwn', text: words } },
      {
        ...{ type: 'input', block_id: 'why', label: { type: 'plain_text', text: 'Why' } },
        element: { type: 'plain_text_input', action_id: 'why' },
      },
    ]
    const { ts } = await call('chat.postMessage', { text: 'x', blocks: blocks('before') })
    await main.getByRole('textbox', { name: 'Why' }).fill('because')
    await page.keyboard.press('ArrowLeft')
    await call('chat.update', { ts, text: 'x', blocks: blocks('after') })
    await main.getByText('after').waitFor()
    await page.keyboard.type('!')
    await expect.poll(() => main.getByRole('textbox', { name: 'Why' }).inputValue()).toBe('becaus!e')
    expect(slack.refusals).toEqual([])
  })
})
