/** The panel "Under the hood" in Chromium: what a person can see and do. */
import { expect, onTestFinished, test } from 'vitest'
import { inspectorPart } from '../../playground/journal/inspector-part.ts'
import { createJournal } from '../../playground/journal/journal.ts'
import { startModelEndpoint } from '../../playground/model/model-endpoint.ts'
import { startPage } from '../../playground/page-server/page-server.ts'
import { GENERAL, RANDOM } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { localSlack } from '../harness/local-slack.ts'
import { NOTES, openPanel, pagesInChromium, setLook, type Look } from '../harness/open-page.ts'
import { longestTask } from '../harness/page-tasks.ts'
import { doCurl } from '../harness/shell-curl.ts'
import { callSlack } from '../harness/slack-calls.ts'

describeWithChromium('the panel Under the hood', () => {
  const openPage = pagesInChromium()

  /** Opens a page with the panel, for a journal that the test writes to. `before` runs before the page is loaded. */
  async function open(options: { before?: (journal: ReturnType<typeof createJournal>) => void } = {}) {
    const { before } = options
    const journal = createJournal()
    before?.(journal)
    const slack = await localSlack({ echo: false, ackMs: 50, retryMs: [], journal })
    let answers = 0
    const upstream = {
      models: () => Promise.resolve(['m']),
      async *complete() {
        answers += 1
        yield { text: `Answer ${answers}.\nNext line.` }
      },
    }
    const model = await startModelEndpoint({ upstream, journal })
    onTestFinished(model.close)
    const runTool = (_: string, input: unknown) => Promise.resolve({ text: `${String(input)} = 42` })
    const served = await startPage(slack, {
      port: 0,
      notes: NOTES,
      parts: [inspectorPart({ journal, slack, modelUrl: model.url, runTool })],
    })
    onTestFinished(served.close)
    const { page, axe: axeOn } = await openPage(served.url)
    await openPanel(page, 'Under the hood')
    const grid = page.getByRole('grid', { name: 'Recorded traffic' })
    const entry = page.getByRole('region', { name: 'Entry' })
    const rows = grid.locator('.inspector-rows [role=row]')
    const count = (text: string) => page.locator('.inspector-count').getByText(text, { exact: true }).waitFor()
    const ask = () =>
      fetch(`${model.url}/chat/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'm', messages: [{ role: 'user', content: 'Hello' }] }),
      }).then((answer) => answer.text())
    const axe = () => axeOn('#panel')
    return { page, slack, journal, grid, rows, entry, count, ask, axe, served }
  }

  const LOOKS: Look[] = [{}, { colorScheme: 'dark' }, { viewport: { width: 320, height: 700 } }]

  const note = (journal: ReturnType<typeof createJournal>, n: number) => {
    for (let i = 0; i < n; i++)
      journal.note({
        kind: 'call',
        name: 'api.test',
        ms: i,
        ok: i % 1_000 !== 7,
        request: { args: { i } },
        response: { body: { ok: true } },
      })
  }

  test('entries appear in order, with their kind, thread, time and result, accessible in light, in dark and on a phone', async () => {
    const { page, rows, entry, slack, axe, ask, journal, count } = await open()
    const { ts } = await slack.say({ text: 'Which moons?' })
    await callSlack(slack, 'chat.postMessage', { thread_ts: ts, text: 'Two.' })
    await callSlack(slack, 'reactions.add', { timestamp: ts, name: '' })
    await ask()
    await count('4')
    const line = (text: string) => text.replace(/^[\d:.]+/, '').replace(/\d+ ms|\d+\.\d s/, ' T ')
    await expect
      .poll(async () => (await rows.allTextContents()).map(line))
      .toEqual([
        'Eventmessage#general Which moons? T no ack in time',
        'Web APIchat.postMessage#general Which moons? T ok',
        expect.stringMatching(/^Web APIreactions\.add#general Which moons\? T invalid_/),
        'Modelm T ok',
      ])
    const tool = journal.begin({ kind: 'tool', name: 'search', request: {} })
    await rows.nth(4).getByText('under way').waitFor()
    journal.end(tool, { ok: true, response: {} })
    await rows.nth(4).getByText('ok').waitFor()
    for (const isOpen of [false, true]) {
      if (isOpen) await rows.first().click()
      if (isOpen) await entry.getByRole('heading').waitFor()
      for (const look of LOOKS) {
        await setLook(page, look)
        expect(await axe(), JSON.stringify({ isOpen, look })).toEqual([])
        await expect
          .poll(() => page.evaluate(`document.getElementById('panel').getBoundingClientRect().right <= innerWidth`))
          .toBe(true)
      }
    }
  })

  test('the list follows the newest entry, stays where one reads, returns by a button, and is read by keyboard alone', async () => {
    const { grid, rows, entry, journal, page, count } = await open({ before: (journal) => note(journal, 200) })
    await count('200')
    const atEnd = () => grid.evaluate((one) => one.scrollHeight - one.scrollTop - one.clientHeight < 2)
    await page.locator('.inspector-row[aria-rowindex="201"]').waitFor({ state: 'attached' })
    journal.note({ kind: 'fault', name: 'first news', request: {} })
    await rows.getByText('first news').waitFor()
    await expect.poll(atEnd).toBe(true)
    await grid.evaluate((one) => one.scrollTo(0, 1_400))
    await page.locator('.inspector-row[aria-rowindex="52"]').waitFor({ state: 'attached' })
    note(journal, 3)
    await page.getByRole('button', { name: '3 new' }).waitFor()
    await expect.poll(() => grid.evaluate((one) => one.scrollTop)).toBe(1_400)
    await page.getByRole('button', { name: '3 new' }).click()
    await page.locator('.inspector-row[aria-rowindex="205"]').waitFor({ state: 'attached' })
    await expect.poll(atEnd).toBe(true)
    await expect.poll(() => page.getByRole('button', { name: /new|Newest/ }).count()).toBe(0)
    // Arrows, ends and pages move, Enter opens, Escape leads back.
    await grid.focus()
    const active = () => grid.getAttribute('aria-activedescendant')
    for (const [key, n] of [
      ['ArrowUp', 204],
      ['ArrowUp', 203],
      ['Home', 1],
      ['ArrowDown', 2],
      ['End', 204],
    ] as const) {
      await page.keyboard.press(key)
      await expect.poll(() => active(), { message: key }).toBe(`inspector-row-${n}`)
    }
    await page.keyboard.press('PageUp')
    await expect.poll(async () => Number((await active())?.slice('inspector-row-'.length))).toBeLessThan(202)
    await page.keyboard.press('Home')
    await page.keyboard.press('Enter')
    await entry.getByRole('heading', { name: '1. Web API: api.test' }).waitFor()
    await expect.poll(() => page.evaluate(`document.activeElement.tagName`)).toBe('H3')
    await page.keyboard.press('Escape')
    await expect.poll(() => active()).toBe('inspector-row-1')
  })

  test('the list is filtered by kind, by words, by failures, and by the open thread', async () => {
    const { page, slack, rows, ask, count } = await open()
    const { ts: first } = await slack.say({ text: 'First thread' })
    const { ts: second } = await slack.say({ text: 'Second thread' })
    await callSlack(slack, 'chat.postMessage', { thread_ts: first, text: 'reply with a needle' })
    await callSlack(slack, 'chat.postMessage', { thread_ts: second, text: 'reply two' })
    await callSlack(slack, 'chat.postMessage', { text: '' })
    await ask()
    await count('6')
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('Web API')
    await count('3 of 6')
    await page.getByRole('checkbox', { name: 'Only failures' }).check()
    await count('1 of 6')
    await rows.getByText('no_text').waitFor()
    await page.getByRole('checkbox', { name: 'Only failures' }).uncheck()
    await page.getByRole('combobox', { name: 'Kind' }).selectOption('All kinds')
    await page.getByRole('searchbox', { name: 'Words' }).fill('a NEEDLE')
    await count('1 of 6')
    await callSlack(slack, 'chat.postMessage', { thread_ts: second, text: 'another needle: a needle' })
    await count('2 of 7')
    await page.getByRole('searchbox', { name: 'Words' }).fill('')
    await count('7')
    await page.getByRole('checkbox', { name: 'This thread' }).check()
    // The bot's last reply has opened its thread.
    await count('3 of 7')
    const main = page.getByRole('main')
    await main
      .getByRole('listitem')
      .filter({ hasText: 'First thread' })
      .getByRole('button', { name: '1 reply' })
      .click()
    await count('2 of 7')
    await page.getByRole('button', { name: 'Close thread' }).click()
    await count('No thread is open')
    await expect.poll(() => rows.count()).toBe(0)
  })

  test('an entry opens by a click, leads to its thread, is copied as curl, or says why it cannot be sent again', async () => {
    const { page, slack, journal, rows, entry, count } = await open()
    await callSlack(slack, 'chat.postMessage', { text: 'two\nlines' })
    await rows.first().click()
    await entry.getByRole('heading', { name: '1. Web API: chat.postMessage' }).waitFor()
    const request = () => entry.getByLabel('Request').textContent()
    await expect.poll(request).toMatch(/^POST \/api\/chat\.postMessage\n[^]*authorization: Bearer \$SLACK_BOT_TOKEN/)
    await expect.poll(request).toContain('"text": "two\\n\nlines"')
    await expect.poll(() => entry.getByLabel('Response').textContent()).toMatch(/^status 200[^]*"ok": true/)
    await expect.poll(() => rows.first().getAttribute('aria-selected')).toBe('true')
    await page.keyboard.press('Escape')
    await entry.waitFor({ state: 'hidden' })
    await expect.poll(() => page.evaluate(`document.activeElement.getAttribute('role')`)).toBe('grid')
    const { ts } = await slack.say({ channel: RANDOM, text: 'Elsewhere' })
    await callSlack(slack, 'chat.postMessage', { channel: RANDOM, thread_ts: ts, text: 'A reply' })
    await rows.nth(2).click()
    await entry.getByRole('button', { name: 'Open thread #random Elsewhere' }).click()
    await page.getByRole('complementary', { name: 'Thread' }).getByText('A reply').waitFor()
    journal.note({ kind: 'fault', name: 'Redis gone', request: { is: 'on' } })
    await rows.nth(3).click()
    await entry.getByText('It cannot be sent again. This was never sent.').waitFor()
    await expect.poll(() => entry.getByRole('button').allTextContents()).toEqual(['✕'])
    await callSlack(slack, 'chat.postMessage', { text: "It's" })
    await rows.nth(4).click()
    await entry.getByRole('button', { name: 'Copy as curl' }).click()
    const said = await entry.getByText('Copied. It reads the token from your shell').innerText()
    const [, token] = /export SLACK_BOT_TOKEN=(\S+)$/.exec(said) ?? []
    const copied = String(await page.evaluate(`navigator.clipboard.readText()`))
    await entry.getByText('As curl', { exact: true }).click()
    await expect.poll(() => entry.getByLabel('As curl').textContent()).toBe(copied)
    expect(await (await doCurl(copied, { SLACK_BOT_TOKEN: String(token) })).json()).toMatchObject({ ok: true })
    await count('6')
  })

  test('a call, a delivery, a tool and a model are asked again: each refers to the first, a model shows both answers', async () => {
    const { page, slack, journal, rows, entry, ask } = await open()
    await slack.say({ text: 'Hello' })
    await callSlack(slack, 'chat.postMessage', { text: 'Allow once' })
    journal.note({ kind: 'tool', name: 'calculator', ok: true, request: { tool: 'calculator', input: '6*7' } })
    for (const [n, title] of [
      [1, 'Event: message'],
      [2, 'Web API: chat.postMessage'],
      [3, 'Tool: calculator'],
    ] as const) {
      await rows.nth(n - 1).click()
      await entry.getByRole('heading', { name: `${n}. ${title}` }).waitFor()
      await entry.getByRole('button', { name: 'Send again' }).click()
      await entry.getByRole('heading', { name: `${n + 3}. ${title}` }).waitFor()
      await entry.getByText(`Repeat of number ${n}.`).waitFor()
      await rows.getByText(`(again, of ${n})`).waitFor()
      await slack.until(() => journal.find(n + 3)?.ms !== undefined, 'its end')
    }
    expect(slack.messages(GENERAL).filter(({ text }) => text === 'Allow once').length).toBe(2)
    await entry.getByLabel('Response').getByText('6*7 = 42').waitFor()
    await entry.getByRole('button', { name: 'number 3' }).click()
    await entry.getByText('Repeated as number 6.').waitFor()
    await page.getByRole('button', { name: 'Close entry' }).click()
    await entry.waitFor({ state: 'hidden' })
    await ask()
    await rows.nth(6).click()
    await entry.getByRole('figure', { name: 'Answer' }).getByText('Answer 1.').waitFor()
    await expect.poll(() => entry.textContent()).toMatch(/first byte after/)
    await entry.getByRole('button', { name: 'Send again' }).click()
    await entry.getByRole('figure', { name: 'Answer now (8)' }).getByText('Answer 2.').waitFor()
    await entry.getByRole('figure', { name: 'Answer before (7)' }).getByText('Answer 1.').waitFor()
  })

  test('ten thousand entries are as fast as ten: few rows are drawn, and nothing freezes', async () => {
    const { page, grid, rows, count, journal } = await open({ before: (journal) => note(journal, 10_000) })
    await count('10000')
    let most: unknown
    const longest = await longestTask(page, async () => {
      most = await page.evaluate(`(async () => {
        const grid = document.querySelector('[role=grid]')
        let most = 0
        for (let i = 0; i <= 30; i++) {
          grid.scrollTop = (grid.scrollHeight * i) / 30
          await new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))
          most = Math.max(most, grid.querySelectorAll('[role=row]').length)
        }
        return most
      })()`)
      note(journal, 50)
      await count('10050')
      await page.getByRole('checkbox', { name: 'Only failures' }).check()
      await count('11 of 10050')
    })
    expect(most).toBeLessThan(80)
    await rows.nth(10).waitFor()
    await expect.poll(() => rows.count()).toBe(11)
    await expect.poll(() => grid.getAttribute('aria-rowcount')).toBe('12')
    // In ms of the thread's time.
    expect(longest).toBeLessThan(1_500)
  })
})
