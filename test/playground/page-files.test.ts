/** Files at the page: added by button, drop and paste, and shown in messages. */
import type { Locator, Page } from 'playwright-core'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startPage } from '../../playground/page-server/page-server.ts'
import { ALICE, BOB, BOT_USER, GENERAL, type LocalSlack } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { localSlack } from '../harness/local-slack.ts'
import { expectRefused, NOTES, pagesInChromium, type OpenOptions } from '../harness/open-page.ts'
import { noFile, picture, textFile } from '../harness/said-files.ts'
import { callSlack } from '../harness/slack-calls.ts'

const PNG = Buffer.from(picture('p.png', { width: 500, height: 300 }).bytes ?? '')
const NASTY = '<img src=x onerror=alert(1)>.html'

async function served() {
  const slack = await localSlack({ agent: true, echo: false, ackMs: 10, retryMs: [] })
  const page = await startPage(slack, { port: 0, notes: NOTES })
  onTestFinished(page.close)
  return { slack, url: page.url }
}

/** Uploads a file as the page does. */
async function upload(
  url: string,
  name: string,
  options: { body?: string | Uint8Array<ArrayBuffer>; headers?: Record<string, string> } = {},
) {
  const headers = { 'content-type': 'application/octet-stream', ...options.headers }
  const address = `${url}/upload?name=${encodeURIComponent(name)}`
  const response = await fetch(address, { method: 'POST', headers, body: options.body ?? 'hello' })
  const { id, error } = (await response.json().catch(() => ({}))) as { id?: string; error?: string }
  return { status: response.status, id, error }
}

const say = (url: string, body: object, as = 'alice') =>
  fetch(`${url}/say?as=${as}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ channel: GENERAL, ...body }),
  })

const lastMessage = (slack: LocalSlack) => slack.messages(GENERAL).at(-1)

describe('the page’s server', () => {
  test('serves a file as a download, with the type of its bytes, and never as a page', async () => {
    const { slack, url } = await served()
    await slack.say({
      text: 'x',
      files: [textFile('a.png', '<script>alert(1)</script>'), textFile('b.svg', '<svg/>'), picture('c.html')],
    })
    const types = { 'a.png': 'application/octet-stream', 'b.svg': 'application/octet-stream', 'c.html': 'image/png' }
    for (const { id, name } of slack.files()) {
      const { headers } = await fetch(`${url}/files/${id}/${name}`)
      expect(headers.get('content-type')).toBe(types[name as keyof typeof types])
      expect(headers.get('content-disposition')).toMatch(/^attachment; filename\*=UTF-8''/)
      expect(headers.get('x-content-type-options')).toBe('nosniff')
      expect(headers.get('content-security-policy')).toBe("default-src 'none'; sandbox")
    }
  })

  test('serves it only to people who are where it was shared', async () => {
    const { slack, url } = await served()
    slack.addChannel('G0SECRET001', { members: new Set([BOB, BOT_USER]) })
    await slack.say({ user: BOB, channel: 'G0SECRET001', text: 'x', files: [textFile('plan.txt', 'secret')] })
    const [file] = slack.files()
    const get = async (as: string) => (await fetch(`${url}/files/${file?.id}/x?as=${as}`)).status
    expect([await get('bob'), await get('alice')]).toEqual([200, 404])
    slack.changeFile(String(file?.id), { mode: 'tombstone' })
    expect(await get('bob')).toBe(404)
  })

  test('accepts files only from its own page, not empty, and at most 40 MB per message', async () => {
    const { slack, url } = await served()
    expect((await upload(url, 'a', { headers: { origin: 'https://evil.example' } })).status).toBe(403)
    expect((await upload(url, 'a', { headers: { 'content-type': 'text/plain' } })).status).toBe(403)
    expect((await fetch(`${url}/upload`)).status).toBe(405)
    expect(await upload(url, 'a', { body: '' })).toMatchObject({ status: 400, error: 'The file is empty.' })
    const huge = await upload(url, 'huge', { body: Buffer.alloc(40_000_001) }).catch(() => ({ status: 0 }))
    expect([0, 400]).toContain(huge.status)
    const { id } = await upload(url, 'a', { body: Buffer.alloc(25_000_000) })
    const files = [id, slack.upload({ name: 'b', bytes: Buffer.alloc(25_000_000) }, ALICE).id]
    expect((await say(url, { text: 'both', files })).status).toBe(400)
    expect((await say(url, { text: '', files: files.slice(0, 1) })).status).toBe(200)
    expect(lastMessage(slack)).toMatchObject({ text: '', files: [{ name: 'a', size: 25_000_000 }] })
  })

  test('shares only one’s own files, once, and keeps at most two messages’ worth of unsent files', async () => {
    const { slack, url } = await served()
    const { id } = await upload(url, '../..\\a\u202e.txt')
    expect(slack.files()).toMatchObject([{ name: '.._.._a_.txt', user: ALICE }])
    expect((await say(url, { text: 'x', files: [id] }, 'bob')).status).toBe(400)
    expect((await say(url, { text: '/ask x', files: [id] })).status).toBe(400)
    expect((await say(url, { text: 'x', files: [id] })).status).toBe(200)
    expect((await say(url, { text: 'x', files: [id] })).status).toBe(400)
    for (const name of ['a', 'b']) slack.upload({ name, bytes: Buffer.alloc(40_000_000) }, ALICE)
    await upload(url, 'c')
    expect(slack.files().map(({ name }) => name)).toEqual(['.._.._a_.txt', 'b', 'c'])
  })
})

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()

  async function open(options: OpenOptions = {}) {
    const { slack, url } = await served()
    const opened = await openPage(url, options)
    return { slack, ...opened, toSend: opened.main.getByRole('list', { name: 'Files to send' }) }
  }

  /** Chooses files with the button. */
  async function choose(page: Page, part: Locator, files: { name: string; mimeType: string; buffer: Buffer }[]) {
    const [chooser] = await Promise.all([
      page.waitForEvent('filechooser'),
      part.getByRole('button', { name: 'Attach files' }).press('Enter'),
    ])
    await chooser.setFiles(files)
  }

  /** Drops or pastes a file like a browser, with its name and size, and text that comes with it. */
  async function bring(page: Page, kind: 'drop' | 'paste', [at, name, size, words]: [string, string, number, string?]) {
    await page.evaluate(`{
      const { at, kind, name, size, words } = ${JSON.stringify({ at, kind, name, size, words })}
      const data = new DataTransfer()
      data.items.add(new File([new Uint8Array(size)], name))
      if (words) data.setData('text/plain', words)
      const how = { bubbles: true, cancelable: true, dataTransfer: data, clipboardData: data }
      const event = kind === 'drop' ? new DragEvent('drop', how) : new ClipboardEvent('paste', how)
      document.querySelector(at).dispatchEvent(event)
    }`)
  }

  const focused = (page: Page) => page.locator(':focus').getAttribute('aria-label')
  const file = (name: string, text = 'hello') => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) })
  const png = { name: 'chart.png', mimeType: 'image/png', buffer: PNG }

  test('files are chosen by keyboard, described, removed, and sent with or without text', async () => {
    const { slack, page, box, main, toSend, axe } = await open()
    await choose(page, main, [file('a.txt'), png, file('b.txt')])
    await expect.poll(() => focused(page)).toBe('Message #general')
    await toSend.getByRole('textbox', { name: 'Description of chart.png' }).fill('Sales go up')
    await toSend.getByRole('button', { name: 'Remove a.txt' }).press('Enter')
    await expect.poll(() => focused(page)).toBe('Remove chart.png')
    expect(await axe()).toEqual([])
    await box.press('Enter')
    const image = main.getByRole('img', { name: 'Sales go up' })
    await image.waitFor()
    await toSend.waitFor({ state: 'hidden' })
    expect(lastMessage(slack)).toMatchObject({
      text: '',
      files: [{ name: 'chart.png', alt_txt: 'Sales go up' }, { name: 'b.txt' }],
    })
    const drawn = () =>
      page.evaluate(
        '[document.querySelector(".picture img")].map((one) => [one.complete, one.naturalWidth, one.clientWidth])',
      )
    await expect.poll(drawn).toEqual([[true, 500, 358]])
    expect(await axe()).toEqual([])
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      main.getByRole('link', { name: 'Download b.txt' }).press('Enter'),
    ])
    expect(download.suggestedFilename()).toBe('b.txt')
  })

  test('a file is dropped on the channel or its thread, or pasted; one that is not attached or not sent is reported', async () => {
    const { slack, page, box, main, toSend, complaints } = await open()
    await choose(page, main, [file('empty.txt', ''), file('a.txt')])
    await main.getByText('empty.txt was not attached: it is empty.').waitFor()
    await bring(page, 'drop', ['main', 'big.bin', 40_000_001])
    await main.getByText('big.bin was not attached: a message takes 40 MB in all.').waitFor()
    await box.fill('/ask this')
    await box.press('Escape')
    await main.getByRole('button', { name: 'Send' }).click()
    await main.getByText('Not sent: A command takes no files.').waitFor()
    // What could not be sent is there again.
    await expect.poll(() => box.inputValue()).toBe('/ask this')
    await expect.poll(() => toSend.getByRole('listitem').count()).toBe(1)
    expect(slack.messages(GENERAL)).toEqual([])
    await expectRefused(complaints, 1)
    await toSend.getByRole('button', { name: 'Remove a.txt' }).click()
    await bring(page, 'drop', ['#scroller', 'dropped.txt', 3])
    await bring(page, 'paste', ['#message-box', 'image.png', 3])
    // A paste with text is text.
    await bring(page, 'paste', ['#message-box', 'cells.png', 3, 'a\tb'])
    await expect
      .poll(() => toSend.getByRole('listitem').allInnerTexts())
      .toEqual([/dropped/, /image/].map((one) => expect.stringMatching(one)))
    await box.fill('both')
    await box.press('Enter')
    await main.getByText('dropped.txt').first().waitFor()
    const { ts } = await slack.say({ text: 'a root' })
    await callSlack(slack, 'chat.postMessage', { thread_ts: ts, text: 'a reply' })
    const thread = page.getByRole('complementary', { name: 'Thread' })
    const reply = page.getByRole('textbox', { name: 'Reply in thread' })
    await reply.waitFor()
    await bring(page, 'drop', ['#reply-box', 'late.txt', 3])
    await thread.getByRole('button', { name: 'Send' }).click()
    await thread.getByRole('link', { name: 'Download late.txt' }).waitFor()
    expect(lastMessage(slack)).toMatchObject({ thread_ts: ts, text: '', files: [{ name: 'late.txt' }] })
  })

  test('names and contents of files are text, and files that are deleted, elsewhere or no picture are shown by name', async () => {
    const { slack, main, axe } = await open()
    await slack.say({
      text: 'see',
      files: [
        textFile(NASTY, '<script>alert(1)</script>'),
        textFile('fake.png', 'no picture'),
        textFile('notes.md', '# <b>Notes</b>'),
        noFile.deleted(),
        noFile.hiddenByLimit(),
        noFile.external('Plan', 'javascript:alert(1)'),
        noFile.external('Sheet', 'https://docs.example.com/d/2'),
      ],
    })
    await main.getByText(NASTY).waitFor()
    await main.getByText('This file was deleted.').waitFor()
    await main.getByText('This file is hidden').waitFor()
    await main.locator('p.file', { hasText: 'fake.png' }).waitFor()
    await main.getByText('notes.md').click()
    await main.getByText('# <b>Notes</b>').waitFor()
    const opened = main.getByRole('link', { name: 'Open' })
    await expect
      .poll(() => opened.evaluateAll((all) => all.map((one) => one.getAttribute('href'))))
      .toEqual(['https://docs.example.com/d/2'])
    await expect.poll(() => main.locator('img[src="x"], script, a[href^="javascript"]').count()).toBe(0)
    expect(await axe()).toEqual([])
  })

  test('a file that the bot uploads can be downloaded at the page, and fits on a phone', async () => {
    const { slack, page, main, toSend, axe } = await open({
      viewport: { width: 390, height: 780 },
      colorScheme: 'dark',
    })
    const args = { filename: 'table.csv', length: 4 }
    const { upload_url, file_id } = await callSlack(slack, 'files.getUploadURLExternal', args)
    await fetch(String(upload_url), { method: 'POST', body: 'a,b\n' })
    await callSlack(slack, 'files.completeUploadExternal', { files: [{ id: file_id }], channel_id: GENERAL })
    await slack.say({ text: 'wide', files: [picture('wide.png', { width: 2000, height: 100 })] })
    await main.getByRole('img', { name: 'Picture wide.png' }).waitFor()
    await choose(page, main, [png, file(`${'long'.repeat(30)}.txt`), file('c.txt')])
    await toSend.getByText('c.txt').waitFor()
    await expect.poll(() => page.evaluate('document.documentElement.scrollWidth <= innerWidth')).toBe(true)
    await expect.poll(() => main.evaluate((one) => one.scrollWidth <= one.clientWidth)).toBe(true)
    expect(await axe()).toEqual([])
    const address = await main.getByRole('link', { name: 'Download table.csv' }).getAttribute('href')
    expect(await (await page.request.get(new URL(String(address), page.url()).href)).text()).toBe('a,b\n')
  })
})
