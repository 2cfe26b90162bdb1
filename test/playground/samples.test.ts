/** What people post without typing it: alerts of an app, forwards, pasted tables, recordings. */
import { expect, onTestFinished, test } from 'vitest'
import { startPlayground } from '../../playground/main.ts'
import { ALICE, BOB, BOT_USER, GENERAL, RANDOM, type LocalSlack } from '../../playground/slack/slack.ts'
import { describeWithChromium } from '../harness/chromium.ts'
import { pagesInChromium, servedPage } from '../harness/open-page.ts'
import { callSlack } from '../harness/slack-calls.ts'

const post = async (url: string, path: string, body: object) => {
  const headers = { 'content-type': 'application/json' }
  const response = await fetch(`${url}/${path}`, { method: 'POST', headers, body: JSON.stringify(body) })
  return { status: response.status, ...((await response.json()) as { error?: string }) }
}

const lastOf = (slack: LocalSlack, channel = GENERAL) => slack.messages(channel).at(-1)

test.each([
  ['alert', { attachments: [{ title: expect.stringContaining('[Firing]'), fields: expect.anything() }] }],
  ['blocks', { blocks: [{ type: 'header' }, { type: 'section' }, { type: 'section' }, { type: 'context' }] }],
  ['pull-request', { attachments: [{ pretext: expect.stringContaining('Pull request') }] }],
  ['resolved', { attachments: [{ color: '2eb886' }] }],
])('the app Alerts posts without a user and a text, and Slack serves it as it is: %s', async (sample, expected) => {
  const { slack, url } = await servedPage()
  expect(await post(url, 'sample', { channel: GENERAL, sample })).toMatchObject({ status: 200 })
  const { messages } = await callSlack(slack, 'conversations.history', { channel: GENERAL })
  const [message] = JSON.parse(JSON.stringify(messages)) as object[]
  expect(message).toMatchObject({ ...expected, username: 'Alerts', subtype: 'bot_message', text: '' })
  expect(message).not.toHaveProperty('user')
})

test('a recording is the person’s own, with Slack’s transcript or without', async () => {
  const { slack, url } = await servedPage()
  await post(url, 'sample', { channel: GENERAL, sample: 'recording' })
  const heard = { subtype: 'slack_audio', transcription: { status: 'complete', preview: { content: /240/ } } }
  heard.transcription.preview.content = expect.stringContaining('240') as never
  expect(lastOf(slack)).toMatchObject({ user: ALICE, files: [heard] })
  await post(url, 'sample', { channel: GENERAL, sample: 'recording-alone' })
  expect(lastOf(slack)?.files).toMatchObject([{ subtype: 'slack_audio', transcription: { status: 'none' } }])
  expect(await post(url, 'sample', { channel: GENERAL, sample: 'none' })).toMatchObject({ status: 400 })
})

test('a canvas is the person’s own, and is served as HTML under its title', async () => {
  const { slack, url } = await servedPage()
  await post(url, 'sample', { channel: GENERAL, sample: 'canvas' })
  const [file] = lastOf(slack)?.files ?? []
  expect(file).toMatchObject({ title: 'Release 4.2', mode: 'quip', filetype: 'quip', pretty_type: 'Canvas' })
  const headers = { authorization: `Bearer ${slack.botToken}` }
  const served = await fetch(String(file?.['url_private']), { headers })
  expect(await served.text()).toMatch(/^<div class="quip-canvas-content"><h1>Release 4\.2<\/h1>/)
})

test('a forward has the form of Slack’s editor: author, place, permalink, blocks, files, and what it forwards itself', async () => {
  const { slack, url } = await servedPage()
  const files = [{ name: 'plan.txt', bytes: 'x' }]
  const { ts } = await slack.say({ user: BOB, text: 'The blue bleeds.', files })
  const of = { channel: GENERAL, ts }
  expect(await post(url, 'forward', { channel: RANDOM, text: 'Can you check @bob?', of })).toMatchObject({
    status: 200,
  })
  const once = lastOf(slack, RANDOM)
  expect(once).toMatchObject({
    ...{ user: ALICE, text: `Can you check <@${BOB}>?` },
    attachments: [
      {
        ...{ is_share: true, is_msg_unfurl: true, author_id: BOB, author_name: 'Bob', channel_id: GENERAL },
        from_url: expect.stringMatching(`^http.*/archives/${GENERAL}/p${ts.replace('.', '')}$`),
        message_blocks: [{ channel: GENERAL, ts, message: { blocks: [{ type: 'rich_text' }] } }],
        files: [{ name: 'plan.txt' }],
      },
    ],
  })
  expect(once?.files).toBeUndefined()
  await post(url, 'sample', { channel: GENERAL, sample: 'alert' })
  const alert = { channel: GENERAL, ts: String(lastOf(slack)?.ts) }
  await post(url, 'forward', { channel: RANDOM, thread_ts: once?.ts, text: '', of: alert })
  expect(lastOf(slack, RANDOM)).toMatchObject({
    thread_ts: once?.ts,
    attachments: [{ author_name: 'Alerts', msg_subtype: 'bot_message', attachments: [{ fields: expect.anything() }] }],
  })
})

test('nobody forwards what they do not see, or to where they may not write', async () => {
  const { slack, url } = await servedPage()
  slack.addChannel('G0SECRET001', { members: new Set([BOB, BOT_USER]) })
  const hidden = await slack.say({ user: BOB, channel: 'G0SECRET001', text: 'secret' })
  const seen = await slack.say({ text: 'open' })
  const of = { channel: 'G0SECRET001', ts: hidden.ts }
  expect(await post(url, 'forward', { channel: GENERAL, text: '', of })).toMatchObject({ status: 400 })
  const from = { channel: GENERAL, ts: seen.ts }
  expect(await post(url, 'forward', { channel: 'G0SECRET001', text: '', of: from })).toMatchObject({ status: 400 })
  expect([slack.messages(GENERAL).length, slack.messages('G0SECRET001').length]).toEqual([1, 1])
})

test('pasted tables are attachments with one table block each; what is none is refused', async () => {
  const { slack, url } = await servedPage()
  const tables = [
    [
      ['Yarn', 'Cones'],
      ['Merino', '17'],
      ['007', ''],
    ],
  ]
  expect(await post(url, 'say', { channel: GENERAL, text: '', tables })).toMatchObject({ status: 200 })
  expect(lastOf(slack)).toMatchObject({ text: '', user: ALICE })
  expect(lastOf(slack)?.attachments).toMatchObject([
    {
      fallback: '[no preview available]',
      blocks: [
        {
          type: 'table',
          rows: [
            [{ type: 'rich_text' }, { type: 'rich_text' }],
            [
              { type: 'raw_text', text: 'Merino' },
              { type: 'raw_number', value: 17 },
            ],
            [
              { type: 'raw_text', text: '007' },
              { type: 'raw_text', text: '' },
            ],
          ],
        },
      ],
    },
  ])
  for (const wrong of [[[]], [[[1]]], ['x'], [Array.from({ length: 101 }, () => ['a'])]])
    expect(await post(url, 'say', { channel: GENERAL, text: 'x', tables: wrong })).toMatchObject({ status: 400 })
})

describeWithChromium('the page in Chromium', () => {
  const openPage = pagesInChromium()
  /** Code for the browser that pastes a text into the message box. */
  const pasted = (text: string) => `{
    const data = new DataTransfer()
    data.setData('text/plain', ${JSON.stringify(text)})
    const paste = new ClipboardEvent('paste', { clipboardData: data, bubbles: true, cancelable: true })
    document.getElementById('message-box').dispatchEvent(paste)
  }`

  test('a spreadsheet’s selection becomes a table; indented code and a single line stay text', async () => {
    const { slack, url } = await servedPage()
    const { page, main, box } = await openPage(url)
    for (const text of ['\tif (a)\n\t  b', 'one\ttwo', 'a\tb\nc', 'no tabs\nat all']) {
      await page.evaluate(pasted(text))
      expect(await main.getByText(/^Table: /).count()).toBe(0)
    }
    await page.evaluate(pasted('Yarn\tCones\r\n"Merino\n2/28"\t17\r\n"say ""hi"""\t4\r\n'))
    await main.getByText('Table: 3 rows, 2 columns').waitFor()
    await box.fill('Add up the cones')
    await box.press('Enter')
    await main.getByRole('region', { name: 'Table' }).waitFor()
    expect(JSON.stringify(lastOf(slack)?.attachments)).toContain('Merino\\n2/28')
    expect(JSON.stringify(lastOf(slack)?.attachments)).toContain('say \\"hi\\"')
    expect(lastOf(slack)?.text).toBe('Add up the cones')
  })

  test('an alert is forwarded from its menu with a comment, and the page shows both', async () => {
    const playground = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0 })
    onTestFinished(playground.stop)
    const { page, main, thread, reply, axe } = await openPage(playground.url)
    await page.getByRole('button', { name: 'Samples' }).click()
    await page.getByRole('button', { name: 'Alert, by attachments' }).click()
    const alert = main.getByRole('listitem').filter({ hasText: '[Firing]' })
    await alert.getByText('Alerts', { exact: true }).waitFor()
    await alert.hover()
    await alert.getByRole('button', { name: 'Reply in thread' }).click()
    await reply.fill('@thinkaloud what is this about?')
    await reply.press('Enter')
    await thread.getByText(/This is a message of Alerts/).waitFor()
    await alert.first().hover()
    await alert.first().getByRole('button', { name: 'More actions' }).click()
    await page.getByRole('menuitem', { name: 'Forward message' }).click()
    await page.getByLabel('Forward to').selectOption('#random')
    await page.getByLabel(/Comment/).fill('Seen this?')
    await page.getByRole('button', { name: 'Forward', exact: true }).click()
    await page.getByRole('dialog').waitFor({ state: 'hidden' })
    await page.getByRole('button', { name: /random/ }).click()
    await main.getByText('Posted in #general').waitFor()
    await main.getByText('Seen this?').waitFor()
    expect(await axe()).toEqual([])
  })

  test('a pasted column is added up by the demo, in direct messages too', async () => {
    const playground = await startPlayground({ PLAYGROUND_PORT: '0' }, { paceMs: 0 })
    onTestFinished(playground.stop)
    const { page, main, box } = await openPage(playground.url, { at: '#dm' })
    await page.evaluate(pasted('Yarn\tCones\nMerino\t1417\nTussah\t17'))
    await main.getByText('Table: 3 rows, 2 columns').waitFor()
    await box.fill('Add up the cones')
    await box.press('Enter')
    await page.getByText('The column “Cones” adds up to 1434.').first().waitFor()
  })
})
