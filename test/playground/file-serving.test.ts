/** Files in the local Slack: in events, in `files.info`, and over HTTP. */
import { expect, onTestFinished, test } from 'vitest'
import { listen, readBody } from '../../playground/base/loopback-server.ts'
import {
  BOB,
  BOT_USER,
  GENERAL,
  type FileFault,
  type UploadedFile,
  type Json,
  type LocalSlack,
  type LocalSlackOptions,
} from '../../playground/slack/slack.ts'
import { localSlack } from '../harness/local-slack.ts'
import { clip, noFile, picture, textFile } from '../harness/said-files.ts'
import { callSlack, slackStory } from '../harness/slack-calls.ts'

const ASK = `<@${BOT_USER}>`
const notes = textFile('notes.md', '# Notes')

/** Starts a Slack whose app records events. */
async function played(options: LocalSlackOptions = {}) {
  const slack = await localSlack(options)
  const came: Json[] = []
  const server = await listen((request, response) => {
    void readBody(request).then((body) => {
      came.push((JSON.parse(body) as { event: Json }).event)
      response.end()
    })
  })
  onTestFinished(server.close)
  slack.setTarget(server.base)
  const event = (type: string) => came.find((one) => one['type'] === type) ?? {}
  const fileIn = (type: string) => (event(type)['files'] as Json[] | undefined)?.[0] ?? {}
  return { slack, event, fileIn }
}

/** Uploads a person's file. Returns its download address. */
async function brought(slack: LocalSlack, file: UploadedFile): Promise<{ id: string; address: string }> {
  const { ts } = await slack.say({ text: 'look', files: [file] })
  const { id, url_private_download } = slack.messages(GENERAL).find((one) => one.ts === ts)?.files?.[0] ?? {}
  return { id: String(id), address: String(url_private_download) }
}

const get = (slack: LocalSlack, address: unknown, token = slack.botToken) =>
  fetch(String(address), { redirect: 'manual', ...(token && { headers: { authorization: `Bearer ${token}` } }) })

test('a message with files is a file_share; its mention and its history have no subtype', async () => {
  const { slack, event, fileIn } = await played()
  const { ts } = await slack.say({ text: `${ASK} read them`, files: [notes, picture('p.png', { width: 600 })] })
  expect(event('message')).toMatchObject({ subtype: 'file_share', upload: false, files: [{}, {}] })
  expect(event('app_mention')).toMatchObject({ files: [{ name: 'notes.md' }, { name: 'p.png' }] })
  expect(event('app_mention')).not.toHaveProperty('subtype')
  expect(fileIn('message')).toMatchObject({ mimetype: 'text/markdown', filetype: 'md', size: 7, mode: 'hosted' })
  const { messages } = await callSlack(slack, 'conversations.history', { limit: 1 })
  expect(messages).toMatchObject([{ ts, files: [{ name: 'notes.md', file_access: 'visible' }, {}] }])
  expect((messages as Json[])[0]).not.toHaveProperty('subtype')
})

test('a message may have only files, in threads and direct messages, and a mention may come without its files', async () => {
  const { slack, event } = await played()
  const root = await slack.mention('first', { files: [notes], bareMention: true })
  expect(event('app_mention')).not.toHaveProperty('files')
  expect(event('message')).toMatchObject({ files: [{ name: 'notes.md' }] })
  await slack.say({ text: '', thread_ts: root.thread, files: [notes] })
  const { deliveries } = await slack.say({ text: '', channel: 'D0ALICE0001', files: [notes] })
  expect(deliveries[0]?.payload['event']).toMatchObject({ text: '', channel_type: 'im', files: [{}] })
  expect(slack.messages(GENERAL).at(-1)).toMatchObject({ thread_ts: root.thread, text: '', files: [{}] })
})

test('only the bot’s token gets the bytes; others get the login page, directly or by a redirect', async () => {
  const { slack } = await played()
  const { id, address } = await brought(slack, notes)
  const got = await get(slack, address)
  expect(got.headers.get('content-disposition')).toContain('notes.md')
  expect(await got.text()).toBe('# Notes')
  for (const token of ['', 'xoxb-other']) {
    const refused = await get(slack, address, token)
    expect(refused.status).toBe(302)
    const page = await fetch(String(refused.headers.get('location')))
    expect([page.status, page.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8'])
    expect(await page.text()).toMatch(/^<!DOCTYPE html>/)
  }
  const downloads = slack.calls.filter(({ method }) => method === 'download')
  expect(downloads.map(({ args, error }) => [args['file'], args['token'], error])).toEqual([
    [id, 'bot', undefined],
    [id, 'none', 'not_authed'],
    [id, 'unknown', 'invalid_auth'],
  ])
  expect(slack.refusals).toMatchObject([{ method: 'download', error: 'not_authed' }])
})

test('without files:read downloads return the login page, by a redirect or with status 200, and files.info is refused', async () => {
  for (const [loginPage, status] of [['redirect', 302] as const, ['page', 200] as const]) {
    const { slack } = await played({ scopes: ['chat:write'], loginPage })
    const { id, address } = await brought(slack, notes)
    const page = await get(slack, address)
    expect(page.status).toBe(status)
    if (status === 200) expect(await page.text()).toMatch(/^<!DOCTYPE html>/)
    await slackStory(slack, [['files.info', { file: id }, 'missing_scope']])
  }
})

test('files.info returns the whole file even if the event has only its id, and its own errors for missing files', async () => {
  const { slack, fileIn } = await played()
  await slack.mention('see', { files: [{ ...notes, access: 'check_file_info' }] })
  const { id, ...rest } = fileIn('app_mention')
  expect(rest).toEqual({ created: 0, timestamp: 0, user: '', file_access: 'check_file_info' })
  const hidden = await brought(slack, noFile.hiddenByLimit())
  const secret = slack.upload(notes)
  const external = await brought(slack, noFile.external())
  await slackStory(slack, [
    [
      'files.info',
      { file: id },
      { file: { name: 'notes.md', file_access: 'visible', url_private: expect.any(String) } },
    ],
    ['files.info', { file: 'F0NOWHERE01' }, 'file_not_found'],
    ['files.info', { file: secret.id }, 'file_not_found'],
    ['files.info', { file: hidden.id }, { file: { id: hidden.id, mode: 'hidden_by_limit' } }],
    ['files.info', { file: external.id }, { file: { is_external: true, url_private: 'https://docs.example.com/d/1' } }],
  ])
  slack.changeFile(String(id), { mode: 'tombstone' })
  await slackStory(slack, [['files.info', { file: id }, 'file_deleted']])
  expect(slack.messages(GENERAL)[0]?.files).toEqual([{ id, mode: 'tombstone' }])
  expect(slack.refusals).toEqual([])
})

test('a transcribed clip has the beginning of its transcript in the object, and all of it as captions', async () => {
  const { slack, fileIn } = await played()
  const words = 'We ship on Friday. '.repeat(30).trim()
  await slack.mention('hear', { files: [clip('standup.m4a', words)] })
  expect(fileIn('message')).toMatchObject({ transcription: { status: 'processing' } })
  const { file } = await callSlack(slack, 'files.info', { file: fileIn('message')['id'] })
  const { transcription, vtt } = file as Json
  expect(transcription).toMatchObject({ status: 'complete', preview: { content: words.slice(0, 300), has_more: true } })
  expect(await (await get(slack, vtt)).text()).toMatch(
    /^WEBVTT\n\n00:00:00\.000 --> 00:00:05\.000\n- We ship on Friday\.\n/,
  )
})

test('a picture has smaller versions up to its own size, with a test’s bytes', async () => {
  const { slack, fileIn } = await played()
  const thumbs = { 360: Buffer.from('small'), 1024: Buffer.from('large') }
  await slack.mention('see', { files: [picture('p.png', { width: 600, height: 500 }), picture('q.png', { thumbs })] })
  const file = fileIn('message')
  expect(file).toMatchObject({ original_w: 600, original_h: 500 })
  expect(Object.keys(file).filter((name) => name.startsWith('thumb_'))).toEqual(['thumb_360', 'thumb_480'])
  const [first, second] = slack.messages(GENERAL)[0]?.files ?? []
  const original = Buffer.from(await (await get(slack, first?.['thumb_480'])).arrayBuffer())
  expect(original.subarray(0, 4).toString('latin1')).toBe('\x89PNG')
  expect(await (await get(slack, second?.['thumb_1024'])).text()).toBe('large')
  expect((await get(slack, second?.['thumb_1024'], '')).status).toBe(302)
})

const faults: [name: string, fault: FileFault, ends: string][] = [
  ['a redirect twice', { redirects: 2 }, '# Notes'],
  ['a status', { status: 503 }, '503'],
  ['a limit', { retryAfter: 3 }, '429 3'],
  ['the login page', { login: 'page' }, 'Sign in'],
  ['slow pieces', { delayMs: 5, pieceMs: 5 }, '# Notes'],
  ['more than the size says', { sends: 20 }, '# Notes# Notes# Note'],
  ['a cut', { cutAfter: 3 }, 'cut'],
]
test.each(faults)('a download has a fault: %s', async (_, fault, ends) => {
  const { slack } = await played()
  const { address } = await brought(slack, { ...notes, fault })
  const headers = { authorization: `Bearer ${slack.botToken}` }
  const response = await fetch(address, { headers })
  const body = await response.text().catch(() => 'cut')
  const told = response.ok ? body : [response.status, response.headers.get('retry-after')].filter(Boolean).join(' ')
  expect(told).toContain(ends)
})

test('a download fault can end after some downloads, and start while the file is there', async () => {
  const { slack } = await played()
  const { id, address } = await brought(slack, { ...notes, fault: { times: 1, status: 500 } })
  const statuses = [await get(slack, address), await get(slack, address)].map(({ status }) => status)
  slack.changeFile(id, { fault: { status: 404 } })
  expect([...statuses, (await get(slack, address)).status]).toEqual([500, 200, 404])
})

test('the bot cannot access a file of a channel that it is not in', async () => {
  const { slack } = await played()
  slack.addChannel('G0SECRET001', { members: new Set([BOB]) })
  const { id, name } = slack.upload(textFile('plan.txt', 'secret'), BOB)
  await slack.say({ user: BOB, channel: 'G0SECRET001', text: '', files: [{ id }] })
  const [file] = slack.messages('G0SECRET001')[0]?.files ?? []
  expect(file).toMatchObject({ id, name })
  expect((await get(slack, file?.['url_private'])).status).toBe(404)
  await slackStory(slack, [['files.info', { file: id }, 'file_not_found']])
})

test('faults of the Web API affect downloads too, and a download may be redirected to another host', async () => {
  const { slack } = await played()
  const { address } = await brought(slack, { ...notes, fault: { redirectTo: 'https://elsewhere.example/x' } })
  expect((await get(slack, address)).headers.get('location')).toBe('https://elsewhere.example/x')
  slack.fault({ method: 'download', status: 500 })
  expect((await get(slack, address)).status).toBe(500)
  slack.fault({ method: 'download', dropBefore: true })
  await expect(get(slack, address)).rejects.toThrow()
})

test('a file that the bot uploads is in the channel with its bytes', async () => {
  const { slack } = await played()
  const bytes = Buffer.from([0, 255, 128, 13, 10, 0])
  const args = { filename: 'a.bin', length: bytes.length }
  const { file_id, upload_url } = await callSlack(slack, 'files.getUploadURLExternal', args)
  expect((await fetch(String(upload_url), { method: 'POST', body: bytes })).status).toBe(200)
  await callSlack(slack, 'files.completeUploadExternal', { files: [{ id: file_id }] })
  const [file] = slack.messages(GENERAL).at(-1)?.files ?? []
  expect(Buffer.from(await (await get(slack, file?.['url_private'])).arrayBuffer())).toEqual(bytes)
})
