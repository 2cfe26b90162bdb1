import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { ROOT } from '../../src/base/package-root.ts'
import { startPlayground, type Playground } from '../../playground/main.ts'
import { ALICE, BOB, BOT_USER, RANDOM } from '../../playground/slack/slack.ts'
import { showConversation } from '../../playground/bot/show-conversation.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { pagesInChromium, setLook, type Look, type OpenOptions } from '../harness/open-page.ts'

let playground: Playground
beforeAll(async () => {
  playground = await startPlayground({ PLAYGROUND_PORT: '0' })
})
afterAll(() => playground.stop())

/** Sends a request to the page's server with custom headers. */
function ask(
  path: string,
  options: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<{ status: number; body: string; headers: Record<string, unknown> }> {
  const { port } = new URL(playground.url)
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path,
        method: options.method ?? 'GET',
        headers: { host: `localhost:${port}`, ...options.headers },
      },
      (response) => {
        let body = ''
        response.on('data', (chunk) => (body += String(chunk)))
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body, headers: response.headers }))
      },
    )
    asked.on('error', reject).end(options.body)
  })
}

describe('the page’s server', () => {
  const say = (headers: Record<string, string>, body: object = { channel: RANDOM, text: 'hi' }) =>
    ask('/say', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify(body),
    })

  test('answers only to its own names, so that DNS rebinding cannot reach it', async () => {
    const { port } = new URL(playground.url)
    expect((await ask('/state')).status).toBe(200)
    expect((await ask('/state', { headers: { host: `127.0.0.1:${port}` } })).status).toBe(200)
    for (const host of ['evil.example', `evil.example:${port}`, `localhost:${Number(port) + 1}`])
      expect((await ask('/state', { headers: { host } })).status, host).toBe(403)
  })

  test('accepts posts only from its own page, in JSON', async () => {
    expect((await say({ origin: 'https://evil.example' })).status).toBe(403)
    expect((await say({ 'content-type': 'text/plain' })).status).toBe(403)
    expect((await ask('/say', { method: 'PUT' })).status).toBe(403)
    expect((await say({ origin: playground.url })).status).toBe(200)
    expect((await say({}, { channel: RANDOM })).status).toBe(400)
    expect(
      (await ask('/dance', { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' })).status,
    ).toBe(404)
  })

  test('serves only its own files, under a strict policy', async () => {
    const index = await ask('/')
    expect(index.headers['content-security-policy']).toMatch(/default-src 'none'.*script-src 'self'/)
    for (const path of [
      '/../slack.ts',
      '/%2e%2e/slack.ts',
      '/main.ts',
      '/nothing.js',
      '/screenshot.png',
      '/methods/index.ts',
    ])
      expect((await ask(path)).status, path).toBe(404)
  })

  test('says what is simulated and what is real, and which model is in use', async () => {
    const state = JSON.parse((await ask('/state')).body) as Record<string, unknown>
    expect(state).toMatchObject({ model: 'demo', isDemo: true, you: ALICE, bot: BOT_USER })
    expect(playground.notes.join('\n')).toMatch(
      /Model: the built-in demo[\s\S]*Simulated: Slack[\s\S]*Simulated: Wikipedia[\s\S]*Real: the bot/,
    )
  })

  test('does not show other people’s ephemeral messages', async () => {
    const channel = playground.slack.store.channel(RANDOM)
    playground.slack.store.sendEphemeral(channel, { user: BOB, text: 'for Bob' })
    expect((await ask('/state')).body).not.toContain('for Bob')
  })

  test('a port in use leads to a message', async () => {
    const { port } = new URL(playground.url)
    const sentence = `Port ${port} is in use. Set PLAYGROUND_PORT to a free one.`
    await expect(startPlayground({ PLAYGROUND_PORT: port })).rejects.toThrow(sentence)
    const recorded = join(ROOT, 'test/conversations/mention-with-steps.json')
    await expect(showConversation(recorded, { PLAYGROUND_PORT: Number(port) })).rejects.toThrow(sentence)
  })
})

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()
  const open = (options: OpenOptions = {}) => openPage(playground.url, options)

  /** Posts a message of the bot through its Web API. */
  async function post(args: Record<string, unknown>) {
    const { slack } = playground
    const headers = { authorization: `Bearer ${slack.botToken}`, 'content-type': 'application/json' }
    const response = await fetch(`${slack.apiUrl}chat.postMessage`, {
      method: 'POST',
      headers,
      body: JSON.stringify({ channel: RANDOM, ...args }),
    })
    return (await response.json()) as { ts: string }
  }

  test('a typed question shows its steps and answer in the thread, as a follow-up does; a direct message needs no mention', async () => {
    const { box, thread, reply, page } = await open()
    await box.pressSequentially('@thi')
    await page.getByRole('option', { name: '@thinkaloud' }).waitFor()
    await box.press('Enter')
    await box.pressSequentially('Who was Alan Turing?')
    await box.press('Enter')
    await thread.getByText('English mathematician').first().waitFor()
    await thread.getByText('I look up Alan Turing').waitFor()
    await thread.getByRole('button', { name: 'Show work' }).first().waitFor()
    await expect
      .poll(() => thread.getByRole('listitem').first().innerText())
      .toContain('@Thinkaloud Who was Alan Turing?')
    await reply.fill('and who was his brother?')
    await reply.press('Enter')
    await thread.getByText('Understood as').waitFor()
    await thread.getByRole('button', { name: 'Show work' }).nth(1).waitFor()
    await expect.poll(() => thread.innerText()).toContain('John Ferrier Turing')
    await page.getByRole('button', { name: 'Thinkaloud', exact: true }).click()
    await expect.poll(() => box.getAttribute('aria-label')).toBe('Message Thinkaloud')
    await box.fill('What is 12 squared?')
    await box.press('Enter')
    await thread.getByText(/= 144/).waitFor()
    // Meanwhile another channel shows that it has new messages.
    await playground.slack.say({ channel: RANDOM, user: BOB, text: 'anybody here?' })
    await page.getByRole('button', { name: 'random, unread' }).click()
    await page.getByText('anybody here?').waitFor()
    await expect
      .poll(() => page.getByRole('button', { name: 'random', exact: true }).getAttribute('aria-current'))
      .toBe('page')
    expect(playground.slack.refusals).toEqual([])
  })

  test('/ask opens its own thread, and without a question it shows help privately; the keyboard is enough', async () => {
    const { page, box, thread, reply } = await open({ at: '#random' })
    await box.fill('/ask')
    await box.press('Enter')
    await page.getByText('Only visible to you').first().waitFor()
    await box.fill('/ask What is 6*7?')
    await box.press('Enter')
    await thread.getByText(/= 42/).waitFor()
    await box.fill('/dance')
    await box.press('Enter')
    await page.getByText('/dance is not a valid command.').waitFor()
    await box.fill('a line')
    await box.press('Shift+Enter')
    await expect.poll(() => box.inputValue()).toBe('a line\n')
    await box.fill('@')
    await page.getByRole('option').first().waitFor()
    await box.press('ArrowDown')
    await box.press('Tab')
    await expect.poll(() => box.inputValue()).toBe('@bob ')
    await box.fill('@thi')
    await page.getByRole('option').first().waitFor()
    await box.press('Escape')
    await expect.poll(() => page.getByRole('option').count()).toBe(0)
    await page.getByRole('main').getByRole('button', { name: /repl/i }).first().press('Enter')
    await reply.waitFor()
    await reply.press('Escape')
    await thread.waitFor({ state: 'hidden' })
  })

  test('questions and answers are text, never markup; reactions, edits, deletions and the status appear as they happen', async () => {
    const { page, box } = await open({ at: '#random' })
    const nasty = '<img src=x onerror=alert(1)> *bold* & `<b>`'
    await box.fill(nasty)
    await box.press('Enter')
    await page.getByText('<img src=x onerror=alert(1)>').waitFor()
    await post({
      text: 'x',
      blocks: [
        { type: 'markdown', text: '<script>alert(1)</script> [click](javascript:alert(1)) **strong**' },
        { type: 'section', text: { type: 'mrkdwn', text: '<javascript:alert(1)|click me>' } },
      ],
    })
    await page.getByText('<script>alert(1)</script>').waitFor()
    const main = page.getByRole('main')
    await expect.poll(() => main.locator('img[src="x"], script, a[href^="javascript"]').count()).toBe(0)
    await expect.poll(() => main.locator('strong', { hasText: 'bold' }).count()).toBe(1)
    const { slack } = playground
    const { ts } = await slack.say({ channel: RANDOM, user: BOB, text: 'first words' })
    const item = main.getByRole('listitem').filter({ hasText: /first words|other words/ })
    await item.waitFor()
    await slack.people.react({ channel: RANDOM, ts, name: 'tada', user: BOB })
    await item.getByRole('button', { name: 'tada, 1' }).click()
    await item.getByRole('button', { name: 'tada, 2', pressed: true }).waitFor()
    await slack.people.edit({ channel: RANDOM, ts }, 'other words')
    await item.getByText('(edited)').waitFor()
    await slack.people.remove({ channel: RANDOM, ts })
    await item.waitFor({ state: 'detached' })
    const channel = slack.store.channel(RANDOM)
    const { ts: root } = await slack.say({ channel: RANDOM, text: 'hello' })
    slack.store.setStatus(channel, root, 'is thinking …')
    await page.getByRole('complementary').getByText('Thinkaloud is thinking …').waitFor()
    // The test's page requests reduced motion.
    expect(await page.evaluate('document.getAnimations().length')).toBe(0)
    slack.store.setStatus(channel, root, '')
    await page.getByRole('complementary').getByText('Thinkaloud is thinking …').waitFor({ state: 'detached' })
  })

  test('blocks look as they do in Slack', async () => {
    const { page } = await open({ at: '#random' })
    const plain = (text: string) => ({ type: 'plain_text', text })
    await post({
      text: 'x',
      blocks: [
        { type: 'header', text: plain('Title here') },
        {
          type: 'section',
          text: {
            type: 'mrkdwn',
            text: `*b* _i_ ~s~ \`c\` <@${ALICE}> <https://example.org/a|a link>\n> quoted\n\`\`\`fenced *not bold*\`\`\``,
          },
        },
        { type: 'context', elements: [{ type: 'mrkdwn', text: '3 steps :eyes:' }] },
        { type: 'divider' },
        {
          type: 'markdown',
          text: '## Heading\n\n1. one\n2. two\n\n- a\n  - b\n\n| h |\n|---|\n| cell |\n\n```js\nconst x = 1\n```\n\n> *wise*',
        },
        {
          type: 'rich_text',
          elements: [
            {
              type: 'rich_text_list',
              style: 'bullet',
              elements: [
                { type: 'rich_text_section', elements: [{ type: 'text', text: 'rich', style: { bold: true } }] },
              ],
            },
          ],
        },
        {
          type: 'actions',
          elements: [{ type: 'button', action_id: 'go', text: plain('Go'), style: 'primary', value: '1' }],
        },
        {
          type: 'context_actions',
          elements: [
            {
              type: 'feedback_buttons',
              action_id: 'vote',
              positive_button: { text: plain('Good'), value: 'y' },
              negative_button: { text: plain('Bad'), value: 'n' },
            },
          ],
        },
      ],
    })
    const item = page.getByRole('main').getByRole('listitem').filter({ hasText: 'Title here' })
    await item.waitFor()
    for (const [tag, text] of Object.entries({
      strong: 'b',
      em: 'i',
      s: 's',
      code: 'c',
      blockquote: 'quoted',
      pre: 'fenced *not bold*',
      td: 'cell',
      'ol > li': 'two',
      'ul ul li': 'b',
    }))
      await expect.poll(() => item.locator(tag, { hasText: text }).count(), { message: tag }).toBeGreaterThan(0)
    await expect.poll(() => item.getByRole('link', { name: 'a link' }).getAttribute('rel')).toContain('noopener')
    await expect.poll(() => item.innerText()).toContain('3 steps 👀')
    await item.getByRole('button', { name: 'Good' }).click()
    await expect.poll(() => item.getByRole('button', { name: 'Good' }).getAttribute('aria-pressed')).toBe('true')
  })

  test('an empty channel offers questions, which fill the box; one about a file brings its sample, once, and is answered', async () => {
    playground.slack.addChannel('C0EMPTY0001', { name: 'empty' })
    const { page, box } = await open({ at: '#empty' })
    const questions = page.getByRole('list', { name: 'Questions to try' })
    await questions.getByRole('button', { name: 'What is 15%' }).click()
    await expect.poll(() => box.inputValue()).toBe('@thinkaloud What is 15% of 240, and half of it?')
    const files = page.getByRole('list', { name: 'Files to send' }).getByRole('listitem')
    for (const name of ['sales.csv', 'handbook.pdf', 'handbook.pdf']) {
      await questions.getByRole('button', { name }).click()
      await files.getByText(name).waitFor()
    }
    await expect.poll(() => files.count()).toBe(1)
    await box.press('Enter')
    const { slack } = playground
    const answers = () => {
      const [root] = slack.messages('C0EMPTY0001')
      return root ? slack.replies('C0EMPTY0001', root.ts).map((one) => slack.shown(one)) : []
    }
    await slack.until(() => answers().some((text) => /Everyone has 30 days/.test(text)), 'the answer')
  })

  const LOOKS: Look[] = [
    {},
    { colorScheme: 'dark' },
    { viewport: { width: 320, height: 640 } },
    { viewport: { width: 390, height: 780 } },
  ]
  test('axe finds nothing in any look; on a phone the channels are behind a button, and a thread covers the channel', async () => {
    const { page, box, main, thread, axe } = await open()
    await main.getByRole('button', { name: /repl/i }).first().click()
    await thread.waitFor()
    for (const look of LOOKS) {
      await setLook(page, look)
      if (look.viewport && (await thread.isVisible()))
        await thread.getByRole('button', { name: 'Close thread' }).click()
      expect(await axe(), JSON.stringify(look)).toEqual([])
      await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    }
    await page.getByRole('button', { name: 'Channels' }).click()
    await page.getByRole('button', { name: 'random' }).click()
    await expect.poll(() => box.getAttribute('aria-label')).toBe('Message #random')
    await main.getByRole('button', { name: /repl/i }).first().click()
    await thread.getByRole('button', { name: 'Close thread' }).click()
    await thread.waitFor({ state: 'hidden' })
  })

  test('it says when the playground has stopped', async () => {
    const own = await startPlayground({ PLAYGROUND_PORT: '0' })
    const { page, complaints } = await openPage(own.url)
    await own.stop()
    await page.getByText('The playground has stopped').waitFor()
    // The page keeps reconnecting, and the browser complains each time.
    await page.close()
    complaints.splice(0)
  })
})
